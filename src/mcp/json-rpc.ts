/** The members of a JSON object, of which nothing is known yet. */
export type Members = Readonly<Record<string, unknown>>;

export type RequestId = string | number;

export const PARSE_ERROR = -32700;
export const INVALID_REQUEST = -32600;
export const METHOD_NOT_FOUND = -32601;
export const INVALID_PARAMS = -32602;
export const INTERNAL_ERROR = -32603;
/** The transport's own word for what is wrong with a request, apart from its JSON. */
export const BAD_TRANSPORT = -32000;
export const SESSION_NOT_FOUND = -32001;
export const HEADER_MISMATCH = -32020;
/** Of the eras before 2026-07-28. */
export const RESOURCE_NOT_FOUND = -32002;

// An id comes back with every word about its request; a huge one would make each of them huge.
const MAX_ID_CHARS = 1024;

export function isObject(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Ids and progress tokens alike. */
export function isRequestId(value: unknown): value is RequestId {
  if (typeof value === 'string') return value.length <= MAX_ID_CHARS;
  // Of a whole number that is too large to be held exactly another would be given back; 1e999 is read as infinity.
  return typeof value === 'number' && (Number.isSafeInteger(value) || isFraction(value));
}

function isFraction(value: number): boolean {
  return Number.isFinite(value) && !Number.isInteger(value);
}

/** Why there is no result. */
export interface RpcError {
  readonly code: number;
  readonly message: string;
  readonly data?: object;
  /** HTTP's word for it. */
  readonly status?: number;
}

/** `id` is null when the message has none that could be given back. */
export function errorReply(
  id: RequestId | null,
  code: number,
  message: string,
  data?: unknown,
): string {
  const error = data === undefined ? { code, message } : { code, message, data };
  return JSON.stringify({ jsonrpc: '2.0', id, error });
}

/** Around a result that is JSON already. */
export function resultReply(id: RequestId, resultJson: string): string {
  const idJson = typeof id === 'number' ? String(id) : JSON.stringify(id);
  return `{"jsonrpc":"2.0","id":${idJson},"result":${resultJson}}`;
}
