import type { ErrorClass } from '#core/error-class.ts';
import { fix, type Fix } from '#core/messages/fixes.ts';
import { asCount, asObject, asText } from '../wire/json-read.ts';
import type { Judgement, VendorError } from '../wire/read-error.ts';

export const KEY_FIXES: readonly (Fix | string)[] = [
  fix('add_key', { provider: 'openrouter' }),
  fix('set_setting', { setting: 'OPENROUTER_API_KEY' }),
  'Get one at https://openrouter.ai/keys.',
];

/** `metadata.error_type`. Those that say no more than the status are left to the status. */
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

/** What matters is said in the first sentences. */
const MAX_MESSAGE_CHARS = 4_000;

export function classifyOpenRouter(error: VendorError): Judgement | undefined {
  const { status, body } = error;
  const message = error.message.slice(0, MAX_MESSAGE_CHARS);
  const metadata = asObject(body['metadata']) ?? {};
  // Too much is under way for what is left: over by itself soon, unlike every other 402.
  if (status === 402 && metadata['limit_source'] === 'openrouter_in_flight_budget')
    return { class: 'rate_limit' };
  const type = asText(metadata['error_type']) ?? '';
  const named = Object.hasOwn(TYPES, type) ? TYPES[type] : undefined;
  const judged = named ?? byStatus(status, message);
  if (judged === 'auth') return { class: 'auth', fixes: KEY_FIXES };
  if (judged === 'billing') {
    const topUp = 'Add credit at https://openrouter.ai/settings/credits.';
    // There is credit for shorter answers: others may still ask.
    const isForLess = /fewer max_tokens|can only afford/i.test(message);
    return { class: 'billing', fix: topUp, ...(isForLess && { dueTo: 'request' }) };
  }
  if (judged === 'not_found') return notFound(message);
  if (judged !== 'context_length') return judged && { class: judged };
  const contextTokens = asCount(/maximum context length is (\d+)/i.exec(message)?.[1]);
  return { class: 'context_length', ...(contextTokens && { contextTokens }) };
}

function byStatus(status: number, message: string): ErrorClass | undefined {
  if (status === 401) return 'auth';
  if (status === 402) return 'billing';
  // A key's own spending limit is told as 403, too; everything else there is moderation.
  if (status === 403) return /\blimit\b/i.test(message) ? 'quota' : 'content_filter';
  if (status === 404) return 'not_found';
  if (status === 400 && /not a valid model id/i.test(message)) return 'not_found';
  if (status === 400 && /context (?:length|window|size)/i.test(message)) return 'context_length';
  return undefined;
}

/** Nobody who serves the model does what was asked, or is allowed to by the settings. */
function notFound(message: string): Judgement {
  if (/data polic|privacy|data_collection|zdr/i.test(message)) {
    return {
      class: 'not_configured',
      message: 'At OpenRouter nobody serves this model without keeping what is sent.',
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
      message: `At OpenRouter nobody serves this model with ${lacks[1]}.`,
      fixes: [fix('use_other_model'), fix('set_argument', { argument: 'model', value: 'auto' })],
    };
  }
  return { class: 'not_found', fixes: [fix('refresh_models')] };
}
