import { CallError } from '#core/call-error.ts';
import type { Cancel } from '#core/http.ts';
import type { GuardedHttp } from '#net/create-http.ts';
import { fetchPublic } from '#net/fetch-public.ts';
import { judgeUrl } from '#net/guard/judge-url.ts';
import { readTarget } from '#net/target.ts';
import { MEDIA_WORDS, refuseMedia, type InlineSource, type MediaKind } from './media.ts';
import { sniffMedia } from './sniff-media.ts';

const MEGABYTE = 1024 * 1024;
const MAX_BYTES: Record<MediaKind, number> = { image: 10 * MEGABYTE, video: 20 * MEGABYTE };
/** Of all that one request has us fetch. */
const MAX_TOTAL_BYTES = 40 * MEGABYTE;

export interface MediaFetcher {
  /** The bytes that an address leads to; only from public places, and each address once. */
  fetch(url: string, kind: MediaKind, field: string): Promise<InlineSource>;
}

export interface FetchRules {
  readonly http: GuardedHttp<'public'>;
  /** What to do about one that has too many bytes. */
  readonly tooLargeFix: (kind: MediaKind) => string;
  /** The class of an address that the guard refuses. */
  readonly outOfReach: 'validation' | 'permission';
}

export interface FetcherOptions extends FetchRules {
  readonly signal: Cancel;
}

/** Fetches for one request. */
export function createMediaFetcher(options: FetcherOptions): MediaFetcher {
  const fetched = new Map<string, InlineSource>();
  let left = MAX_TOTAL_BYTES;
  return {
    async fetch(url, kind, field) {
      const key = `${kind} ${url}`;
      const known = fetched.get(key);
      if (known) return known;
      const maxBytes = Math.min(MAX_BYTES[kind], left);
      const bytes = await fetchBytes(url, kind, field, maxBytes, options);
      left -= bytes.data.length;
      const source = {
        base64: Buffer.from(bytes.data).toString('base64'),
        mediaType: bytes.mediaType,
      };
      fetched.set(key, source);
      return source;
    },
  };
}

/** Stands for bytes that are fetched only when a request is really sent. An address that nobody would fetch from is refused. */
export function unfetchedSource(
  url: string,
  kind: MediaKind,
  field: string,
  rules: FetchRules,
): InlineSource {
  try {
    const judged = judgeUrl(readTarget(url).url, rules.http);
    if (judged.verdict === 'refused')
      throw new CallError('permission', judged.because, { fixes: [judged.fix] });
  } catch (thrown) {
    throw unfetched(CallError.from(thrown), kind, field, MAX_BYTES[kind], rules);
  }
  return { mediaType: `${kind}/*`, base64: `<the bytes of ${url}>` };
}

async function fetchBytes(
  url: string,
  kind: MediaKind,
  field: string,
  maxBytes: number,
  options: FetcherOptions,
): Promise<{ readonly data: Uint8Array; readonly mediaType: string }> {
  const { http, signal } = options;
  const word = MEDIA_WORDS[kind];
  let got: Awaited<ReturnType<typeof fetchPublic>>;
  try {
    got = await fetchPublic(http, url, { signal, maxBytes, accept: `${kind}/*` });
  } catch (thrown) {
    signal.throwIfAborted();
    throw unfetched(CallError.from(thrown), kind, field, maxBytes, options);
  }
  if (got.status < 200 || got.status >= 300) {
    const message = `The ${word} could not be fetched: its server answered ${got.status}.`;
    throw refuseMedia(field, message, 'Check the address, or send the bytes.');
  }
  const mediaType = sniffMedia(got.bytes, got.headers['content-type'] ?? '');
  if (!mediaType.startsWith(`${kind}/`))
    throw refuseMedia(field, `What the address gives is no ${word}.`, 'Check the address.');
  return { data: got.bytes, mediaType };
}

/** That somebody's server failed says nothing about the vendor, so it is the request that is at fault. */
function unfetched(
  error: CallError,
  kind: MediaKind,
  field: string,
  maxBytes: number,
  { tooLargeFix, outOfReach }: FetchRules,
): CallError {
  const word = MEDIA_WORDS[kind];
  if (error.class === 'too_large') {
    const message = `The ${word} has more than ${Math.floor(maxBytes / MEGABYTE)} MB.`;
    return new CallError('too_large', message, { field, fix: tooLargeFix(kind), cause: error });
  }
  const fixes = error.fixes.length > 0 ? error.fixes : ['Check the address, or send the bytes.'];
  return new CallError(
    error.class === 'permission' ? outOfReach : 'validation',
    `The ${word} could not be fetched. ${error.message}`,
    { field, fixes, cause: error },
  );
}
