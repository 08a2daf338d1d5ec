/**
 * What to do about a failure: one row per class, used by transports, manager, breakers and the
 * command line.
 */
export interface ErrorPolicy {
  /** HTTP status. */
  readonly status: number;
  /** JSON-RPC error code; MCP reserves −32020 to −32099, so ours lie outside. */
  readonly rpcCode: number;
  /**
   * May the same request succeed if sent again: never, after a short back-off, or not before
   * `retryAfterMs`.
   */
  readonly retry: 'never' | 'backoff' | 'after';
  /** Does the manager try the next provider of the chain when one failed like this? */
  readonly fallback: boolean;
  /** What it means for the breaker of (provider, model) or of the key. */
  readonly breaker: 'ignore' | 'window' | 'open_key' | 'open_until_retry_after';
  /** Exit code of the command line. */
  readonly exit: number;
  /** What happened, in words a user understands. */
  readonly meaning: string;
}

function policy(
  status: number,
  rpcCode: number,
  exit: number,
  retry: ErrorPolicy['retry'],
  fallback: 'fallback' | 'final',
  breaker: ErrorPolicy['breaker'],
  meaning: string,
): ErrorPolicy {
  return { status, rpcCode, exit, retry, fallback: fallback === 'fallback', breaker, meaning };
}

// prettier-ignore
export const ERROR_POLICY = {
  bad_request: policy(400, -32600, 2, 'never', 'fallback', 'ignore', 'The request itself is malformed.'),
  validation: policy(422, -32602, 3, 'never', 'final', 'ignore', 'A value is missing or of the wrong kind; the message names it.'),
  auth: policy(401, -31050, 4, 'never', 'fallback', 'open_key', 'A key or token is missing, wrong or expired.'),
  permission: policy(403, -31051, 5, 'never', 'fallback', 'ignore', 'The caller may not do this, or a file may not be touched.'),
  not_found: policy(404, -31052, 6, 'never', 'fallback', 'ignore', 'No such tool, model, thread, job or file.'),
  conflict: policy(409, -31053, 7, 'never', 'final', 'ignore', 'It clashes with what is already there, such as a running daemon.'),
  too_large: policy(413, -31054, 8, 'never', 'fallback', 'ignore', 'A body, file or frame is over its limit.'),
  context_length: policy(400, -31055, 9, 'never', 'fallback', 'ignore', 'The prompt does not fit the window of the model.'),
  rate_limit: policy(429, -31056, 10, 'after', 'fallback', 'open_until_retry_after', 'The provider asks to slow down.'),
  quota: policy(429, -31057, 11, 'never', 'fallback', 'open_key', 'The allowance of the account is used up.'),
  billing: policy(402, -31058, 12, 'never', 'fallback', 'open_key', 'The provider wants payment.'),
  budget: policy(402, -31059, 13, 'never', 'final', 'ignore', 'One of your spending limits is reached.'),
  overloaded: policy(503, -31060, 14, 'backoff', 'fallback', 'window', 'The provider is over capacity.'),
  timeout: policy(504, -32001, 15, 'backoff', 'fallback', 'window', 'No answer within the deadline.'),
  network: policy(502, -31061, 16, 'backoff', 'fallback', 'window', 'The other side could not be reached, or hung up.'),
  provider_error: policy(502, -31062, 17, 'backoff', 'fallback', 'window', 'The provider failed on its side.'),
  bad_response: policy(502, -31063, 18, 'backoff', 'fallback', 'window', 'The provider answered something unusable.'),
  empty_response: policy(502, -31064, 19, 'backoff', 'fallback', 'window', 'The provider answered without content.'),
  content_filter: policy(422, -31065, 20, 'never', 'fallback', 'ignore', 'The provider refused the content.'),
  cancelled: policy(499, -31066, 130, 'never', 'final', 'ignore', 'The caller cancelled.'),
  interrupted: policy(502, -31067, 21, 'backoff', 'fallback', 'window', 'Cut off after part of the answer, or by a restart.'),
  not_configured: policy(503, -31068, 22, 'never', 'fallback', 'ignore', 'A key or a program is missing; `exai doctor` says which.'),
  over_capacity: policy(503, -31069, 23, 'after', 'fallback', 'ignore', 'EX-AI itself is full: its queue, its connections or the disk.'),
  breaker_open: policy(503, -31070, 24, 'after', 'fallback', 'ignore', 'This provider failed too often and is unavailable for now.'),
  exhausted_fallback_chain: policy(502, -31071, 25, 'backoff', 'final', 'ignore', 'Every provider in the chain was tried.'),
  tool_error: policy(500, -31072, 26, 'never', 'final', 'ignore', 'The tool ran and reported a failure.'),
  internal: policy(500, -32603, 1, 'never', 'fallback', 'ignore', 'A bug in EX-AI, or damage it cannot repair by itself.'),
} as const satisfies Record<string, ErrorPolicy>;

export type ErrorClass = keyof typeof ERROR_POLICY;

export const ERROR_CLASSES = Object.keys(ERROR_POLICY) as readonly ErrorClass[];

export function isErrorClass(text: string): text is ErrorClass {
  return Object.hasOwn(ERROR_POLICY, text);
}
