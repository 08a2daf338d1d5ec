import { promisify } from 'node:util';
import { brotliDecompress, gunzip, inflate } from 'node:zlib';
import { CallError } from '#core/errors/call-error.ts';
import type { AbortSignalLike } from '#core/net/abort.ts';
import type { HttpResponse } from '#core/net/http.ts';
import { isUrl } from '#core/net/is-url.ts';
import type { GuardedHttp } from './create-http.ts';
import { readBytes } from './read-bytes.ts';
import { checkUrl } from './ssrf/check-url.ts';

export interface FetchOptions {
  readonly signal: AbortSignalLike;
  readonly maxBytes: number;
  /** Default 5. */
  readonly maxRedirects?: number;
  /** Media types, as in the header of that name. */
  readonly accept?: string;
  /** Names in lower case. Only harmless headers are sent to another origin than the first. */
  readonly headers?: Readonly<Record<string, string>>;
}

interface Fetched {
  /** The final URL, after redirects. */
  readonly url: string;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly bytes: Uint8Array;
}

const MAX_REDIRECTS = 5;
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);
/** Headers that any site may see. Any other may contain a key. */
const HARMLESS: ReadonlySet<string> = new Set([
  'accept',
  'accept-language',
  'accept-encoding',
  'user-agent',
]);

/**
 * Fetches an untrusted URL, from public addresses only. Every redirect is checked like the first
 * address.
 */
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

/** Refuses a redirect from https:// to http:// inside a private network. */
function refuseUnsafe(from: URL, to: URL, allowPrivate: readonly string[], hop: number): void {
  if (from.protocol !== 'https:' || to.protocol !== 'http:') return;
  if (checkUrl(to, { allowPrivate }).verdict !== 'allowed') return;
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
    bytes: await decodeContent(bytes, headers['content-encoding'], { maxBytes, host: at.host }),
  };
}

/** Closes the body of a redirect, and with it the connection. */
async function discard({ body }: HttpResponse): Promise<void> {
  await body[Symbol.asyncIterator]().return?.();
}

function withoutFragment(url: URL): string {
  return url.hash === '' ? url.href : url.href.slice(0, -url.hash.length);
}

/** Adds the redirect to the message of a failure, because the caller did not name that host. */
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

const DECODERS = {
  gzip: promisify(gunzip),
  'x-gzip': promisify(gunzip),
  deflate: promisify(inflate),
  br: promisify(brotliDecompress),
};

/**
 * Decompresses the body of a server that compresses although `identity` was requested. Output
 * beyond the limit is refused.
 */
async function decodeContent(
  bytes: Uint8Array,
  encoding: string | undefined,
  { maxBytes, host }: { readonly maxBytes: number; readonly host: string },
): Promise<Uint8Array> {
  const name = encoding?.trim().toLowerCase() ?? '';
  if (name === '' || name === 'identity' || bytes.length === 0) return bytes;
  if (!isKnown(name)) {
    throw new CallError('bad_response', `${host} compresses in a way that was not asked for.`);
  }
  try {
    return await DECODERS[name](bytes, { maxOutputLength: maxBytes });
  } catch (error) {
    if (error instanceof RangeError) {
      throw new CallError('too_large', `${host} answers with more than ${maxBytes} bytes.`);
    }
    throw new CallError('bad_response', `What ${host} compressed cannot be read.`, {
      cause: error,
    });
  }
}

function isKnown(name: string): name is keyof typeof DECODERS {
  return Object.hasOwn(DECODERS, name);
}
