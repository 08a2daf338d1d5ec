import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Reply } from './route.ts';

/** Writes a whole reply. Nothing we answer is a page, and nothing may be kept by a cache. */
export function send(request: IncomingMessage, response: ServerResponse, reply: Reply): void {
  response.writeHead(reply.status, {
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    'content-length': Buffer.byteLength(reply.body),
    ...reply.headers,
  });
  response.end(request.method === 'HEAD' ? undefined : reply.body);
}
