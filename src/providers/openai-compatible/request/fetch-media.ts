import { CallError } from '#core/errors/call-error.ts';
import type { AbortSignalLike } from '#core/net/abort.ts';
import type { GuardedHttp } from '#net/create-http.ts';
import { fetchPublic } from '#net/fetch-public.ts';
import { checkUrl } from '#net/ssrf/check-url.ts';
import { readTarget } from '#net/target.ts';
import { MEDIA_LABELS, refuseMedia, type FetchableMedia, type InlineSource } from './media.ts';

const MEGABYTE = 1024 * 1024;
const MAX_BYTES: Record<FetchableMedia, number> = { image: 10 * MEGABYTE, video: 20 * MEGABYTE };
/** Limit of everything that is fetched for one request. */
const MAX_TOTAL_BYTES = 40 * MEGABYTE;

interface MediaFetcher {
  /** Fetches an address, from public hosts only and each address once. */
  fetch(url: string, kind: FetchableMedia, field: string): Promise<InlineSource>;
}

export interface MediaFetchRules {
  readonly http: GuardedHttp<'public'>;
  /** The fix for media that are too large. */
  readonly tooLargeFix: (kind: FetchableMedia) => string;
  /** The error class for an address that the SSRF check refuses. */
  readonly outOfReach: 'validation' | 'permission';
}

interface FetcherOptions extends MediaFetchRules {
  readonly signal: AbortSignalLike;
}

/** Creates the fetcher of one request. */
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

/**
 * A placeholder for bytes that are fetched only when the request is sent. An address that would be
 * refused is refused here as well.
 */
export function describeUnfetchedSource(
  url: string,
  kind: FetchableMedia,
  field: string,
  rules: MediaFetchRules,
): InlineSource {
  try {
    const checked = checkUrl(readTarget(url).url, rules.http);
    if (checked.verdict === 'refused')
      throw new CallError('permission', checked.because, { fixes: [checked.fix] });
  } catch (thrown) {
    throw unfetched(CallError.from(thrown), kind, field, MAX_BYTES[kind], rules);
  }
  return { mediaType: `${kind}/*`, base64: `<the bytes of ${url}>` };
}

async function fetchBytes(
  url: string,
  kind: FetchableMedia,
  field: string,
  maxBytes: number,
  options: FetcherOptions,
): Promise<{ readonly data: Uint8Array; readonly mediaType: string }> {
  const { http, signal } = options;
  const word = MEDIA_LABELS[kind];
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
    throw refuseMedia(field, `The content at this address is not a ${word}.`, 'Check the address.');
  return { data: got.bytes, mediaType };
}

/**
 * Maps a fetch error to an error of the request: a failing media server says nothing about the
 * vendor.
 */
function unfetched(
  error: CallError,
  kind: FetchableMedia,
  field: string,
  maxBytes: number,
  { tooLargeFix, outOfReach }: MediaFetchRules,
): CallError {
  const word = MEDIA_LABELS[kind];
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

/**
 * Magic numbers in hexadecimal, with dots for any byte. Servers often send a wrong content type or
 * none.
 */
const SIGNATURES: readonly (readonly [string, string])[] = [
  ['image/png', '89504e470d0a1a0a'],
  ['image/jpeg', 'ffd8ff'],
  ['image/gif', '47494638'],
  ['image/webp', '52494646........57454250'],
  ['image/bmp', '424d........00000000'],
  ['image/avif', '........6674797061766966'],
  ['image/heic', '........6674797068656963'],
  ['image/heic', '........667479706d696631'],
  ['image/tiff', '49492a00'],
  ['image/tiff', '4d4d002a'],
  ['video/quicktime', '........6674797071742020'],
  ['video/mp4', '........66747970'],
  ['video/webm', '1a45dfa3'],
  ['video/x-msvideo', '52494646........41564920'],
  ['video/mpeg', '000001ba'],
];

/** The media type by magic number, else by the content type of the server. */
function sniffMedia(bytes: Uint8Array, contentType: string): string {
  const beginning = Buffer.from(bytes.subarray(0, 16)).toString('hex');
  const known = SIGNATURES.find(([, signature]) =>
    signature.split('').every((digit, at) => digit === '.' || digit === beginning[at]),
  );
  return known?.[0] ?? (contentType.split(';', 1)[0] ?? '').trim().toLowerCase();
}
