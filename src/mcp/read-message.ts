import { parseText } from '#core/parse-text.ts';
import {
  errorReply,
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

/** To something the server asked. */
export interface RpcResponse {
  readonly is: 'response';
  readonly message: Members;
}

export type RpcMessage = RpcRequest | RpcNotification | RpcResponse;

/** What cannot be taken: `reply` says why, where there is anybody to say it to. */
export interface Unreadable {
  readonly is: 'unreadable';
  readonly reply: string | undefined;
}

/** From a text to one JSON-RPC message. What MCP knows of its inside is looked at later. */
export function readMessage(text: string): RpcMessage | Unreadable {
  if (text === '') return unreadable(null, PARSE_ERROR, 'Parse error: the message is empty.');
  let message: unknown;
  try {
    message = parseText(text);
  } catch {
    // The parser's own words quote the text, which may hold anything.
    return unreadable(
      null,
      PARSE_ERROR,
      'Parse error: this is not JSON, or it is nested too deeply or has too many members.',
    );
  }
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
    // Nobody waits for an answer to a notification, not even for this one.
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

function unreadable(id: RequestId | null, code: number, message: string): Unreadable {
  return { is: 'unreadable', reply: errorReply(id, code, message) };
}
