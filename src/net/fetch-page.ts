import { CallError } from '#core/errors/call-error.ts';
import { codedError } from '#core/errors/coded-error.ts';
import { reason } from '#core/messages/reasons.ts';
import type { AbortSignalLike } from '#core/net/abort.ts';
import { isUrl } from '#core/net/is-url.ts';
import type { CachedPage, PageStore } from '#core/stores/pages.ts';
import type { Clock } from '#core/time/clock.ts';
import { VERSION } from '#core/version.ts';
import type { GuardedHttp } from './create-http.ts';
import { fetchPublic } from './fetch-public.ts';

export interface FetchPageOptions {
  readonly http: GuardedHttp<'public'>;
  readonly pages: PageStore;
  readonly clock: Pick<Clock, 'now'>;
  readonly signal: AbortSignalLike;
  /** Larger pages are refused. */
  readonly maxBytes: number;
}

/** A page with where its bytes come from. */
export interface FetchedPage {
  readonly url: string;
  readonly contentType: string;
  readonly bytes: Uint8Array;
  /** `cache`: not requested again. `confirmed`: the server said that it has not changed. */
  readonly source: 'network' | 'cache' | 'confirmed';
}

/** How long a cached page is used without asking its server. */
const FRESH_MS = 15 * 60_000;
const NOT_MODIFIED = 304;

/**
 * Fetches a page from a public address, by way of the cache: a page that was checked recently is
 * not requested, an older one only transferred if it has changed.
 */
export async function fetchPage(url: string, options: FetchPageOptions): Promise<FetchedPage> {
  const { http, pages, clock, signal, maxBytes } = options;
  const key = cacheKey(url);
  const cached = await pages.get(key);
  // A clock that was set back makes a page old, not fresh forever.
  const ageMs = cached ? clock.now() - cached.checkedAt : Infinity;
  if (cached && ageMs >= 0 && ageMs < FRESH_MS) return fromCache(cached, 'cache');
  const {
    status,
    headers,
    bytes,
    url: finalUrl,
  } = await fetchPublic(http, url, {
    signal,
    maxBytes,
    accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,text/*;q=0.8,*/*;q=0.5',
    headers: { 'user-agent': `exai/${VERSION}`, ...(cached && validators(cached)) },
  });
  if (status === NOT_MODIFIED && cached) {
    await pages.confirm(key, clock.now());
    return fromCache(cached, 'confirmed');
  }
  if (status < 200 || status > 299) throw statusError(status, new URL(finalUrl).host);
  const contentType = headers['content-type'] ?? '';
  if (mayKeep(headers['cache-control'])) {
    const { etag = '', 'last-modified': lastModified = '' } = headers;
    const checkedAt = clock.now();
    await pages.save({ url: key, finalUrl, contentType, etag, lastModified, bytes, checkedAt });
  }
  return { url: finalUrl, contentType, bytes, source: 'network' };
}

function fromCache(
  { finalUrl, contentType, bytes }: CachedPage,
  source: 'cache' | 'confirmed',
): FetchedPage {
  return { url: finalUrl, contentType, bytes, source };
}

/** One key for all spellings of an address; an address that is none is refused later. */
function cacheKey(url: string): string {
  return isUrl(url) ? (new URL(url).href.split('#', 1)[0] ?? url) : url;
}

function validators({ etag, lastModified }: CachedPage): Record<string, string> {
  return {
    ...(etag !== '' && { 'if-none-match': etag }),
    ...(lastModified !== '' && { 'if-modified-since': lastModified }),
  };
}

function mayKeep(cacheControl = ''): boolean {
  return !/\b(?:no-store|private)\b/i.test(cacheControl);
}

function statusError(status: number, host: string): CallError {
  if (status === 404 || status === 410) {
    return new CallError('not_found', `${host} has no page at this address (HTTP ${status}).`, {
      field: 'url',
    });
  }
  if (status === 429) {
    return new CallError('rate_limit', `${host} limits requests (HTTP 429).`, { field: 'url' });
  }
  if (status === 401 || status === 403) {
    return codedError('permission', reason('page_refused', { host, status }), {
      field: 'url',
      fix: 'Open the page in a browser, save it, and read the file.',
    });
  }
  return new CallError('bad_response', `${host} answered with HTTP ${status}.`, { field: 'url' });
}
