import type { ErrorClass } from '#core/errors/error-class.ts';
import { fix, type Fix } from '#core/messages/fixes.ts';
import { asCount, asObject, asText } from '../openai-compatible/response/json.ts';
import type { ErrorClassification, VendorError } from '../openai-compatible/errors/vendor-error.ts';

export const OPENROUTER_KEY_FIXES: readonly (Fix | string)[] = [
  fix('add_key', { provider: 'openrouter' }),
  fix('set_setting', { setting: 'OPENROUTER_API_KEY' }),
  'Get one at https://openrouter.ai/keys.',
];

/** Classes by `metadata.error_type`, where it says more than the status. */
const TYPES: Readonly<Record<string, ErrorClass>> = {
  authentication: 'auth',
  permission_denied: 'auth',
  payment_required: 'billing',
  rate_limit_exceeded: 'rate_limit',
  provider_overloaded: 'overloaded',
  timeout: 'timeout',
  invalid_request: 'bad_request',
  invalid_prompt: 'bad_request',
  precondition_failed: 'bad_request',
  unprocessable: 'bad_request',
  not_found: 'not_found',
  payload_too_large: 'too_large',
  string_too_long: 'too_large',
  context_length_exceeded: 'context_length',
  content_policy_violation: 'content_filter',
  refusal: 'content_filter',
  server: 'provider_error',
};

/** Only the beginning of a message is matched. */
const MAX_MESSAGE_CHARS = 4_000;

export function classifyOpenRouter(error: VendorError): ErrorClassification | undefined {
  const { status, body } = error;
  const message = error.message.slice(0, MAX_MESSAGE_CHARS);
  const metadata = asObject(body['metadata']) ?? {};
  // Requests in flight use up the credit: a temporary state, unlike any other 402.
  if (status === 402 && metadata['limit_source'] === 'openrouter_in_flight_budget')
    return { class: 'rate_limit' };
  const type = asText(metadata['error_type']) ?? '';
  const named = Object.hasOwn(TYPES, type) ? TYPES[type] : undefined;
  const errorClass = named ?? classByStatus(status, message);
  if (errorClass === 'auth') return { class: 'auth', fixes: OPENROUTER_KEY_FIXES };
  if (errorClass === 'billing') {
    const topUp = 'Add credit at https://openrouter.ai/settings/credits.';
    // There is credit for shorter answers, so other requests may still work.
    const isForLess = /fewer max_tokens|can only afford/i.test(message);
    return { class: 'billing', fix: topUp, ...(isForLess && { dueTo: 'request' }) };
  }
  if (errorClass === 'not_found') return notFound(message);
  if (errorClass !== 'context_length') return errorClass && { class: errorClass };
  const contextTokens = asCount(/maximum context length is (\d+)/i.exec(message)?.[1]);
  return { class: 'context_length', ...(contextTokens && { contextTokens }) };
}

function classByStatus(status: number, message: string): ErrorClass | undefined {
  if (status === 401) return 'auth';
  if (status === 402) return 'billing';
  // 403 is the spending limit of a key, or moderation.
  if (status === 403) return /\blimit\b/i.test(message) ? 'quota' : 'content_filter';
  if (status === 404) return 'not_found';
  if (status === 400 && /not a valid model id/i.test(message)) return 'not_found';
  if (status === 400 && /context (?:length|window|size)/i.test(message)) return 'context_length';
  return undefined;
}

/** No endpoint of the model supports the request, or the settings exclude all of them. */
function notFound(message: string): ErrorClassification {
  if (/data polic|privacy|data_collection|zdr/i.test(message)) {
    return {
      class: 'not_configured',
      message: 'No provider at OpenRouter serves this model without storing prompts.',
      fixes: [
        fix('use_other_model'),
        fix('set_setting', { setting: 'providers.openrouter.dataCollection', value: 'allow' }),
      ],
    };
  }
  const lacks = /no endpoints found that support (tool use|image input|[\w ]{1,40})/i.exec(message);
  if (lacks) {
    return {
      class: 'validation',
      message: `No provider at OpenRouter serves this model with ${lacks[1]}.`,
      fixes: [fix('use_other_model'), fix('set_argument', { argument: 'model', value: 'auto' })],
    };
  }
  return { class: 'not_found', fixes: [fix('refresh_models')] };
}
