import { CallError } from '#core/call-error.ts';
import type { HttpResponse } from '#core/http.ts';
import { fix } from '#core/messages/fixes.ts';
import { readErrorBody } from './read-error-body.ts';
import { readVendorError, toCallError } from './read-error.ts';
import type { WireOptions } from './wire-options.ts';

export function headersOf(
  options: WireOptions,
  ...more: readonly (Readonly<Record<string, string>> | undefined)[]
): Record<string, string> {
  refuseWithoutKey(options);
  const { key, headers } = options;
  const all: Record<string, string> = { accept: 'application/json' };
  add(headers, all);
  for (const each of more) if (each) add(each, all);
  // Some servers refuse an empty token and take none.
  if (key.isSet) all['authorization'] = `Bearer ${key.reveal()}`;
  return all;
}

export function refuseWithoutKey({ key, keyNeeded, title, provider }: WireOptions): void {
  if (key.isSet || keyNeeded === 'no') return;
  throw new CallError('not_configured', `${title} has no key yet.`, {
    provider,
    fixes: keyNeeded.fixes,
  });
}

/** Faster than spreading, and done for every request. */
function add(from: Readonly<Record<string, string>>, to: Record<string, string>): void {
  for (const name in from) {
    const value = from[name];
    if (value !== undefined) to[name] = value;
  }
}

export function urlOf(baseUrl: string, path: string): string {
  if (/^https?:/.test(path)) return path;
  return `${baseUrl.replace(/\/+$/, '')}${path}`;
}

/** Where every chat goes. */
export function chatUrl({ baseUrl }: Pick<WireOptions, 'baseUrl'>): string {
  return urlOf(baseUrl, '/chat/completions');
}

/** Throws what the vendor refused with. */
export async function refuseFailure(
  response: HttpResponse,
  model: string | undefined,
  options: WireOptions,
): Promise<void> {
  if (response.status >= 200 && response.status < 300) return;
  const text = await readErrorBody(response.body, options.clock);
  throw toCallError(readVendorError(response.status, text), response.headers, model, options);
}

/** The error with the provider's name on it; the caller's own cancel is nobody's. */
export function named(
  thrown: unknown,
  model: string | undefined,
  { provider }: Pick<WireOptions, 'provider'>,
): CallError {
  const error = CallError.from(thrown);
  if (error.class === 'cancelled') return error;
  return CallError.from(error, { provider, ...(model !== undefined && { model }) });
}

/** A connection that failed, with the vendor's name on it: the host alone tells people little. */
export function unreached(thrown: unknown, { title }: Pick<WireOptions, 'title'>): CallError {
  const error = CallError.from(thrown);
  if (error.class !== 'network') return error;
  const fixes = error.fixes.length > 0 ? error.fixes : [fix('retry'), fix('check_network')];
  const message = `${title} did not answer: ${error.message}`;
  return new CallError('network', message, { ...error.facts(), fixes, cause: error });
}
