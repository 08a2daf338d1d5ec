import { CallError } from '#core/call-error.ts';
import type { Cancel, HttpResponse } from '#core/http.ts';
import { isUrl } from '#core/is-url.ts';
import type { GuardedHttp } from './create-http.ts';
import { decoded } from './decode-content.ts';
import { judgeUrl } from './guard/judge-url.ts';
import { readBytes } from './read-text.ts';

export interface FetchOptions {
  readonly signal: Cancel;
  readonly maxBytes: number;
  /** 5 unless told. */
  readonly maxRedirects?: number;
  /** Media types, as in the header of that name. */
  readonly accept?: string;
  /** Names in lower case; only sent to the origin of the first address, the harmless ones apart. */
  readonly headers?: Readonly<Record<string, string>>;
}

export interface Fetched {
  /** Where it came from in the end. */
  readonly url: string;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly bytes: Uint8Array;
}

const MAX_REDIRECTS = 5;
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);
/** What any site may see. Everything else may be a key. */
const HARMLESS: ReadonlySet<string> = new Set([
  'accept',
  'accept-language',
  'accept-encoding',
  'user-agent',
]);

/** Gets what a URL from outside leads to, each redirect judged like the first address. */
export async function fetchPublic(
  http: GuardedHttp<'public'>,
  url: string,
  options: FetchOptions,
): Promise<Fetched> {
  const { signal, maxBytes, maxRedirects = MAX_REDIRECTS } = options;
  let headers = firstHeaders(options);
  let at = readUrl(url);
  const seen = new Set<string>();
  for (let hop = 0; ; hop += 1) {
    seen.add(at.href);
    const response = await hopFailsAs(hop, () =>
      http.send({ method: 'GET', url: withoutFragment(at), headers, signal }),
    );
    const { location } = response.headers;
    if (!REDIRECTS.has(response.status) || location === undefined) {
      return await hopFailsAs(hop, () => take(response, at, maxBytes));
    }
    await discard(response);
    const next = follow(at, location, hop + 1);
    if (hop >= maxRedirects) {
      throw new CallError('bad_response', `${at.host} redirects once more after ${hop} redirects.`);
    }
    if (seen.has(next.href)) {
      throw new CallError('bad_response', `${at.host} redirects in a circle, to ${next.host}.`);
    }
    refuseUnsafe(at, next, http.allowPrivate, hop + 1);
    if (next.origin !== at.origin) headers = harmless(headers);
    at = next;
  }
}

function firstHeaders({ accept, headers }: FetchOptions): Record<string, string> {
  return { 'accept-encoding': 'identity', accept: accept ?? '*/*', ...headers };
}

function harmless(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => HARMLESS.has(name)));
}

function readUrl(url: string): URL {
  if (isUrl(url)) return new URL(url);
  throw new CallError('validation', 'The address is not a URL.', {
    fix: 'Give a whole address that begins with https://.',
  });
}

function follow(from: URL, location: string, hop: number): URL {
  if (!isUrl(location, from.href)) {
    throw new CallError('bad_response', `Redirect ${hop}, by ${from.host}, leads to no address.`);
  }
  return new URL(location, from.href);
}

/** What came encrypted does not go on in the clear inside a private network. */
function refuseUnsafe(from: URL, to: URL, allowPrivate: readonly string[], hop: number): void {
  if (from.protocol !== 'https:' || to.protocol !== 'http:') return;
  if (judgeUrl(to, { allowPrivate }).verdict !== 'allowed') return;
  throw new CallError(
    'permission',
    `Redirect ${hop}, by ${from.host}, leads from https:// to http:// in a private network.`,
  );
}

async function take(response: HttpResponse, at: URL, maxBytes: number): Promise<Fetched> {
  const { status, headers } = response;
  const bytes = await readBytes(response.body, maxBytes, at.host);
  return {
    url: at.href,
    status,
    headers,
    bytes: await decoded(bytes, headers['content-encoding'], { maxBytes, host: at.host }),
  };
}

/** The page of a redirect is of no use; its connection goes with it. */
async function discard({ body }: HttpResponse): Promise<void> {
  await body[Symbol.asyncIterator]().return?.();
}

function withoutFragment(url: URL): string {
  return url.hash === '' ? url.href : url.href.slice(0, -url.hash.length);
}

/** A failure behind a redirect says so: the caller did not ask for that host. */
async function hopFailsAs<T>(hop: number, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (hop === 0 || !(error instanceof CallError)) throw error;
    const { class: errorClass, message, fixes } = error;
    throw new CallError(errorClass, `Redirect ${hop} cannot be followed. ${message}`, {
      fixes,
      cause: error,
    });
  }
}
