import type { CallError } from '#core/call-error.ts';
import type { AttemptFacts } from '../gateway/answer-facts.ts';
import type { Fields } from '../gateway/fields.ts';
import { gatewayMessage, gatewayRenderer } from '../gateway/gateway-sentences.ts';
import { asWritten, type WrittenNames } from '../gateway/written-field.ts';
import { errorRow } from './error-types.ts';

const NAMES: WrittenNames = new Map([
  ['prompt', 'messages'],
  ['max_output_tokens', 'max_tokens'],
  ['maxOutputTokens', 'max_tokens'],
  ['toolChoice', 'tool_choice'],
  ['responseFormat', 'output_config.format'],
  ['stop', 'stop_sequences'],
  ['max_cost_usd', 'exai.max_cost_usd'],
  ['fallback', 'exai.fallback'],
  ['prefer', 'exai.prefer'],
]);
const renderer = gatewayRenderer(NAMES);

/** An error as it stands in a body and in a stream; `type` is for whoever writes it there. */
export function errorBody(
  error: CallError,
  reqId: string,
  attempts: readonly AttemptFacts[] = [],
): Fields {
  const { class: errorClass, provider, model, retryAfterMs } = error;
  const fix = renderer.fixes(error.fixes);
  const field = error.field === undefined ? undefined : asWritten(error.field, NAMES);
  return {
    error: { type: errorRow(error).type, message: wordsOf(error, field) },
    request_id: reqId,
    exai: {
      class: errorClass,
      req_id: reqId,
      ...(field !== undefined && { field }),
      ...(fix !== '' && { fix }),
      ...(provider !== undefined && { provider }),
      ...(model !== undefined && { model }),
      ...(retryAfterMs !== undefined && { retry_after_ms: retryAfterMs }),
      ...(attempts.length > 0 && { attempts }),
    },
  };
}

/** Coding agents shorten their conversation when an error begins with these words, and by nothing else. */
const TOO_LONG = 'prompt is too long: ';

function wordsOf(error: CallError, field?: string) {
  const { class: errorClass, reason, contextTokens } = error;
  const words = gatewayMessage(error, renderer);
  if (errorClass === 'context_length') {
    const most =
      contextTokens === undefined ? '' : `more tokens than the ${contextTokens} maximum. `;
    return `${TOO_LONG}${most}${words}`;
  }
  // Anthropic's errors have no member for the field, so the message has to name it.
  const isNamed = field === undefined || reason?.code === 'invalid_field';
  return isNamed ? words : `${field}: ${words}`;
}
