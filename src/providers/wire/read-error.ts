import { CallError, type ErrorFacts } from '#core/call-error.ts';
import type { Clock } from '#core/clock.ts';
import type { ErrorClass } from '#core/error-class.ts';
import { isUrl } from '#core/is-url.ts';
import { fix, type Fix } from '#core/messages/fixes.ts';
import type { ProviderId } from '#core/provider.ts';
import type { Secret } from '#core/secret.ts';
import { asObject, asText, parseJson, type Unknown } from './json-read.ts';
import { readRetryAfter } from './retry-after.ts';
import { saidInJson } from './said-in-json.ts';
import { vendorWords } from './vendor-words.ts';

/** A refusal as it came, whatever its shape was. */
export interface VendorError {
  /** 0 when it came inside an answer and named no status. */
  readonly status: number;
  readonly code: string;
  readonly type: string;
  readonly message: string;
  /** The object that held them, for what only this vendor says. */
  readonly body: Unknown;
}

/** What a vendor's own codes mean. What it leaves out follows from the status. */
export interface Judgement extends Pick<
  ErrorFacts,
  'fix' | 'fixes' | 'retryAfterMs' | 'contextTokens' | 'dueTo'
> {
  readonly class?: ErrorClass;
  /** In place of the vendor's words. */
  readonly message?: string;
}

export interface ErrorReader {
  readonly provider: ProviderId;
  readonly title: string;
  readonly key: Secret;
  readonly clock: Pick<Clock, 'now'>;
  /** `model` is the one that was asked, for messages that name it. */
  readonly classify: (error: VendorError, model: string | undefined) => Judgement | undefined;
}

/** Nested, flat, a bare text, HTML or nothing: what a refusal says. */
export function readVendorError(status: number, text: string): VendorError {
  return vendorErrorOf(status, parseJson(text) ?? text);
}

/** Of a parsed body, or of an event inside a stream. */
export function vendorErrorOf(status: number, parsed: unknown): VendorError {
  const whole = asObject(parsed);
  const inner = whole?.['error'] ?? parsed;
  const body = asObject(inner) ?? {};
  const code = body['code'] ?? '';
  const message = saidInJson(typeof inner === 'string' ? inner : (asText(body['message']) ?? ''));
  const named = Number(code);
  return {
    status: status === 200 && named >= 400 && named < 600 ? named : status === 200 ? 0 : status,
    code: typeof code === 'string' || typeof code === 'number' ? String(code).slice(0, 64) : '',
    type: (asText(body['type']) ?? '').slice(0, 64),
    message,
    body,
  };
}

export function toCallError(
  error: VendorError,
  headers: Readonly<Record<string, string>>,
  model: string | undefined,
  { provider, title, key, clock, classify }: ErrorReader,
): CallError {
  const judged = redirected(error, headers, title) ?? classify(error, model) ?? {};
  const errorClass = judged.class ?? byWords(error) ?? byStatus(error.status);
  const said = vendorWords(error.message, key);
  const name = error.type || error.code;
  const mark = [error.status || '', name === String(error.status) ? '' : name]
    .filter(Boolean)
    .join(' ');
  const message =
    judged.message ??
    `${title} ${DEEDS[errorClass] ?? 'refused the request'}${mark && ` (${mark})`}${said && `: ${said}`}.`;
  const retryAfterMs = judged.retryAfterMs ?? readRetryAfter(headers, error.message, clock);
  const fixes = judged.fixes ?? (judged.fix === undefined ? FIXES[errorClass] : [judged.fix]);
  // A judgement may quote the vendor, too, who may quote the key.
  return new CallError(errorClass, key.scrub(message), {
    provider,
    ...(model !== undefined && { model }),
    ...(fixes !== undefined && {
      fixes: fixes.map((each) => (typeof each === 'string' ? key.scrub(each) : each)),
    }),
    ...(judged.contextTokens !== undefined && { contextTokens: judged.contextTokens }),
    ...(judged.dueTo && { dueTo: judged.dueTo }),
    ...(retryAfterMs !== undefined && { retryAfterMs }),
  });
}

/** What every OpenAI-compatible server calls by one of these names. */
function byWords({ status, type, code, message }: VendorError): ErrorClass | undefined {
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

function byStatus(status: number): ErrorClass {
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

/** Who follows a redirect takes the key along; so nobody does. */
function redirected(
  { status }: VendorError,
  { location = '' }: Readonly<Record<string, string>>,
  title: string,
): Judgement | undefined {
  if (status < 300 || status > 399) return undefined;
  const to = isUrl(location) ? ` to ${new URL(location).host}` : '';
  return {
    class: 'not_configured',
    message: `The address of ${title} sends requests elsewhere${to} (${status}).`,
    fix: 'Set the address where it really is; redirects are not followed, because the key would go along.',
  };
}

const DEEDS: Partial<Record<ErrorClass, string>> = {
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
