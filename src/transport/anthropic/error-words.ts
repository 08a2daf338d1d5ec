import type { CallError } from '#core/call-error.ts';
import type { Attempt } from '#core/envelope.schema.ts';
import type { ErrorClass } from '#core/error-class.ts';
import { ERROR_TYPES, type ErrorRow } from './error-types.ts';

/** Of a vendor these are about our key, and a client would have its user log in with it. */
const ABOUT_KEYS: ReadonlySet<ErrorClass> = new Set<ErrorClass>(['auth', 'permission']);
const OURS: ErrorRow = { status: 502, type: 'api_error' };

export function errorRow({ class: errorClass, provider }: CallError): ErrorRow {
  const isOurs = provider !== undefined && ABOUT_KEYS.has(errorClass);
  return isOurs ? OURS : ERROR_TYPES[errorClass];
}

/** An error as it stands in a body and in a stream; `type` is for whoever writes it there. */
export function writeError(
  error: CallError,
  reqId: string,
  attempts: readonly Attempt[] = [],
): Readonly<Record<string, unknown>> {
  const { provider, model, field, fix, retryAfterMs } = error;
  return {
    error: { type: errorRow(error).type, message: wordsOf(error) },
    request_id: reqId,
    exai: {
      class: error.class,
      req_id: reqId,
      ...(field !== undefined && { field: asWritten(field) }),
      ...(fix !== undefined && { fix }),
      ...(provider !== undefined && { provider }),
      ...(model !== undefined && { model }),
      ...(retryAfterMs !== undefined && { retry_after_ms: retryAfterMs }),
      ...(attempts.length > 0 && {
        attempts: attempts.map((each) => ({
          attempt: each.attempt,
          provider: each.provider,
          model: each.model,
          outcome: each.outcome,
          elapsed_ms: each.elapsed_ms,
        })),
      }),
    },
  };
}

/** Coding agents shorten their conversation when an error begins with these words, and by nothing else. */
const TOO_LONG = 'prompt is too long: ';

function wordsOf({ class: errorClass, message, field, fix, contextTokens }: CallError): string {
  const words = fix === undefined ? message : `${message} ${fix}`;
  if (errorClass === 'context_length') {
    const most =
      contextTokens === undefined ? '' : `more tokens than the ${contextTokens} maximum. `;
    return `${TOO_LONG}${most}${words}`;
  }
  return field === undefined ? words : `${asWritten(field)}: ${words}`;
}

/** Whoever looks at a request further in knows its members by our names. */
const NAMES: ReadonlyMap<string, string> = new Map([
  ['prompt', 'messages'],
  ['max_output_tokens', 'max_tokens'],
  ['maxOutputTokens', 'max_tokens'],
  ['toolChoice', 'tool_choice'],
  ['stop', 'stop_sequences'],
  ['max_cost_usd', 'exai.max_cost_usd'],
]);

function asWritten(field: string): string {
  return NAMES.get(field) ?? field;
}
