import { CallError, type ErrorFacts } from '#core/errors/call-error.ts';
import type { ErrorClass } from '#core/errors/error-class.ts';
import type { ProviderId } from '#core/llm/provider.ts';
import { fix, type Fix } from '#core/messages/fixes.ts';
import { baseRenderer } from '#core/messages/render.ts';
import { asSentence } from '#core/messages/sentence.ts';
import { isUrl } from '#core/net/is-url.ts';
import type { Secret } from '#core/secrets/secret.ts';
import type { Clock } from '#core/time/clock.ts';
import { asObject, asText, parseJson, type Unknown } from '../response/json.ts';
import { readRetryAfter } from './retry-after.ts';
import { messageInJson, vendorErrorText } from './vendor-error-text.ts';

/** An error of a vendor, in any of its shapes. */
export interface VendorError {
  /** 0 for an error inside a successful response that names no status. */
  readonly status: number;
  readonly code: string;
  readonly type: string;
  readonly message: string;
  /** The error object, for vendor-specific fields. */
  readonly body: Unknown;
}

/** The meaning of a vendor's error. Missing fields follow from the status. */
export interface ErrorClassification extends Pick<
  ErrorFacts,
  'fix' | 'fixes' | 'retryAfterMs' | 'contextTokens' | 'dueTo' | 'reason'
> {
  readonly class?: ErrorClass;
  /** Replaces the vendor's message, as `reason` does. */
  readonly message?: string;
}

export interface ErrorReader {
  readonly provider: ProviderId;
  readonly title: string;
  readonly key: Secret;
  readonly clock: Pick<Clock, 'now'>;
  /** `model` is the requested model, for messages. */
  readonly classify: (
    error: VendorError,
    model: string | undefined,
  ) => ErrorClassification | undefined;
}

/** Reads the body of an error response: nested or flat JSON, text, HTML or nothing. */
export function readVendorError(status: number, text: string): VendorError {
  return vendorErrorOf(status, parseJson(text) ?? text);
}

/** Reads an error from a parsed body or from an event of a stream. */
export function vendorErrorOf(status: number, parsed: unknown): VendorError {
  const whole = asObject(parsed);
  const inner = whole?.['error'] ?? parsed;
  const body = asObject(inner) ?? {};
  const code = body['code'] ?? '';
  const message = messageInJson(
    typeof inner === 'string' ? inner : (asText(body['message']) ?? ''),
  );
  const named = Number(code);
  return {
    status: status === 200 && named >= 400 && named < 600 ? named : status === 200 ? 0 : status,
    code: typeof code === 'string' || typeof code === 'number' ? String(code).slice(0, 64) : '',
    type: (asText(body['type']) ?? '').slice(0, 64),
    message,
    body,
  };
}

export function toVendorCallError(
  error: VendorError,
  headers: Readonly<Record<string, string>>,
  model: string | undefined,
  { provider, title, key, clock, classify }: ErrorReader,
): CallError {
  const classification = classifyRedirect(error, headers, title) ?? classify(error, model) ?? {};
  const errorClass = classification.class ?? classByName(error) ?? classByStatus(error.status);
  const vendorText = vendorErrorText(error.message, key);
  const name = error.type || error.code;
  const mark = [error.status || '', name === String(error.status) ? '' : name]
    .filter(Boolean)
    .join(' ');
  const { reason } = classification;
  const message =
    classification.message ??
    (reason && asSentence(baseRenderer.reason(reason))) ??
    `${title} ${PHRASES[errorClass] ?? 'refused the request'}${mark && ` (${mark})`}${vendorText && `: ${vendorText}`}.`;
  const retryAfterMs = classification.retryAfterMs ?? readRetryAfter(headers, error.message, clock);
  const fixes =
    classification.fixes ??
    (classification.fix === undefined ? FIXES[errorClass] : [classification.fix]);
  // The message may quote the vendor, who may quote the key.
  return new CallError(errorClass, key.scrub(message), {
    provider,
    ...(reason && { reason }),
    ...(model !== undefined && { model }),
    ...(vendorText !== '' && { vendorText }),
    ...(fixes !== undefined && {
      fixes: fixes.map((each) => (typeof each === 'string' ? key.scrub(each) : each)),
    }),
    ...(classification.contextTokens !== undefined && {
      contextTokens: classification.contextTokens,
    }),
    ...(classification.dueTo && { dueTo: classification.dueTo }),
    ...(retryAfterMs !== undefined && { retryAfterMs }),
  });
}

/** Classifies by names that all OpenAI-compatible servers use. */
function classByName({ status, type, code, message }: VendorError): ErrorClass | undefined {
  const names = `${type} ${code}`;
  if (/context_length|exceed_context_size/.test(names)) return 'context_length';
  if (/content_filter|content_policy/.test(names)) return 'content_filter';
  if (/insufficient_quota|exceeded_current_quota/.test(names)) return 'quota';
  if (status !== 0 && status !== 400 && status !== 413 && status !== 422) return undefined;
  if (
    /(?:maximum|exceeds?) (?:the )?(?:available )?context|context (?:length|window|size)/i.test(
      message,
    )
  )
    return 'context_length';
  return undefined;
}

function classByStatus(status: number): ErrorClass {
  switch (status) {
    case 401:
    case 403:
      return 'auth';
    case 402:
      return 'billing';
    case 404:
    case 410:
      return 'not_found';
    case 408:
    case 504:
      return 'timeout';
    case 413:
      return 'too_large';
    case 429:
      return 'rate_limit';
    case 499:
      return 'network';
    case 503:
    case 529:
      return 'overloaded';
    default:
      return status >= 400 && status < 500 ? 'bad_request' : 'provider_error';
  }
}

const FIXES: Partial<Record<ErrorClass, readonly (Fix | string)[]>> = {
  context_length: [fix('send_less'), fix('use_other_model'), fix('list_models')],
};

/** An error for redirects: they are not followed, because the key would be sent along. */
function classifyRedirect(
  { status }: VendorError,
  { location = '' }: Readonly<Record<string, string>>,
  title: string,
): ErrorClassification | undefined {
  if (status < 300 || status > 399) return undefined;
  const to = isUrl(location) ? ` to ${new URL(location).host}` : '';
  return {
    class: 'not_configured',
    message: `${title} sends requests elsewhere${to} (${status}).`,
    fix: 'Set the address where it really is; redirects are not followed, because the key would go along.',
  };
}

const PHRASES: Partial<Record<ErrorClass, string>> = {
  auth: 'does not accept the key',
  rate_limit: 'asks to slow down',
  quota: 'says that the allowance is used up',
  billing: 'wants payment',
  overloaded: 'is overloaded',
  timeout: 'took too long',
  not_found: 'does not know what was asked for',
  context_length: 'has no room for a prompt of this length',
  content_filter: 'refused the content',
  provider_error: 'failed',
  network: 'failed',
};

/** For input that this model does not support. */
export const OTHER_MODEL_FIXES: readonly Fix[] = [
  fix('use_other_model'),
  fix('set_argument', { argument: 'model', value: 'auto' }),
  fix('list_models'),
];

/**
 * The error for input that this vendor or model does not support but others may. The router tries
 * the next candidate.
 */
export function unsupportedInput(
  field: string,
  message: string,
  help: string | readonly Fix[],
): CallError {
  return new CallError('bad_request', message, {
    field,
    fixes: typeof help === 'string' ? [help] : help,
  });
}
