import { parseUntrustedJson } from '#core/json/json-guard.ts';
import {
  rpcErrorResponse,
  INVALID_PARAMS,
  INVALID_REQUEST,
  isObject,
  isRequestId,
  PARSE_ERROR,
  type Members,
  type RequestId,
} from './json-rpc.ts';

export interface RpcRequest {
  readonly is: 'request';
  readonly id: RequestId;
  readonly method: string;
  readonly params: Members | undefined;
}

export interface RpcNotification {
  readonly is: 'notification';
  readonly method: string;
  readonly params: Members | undefined;
}

/** A response to a request of the server. */
export interface RpcResponse {
  readonly is: 'response';
  readonly message: Members;
}

export type RpcMessage = RpcRequest | RpcNotification | RpcResponse;

/** An invalid message. `reply`: the error response; undefined for a notification. */
export interface UnreadableMessage {
  readonly is: 'unreadable';
  readonly reply: string | undefined;
}

/** Parses a JSON-RPC message. The parameters are validated later. */
export function readMessage(text: string): RpcMessage | UnreadableMessage {
  if (text === '') return unreadable(null, PARSE_ERROR, 'Parse error: the message is empty.');
  try {
    return toMessage(parseUntrustedJson(text));
  } catch {
    // The parser's message quotes the text, which may contain secrets.
    return notJson();
  }
}

/** Reads a message that was parsed already; undefined if it could not be. */
export function readParsedMessage(value: unknown): RpcMessage | UnreadableMessage {
  return value === undefined ? notJson() : toMessage(value);
}

/** For a text that cannot be parsed. */
export function notJson(): UnreadableMessage {
  return unreadable(
    null,
    PARSE_ERROR,
    'Parse error: this is not JSON, or it is nested too deeply or has too many members.',
  );
}

/** Reads parsed JSON as a JSON-RPC message. */
export function toMessage(message: unknown): RpcMessage | UnreadableMessage {
  if (!isObject(message)) {
    const what = Array.isArray(message) ? 'Batches are not supported' : 'A message is an object';
    return unreadable(null, INVALID_REQUEST, `Invalid request: ${what}; send one by one.`);
  }
  const { jsonrpc, id, method, params } = message;
  const known = isRequestId(id) ? id : null;
  if (jsonrpc !== '2.0') {
    return unreadable(known, INVALID_REQUEST, 'Invalid request: "jsonrpc" must be "2.0".');
  }
  if (typeof method !== 'string') {
    if ('result' in message || 'error' in message) return { is: 'response', message };
    return unreadable(known, INVALID_REQUEST, 'Invalid request: "method" must be a text.');
  }
  const hasParams = params === undefined || isObject(params);
  if (id === undefined) {
    // A notification gets no answer, not even an error.
    return hasParams
      ? { is: 'notification', method, params }
      : { is: 'unreadable', reply: undefined };
  }
  if (known === null) {
    const wanted = 'a text of at most 1,024 characters or a number';
    return unreadable(null, INVALID_REQUEST, `Invalid request: "id" must be ${wanted}.`);
  }
  if (!hasParams) {
    return unreadable(known, INVALID_PARAMS, 'Invalid params: they must be an object.');
  }
  return { is: 'request', id: known, method, params };
}

function unreadable(id: RequestId | null, code: number, message: string): UnreadableMessage {
  return { is: 'unreadable', reply: rpcErrorResponse(id, code, message) };
}
