import { CallError } from '#core/call-error.ts';
import type { Caller } from '#core/call.ts';
import type { Doorman } from '#core/doorman.ts';
import { INVALID_REQUEST } from '#mcp/json-rpc.ts';
import { readMessage, type RpcMessage } from '#mcp/read-message.ts';
import { bearerOf } from '../http/bearer.ts';
import type { Exchange } from '../http/endpoint.ts';
import { isJson } from '../http/media-type.ts';
import { readBody, type BodyLimits } from '../http/read-body.ts';
import { badRequest, fromCallError, JSON_TYPE, refuse } from './refusal.ts';

const RETRY_AFTER_MS = 1000;
export const SESSIONS_TAKEN = 'All sessions that this client may have are in use.';
export const REQUESTS_TAKEN = 'All requests that this client may have at once are under way.';

/** Finds out who asks, then goes on; or refuses. */
export function admit(
  exchange: Exchange,
  doorman: Pick<Doorman, 'identify'>,
  then: (exchange: Exchange, caller: Caller) => void,
): void {
  const { headers, socket: connection } = exchange.request;
  const token = bearerOf(headers.authorization);
  doorman.identify({ door: 'tcp', token, connection }).then(
    (caller) => {
      if (!exchange.isOpen) return;
      if (exchange.claim?.(caller.principal) === false)
        refuse(exchange, fromCallError(full(REQUESTS_TAKEN)));
      else guarded(exchange, () => then(exchange, caller));
    },
    (thrown: unknown) => refuse(exchange, fromCallError(CallError.from(thrown))),
  );
}

/** Reads the one message of a body, then goes on; or refuses. */
export function receive(
  exchange: Exchange,
  { principal }: Caller,
  limits: BodyLimits,
  then: (message: RpcMessage) => void,
): void {
  if (!isJson(exchange.request.headers['content-type'])) return refuse(exchange, NOT_JSON);
  const take = (body: string | CallError) => {
    if (typeof body !== 'string') return refuse(exchange, fromCallError(body));
    const message = readMessage(body);
    if (message.is !== 'unreadable') return guarded(exchange, () => then(message));
    if (message.reply === undefined) return refuse(exchange, BAD_NOTIFICATION);
    exchange.error = new CallError('bad_request', 'The body is no JSON-RPC message.');
    exchange.answer(400, JSON_TYPE, message.reply);
  };
  readBody(exchange, principal, limits, exchange.inSpan?.(take) ?? take);
}

/** A bug of ours costs this request and no other. */
function guarded(exchange: Exchange, work: () => void): void {
  try {
    work();
  } catch (thrown) {
    const error = CallError.from(thrown);
    exchange.error = error;
    refuse(exchange, fromCallError(error));
    exchange.end();
  }
}

export function full(message: string): CallError {
  return new CallError('over_capacity', message, { retryAfterMs: RETRY_AFTER_MS });
}

const NOT_JSON = badRequest(
  'Content-Type must be application/json. Send one JSON-RPC message as the body.',
  undefined,
  415,
);

const BAD_NOTIFICATION = badRequest(
  'Invalid request: the params of a notification must be an object.',
  INVALID_REQUEST,
);
