import { CallError } from '#core/errors/call-error.ts';
import type { Caller } from '#core/calls/call.ts';
import type { Authenticator } from '#core/auth/authenticator.ts';
import { INVALID_REQUEST } from '#mcp/json-rpc.ts';
import {
  notJson,
  readMessage,
  toMessage,
  type RpcMessage,
  type UnreadableMessage,
} from '#mcp/read-message.ts';
import { bearerToken } from '../http/request-checks.ts';
import type { HttpContext } from '../http/http-context.ts';
import { isJson } from '../http/media-type.ts';
import { readBody, type BodyLimits } from '../http/read-body.ts';
import { parseLargeBody } from '#core/large-json/parse-large-body.ts';
import { badRequest, fromCallError, JSON_TYPE, sendRefusal } from './refusal.ts';

const RETRY_AFTER_MS = 1000;
export const SESSION_LIMIT_REACHED = 'Session limit reached for this client.';
export const REQUEST_LIMIT_REACHED =
  'All requests that this client may have at once are under way.';

/** Authenticates a request and calls `then`, or refuses it. */
export function authenticateRequest(
  context: HttpContext,
  authenticator: Pick<Authenticator, 'authenticate'>,
  then: (context: HttpContext, caller: Caller) => void,
): void {
  const { headers, socket: connection } = context.request;
  const token = bearerToken(headers.authorization);
  authenticator.authenticate({ transport: 'tcp', token, connection }).then(
    (caller) => {
      if (!context.isOpen) return;
      if (context.acquireSlot?.(caller.principal) === false)
        sendRefusal(context, fromCallError(overCapacity(REQUEST_LIMIT_REACHED)));
      else guarded(context, () => then(context, caller));
    },
    (thrown: unknown) => sendRefusal(context, fromCallError(CallError.from(thrown))),
  );
}

/** Reads the JSON-RPC message of a body and calls `then`, or refuses it. */
export function receiveMessage(
  context: HttpContext,
  { principal }: Caller,
  limits: BodyLimits,
  then: (message: RpcMessage) => void,
): void {
  if (!isJson(context.request.headers['content-type'])) return sendRefusal(context, NOT_JSON);
  const receive = (message: RpcMessage | UnreadableMessage) => {
    if (message.is !== 'unreadable') return guarded(context, () => then(message));
    if (message.reply === undefined) return sendRefusal(context, BAD_NOTIFICATION);
    context.error = new CallError('bad_request', 'The body is not a JSON-RPC message.');
    context.answer(400, JSON_TYPE, message.reply);
  };
  const take = (body: string | Buffer | CallError) => {
    if (body instanceof CallError) return sendRefusal(context, fromCallError(body));
    if (typeof body === 'string') return receive(readMessage(body));
    parseLargeBody(body, context.reqId)
      .then(toMessage, notJson)
      .then(
        (message) => {
          if (context.isOpen) receive(message);
        },
        (thrown: unknown) => sendRefusal(context, fromCallError(CallError.from(thrown))),
      );
  };
  readBody(context, principal, limits, context.inSpan?.(take) ?? take);
}

/** Runs `work`; an exception fails this request only. */
function guarded(context: HttpContext, work: () => void): void {
  try {
    work();
  } catch (thrown) {
    const error = CallError.from(thrown);
    context.error = error;
    sendRefusal(context, fromCallError(error));
    context.end();
  }
}

export function overCapacity(message: string): CallError {
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
