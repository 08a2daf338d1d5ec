import { STATUS_CODES, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { CallError } from '#core/errors/call-error.ts';
import { fix } from '#core/messages/fixes.ts';
import type { Clock } from '#core/time/clock.ts';
import { BEARER_CHALLENGE } from './request-checks.ts';
import { toWireJson } from './wire-json.ts';

/** Ours, OpenAI's and Anthropic's: clients of both meet errors here. */
const ID_HEADERS = ['x-exai-req-id', 'x-request-id', 'request-id'];

/** A complete HTTP response with a text body. */
export interface HttpReply {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: string;
}

export function jsonReply(
  status: number,
  document: unknown,
  headers?: HttpReply['headers'],
): HttpReply {
  const type = { 'content-type': 'application/json; charset=utf-8' };
  return { status, headers: { ...type, ...headers }, body: `${toWireJson(document)}\n` };
}

/** The reply with the id of its request. */
export function withRequestId(reply: HttpReply, reqId: string): HttpReply {
  const ids = ID_HEADERS.map((name) => [name, reqId]);
  return { ...reply, headers: { ...reply.headers, ...Object.fromEntries(ids) } };
}

export function sendReply(
  request: IncomingMessage,
  response: ServerResponse,
  reply: HttpReply,
): void {
  response.writeHead(reply.status, replyHeaders(reply));
  response.end(request.method === 'HEAD' ? undefined : reply.body);
}

/** All headers of a reply. No response is an HTML page, and none may be cached. */
function replyHeaders({ headers, body }: HttpReply): Record<string, string> {
  return {
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    'content-length': String(Buffer.byteLength(body)),
    ...headers,
  };
}

// If we closed at once while the peer still sends, its TCP stack would discard the reply.
const LINGER_MS = 1000;

/** Writes a reply to a socket that has no ServerResponse, and closes it. */
export function endWithReply(socket: Duplex, reply: HttpReply, clock: Clock): void {
  socket.end(toText(reply));
  const timer = clock.after(LINGER_MS, () => socket.destroy());
  socket.once('close', () => timer.stop());
}

function toText(reply: HttpReply): string {
  const headers = Object.entries({ ...replyHeaders(reply), connection: 'close' });
  return [
    `HTTP/1.1 ${reply.status} ${STATUS_CODES[reply.status]}`,
    ...headers.map(([name, value]) => `${name}: ${value}`),
    '',
    reply.body,
  ].join('\r\n');
}

/** The reply for an error: status and headers by its class. */
export function errorReply(error: CallError): HttpReply {
  return jsonReply(error.policy.status, { error }, errorReplyHeaders(error));
}

function errorReplyHeaders({ class: errorClass, retryAfterMs }: CallError): Record<string, string> {
  return {
    ...(errorClass === 'auth' && { 'www-authenticate': BEARER_CHALLENGE }),
    ...(retryAfterMs !== undefined && { 'retry-after': String(Math.ceil(retryAfterMs / 1000)) }),
  };
}

const REQUEST_TIMEOUT = {
  ...errorReply(
    new CallError('timeout', 'The request arrived too slowly while others needed its place.', {
      fixes: [fix('retry')],
    }),
  ),
  status: 408,
};

/** Answers 408 to a request that is still arriving; Node then ends its connection. */
export function sendRequestTimeout(response: ServerResponse, reqId: string): void {
  if (response.headersSent || response.destroyed) return;
  response.shouldKeepAlive = false;
  const reply = withRequestId(REQUEST_TIMEOUT, reqId);
  response.writeHead(reply.status, replyHeaders(reply));
  // Otherwise the reader of the request would never see its end.
  response.end(reply.body, () => response.req.destroy());
}
