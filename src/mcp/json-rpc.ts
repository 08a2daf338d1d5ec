import type { CallError } from '#core/errors/call-error.ts';

/** A parsed JSON object with unvalidated members. */
export type Members = Readonly<Record<string, unknown>>;

export type RequestId = string | number;

export const PARSE_ERROR = -32700;
export const INVALID_REQUEST = -32600;
export const METHOD_NOT_FOUND = -32601;
export const INVALID_PARAMS = -32602;
export const INTERNAL_ERROR = -32603;
/** A transport error, such as a missing header. */
export const BAD_TRANSPORT = -32000;
export const SESSION_NOT_FOUND = -32001;
export const HEADER_MISMATCH = -32020;
/** Used before 2026-07-28. */
export const RESOURCE_NOT_FOUND = -32002;

// The id is part of every message about its request, so it must be short.
const MAX_ID_CHARS = 1024;

export function isObject(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Whether the value is a valid request id or progress token. */
export function isRequestId(value: unknown): value is RequestId {
  if (typeof value === 'string') return value.length <= MAX_ID_CHARS;
  // A larger integer would not be returned exactly; 1e999 is parsed as infinity.
  return typeof value === 'number' && (Number.isSafeInteger(value) || isFraction(value));
}

function isFraction(value: number): boolean {
  return Number.isFinite(value) && !Number.isInteger(value);
}

/** A JSON-RPC error, with its HTTP status. */
export interface RpcError {
  readonly code: number;
  readonly message: string;
  readonly data?: object;
  readonly status?: number;
}

/** An error response. `id` is null if the message has no valid one. */
export function rpcErrorResponse(
  id: RequestId | null,
  code: number,
  message: string,
  data?: unknown,
): string {
  const error = data === undefined ? { code, message } : { code, message, data };
  return JSON.stringify({ jsonrpc: '2.0', id, error });
}

/** A response around a result that is JSON already. */
export function rpcResultResponse(id: RequestId, resultJson: string): string {
  const idJson = typeof id === 'number' ? String(id) : JSON.stringify(id);
  return `{"jsonrpc":"2.0","id":${idJson},"result":${resultJson}}`;
}

/** The error response to an unreadable line, whose request id is unknown. */
export function unidentifiedErrorResponse(error: CallError): string {
  const { message } = error;
  const data = { error_class: error.class };
  return JSON.stringify({
    jsonrpc: '2.0',
    id: null,
    error: { code: error.policy.rpcCode, message, data },
  });
}
