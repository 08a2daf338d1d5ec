import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Reply } from './route.ts';

/** Writes a whole reply. */
export function send(request: IncomingMessage, response: ServerResponse, reply: Reply): void {
  response.writeHead(reply.status, allHeaders(reply));
  response.end(request.method === 'HEAD' ? undefined : reply.body);
}

/** Nothing we answer is a page, and nothing may be kept by a cache. */
export function allHeaders({ headers, body }: Reply): Record<string, string> {
  return {
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    'content-length': String(Buffer.byteLength(body)),
    ...headers,
  };
}
