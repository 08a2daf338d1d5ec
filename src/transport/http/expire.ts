import type { ServerResponse } from 'node:http';
import { CallError } from '#core/call-error.ts';
import { fix } from '#core/messages/fixes.ts';
import { toErrorReply } from './error-reply.ts';
import { allHeaders } from './send.ts';

const REPLY = {
  ...toErrorReply(
    new CallError('timeout', 'The request arrived too slowly while others needed its place.', {
      fixes: [fix('retry')],
    }),
  ),
  status: 408,
};

/** Answers a request that is still arriving; node then ends its connection. */
export function expire(response: ServerResponse): void {
  if (response.headersSent || response.destroyed) return;
  response.shouldKeepAlive = false;
  response.writeHead(REPLY.status, allHeaders(REPLY));
  // Otherwise whoever reads the request would never hear of its end.
  response.end(REPLY.body, () => response.req.destroy());
}
