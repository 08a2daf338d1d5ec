import { CallError } from '#core/errors/call-error.ts';
import { formatMegabytes } from '#core/text/format.ts';
import { VERSION } from '#core/version.ts';
import type { FetchedMedia, MediaFetcher } from '#files/intake/fetched-media.ts';
import { MAX_INLINE_BYTES } from '#files/limits.ts';
import { checkUrl } from '#net/ssrf/check-url.ts';
import { readTarget } from '#net/target.ts';
import type { ModelSide } from '../manager/model-side.ts';

/** Fetches pictures from public addresses. They are not cached: an address may be a secret itself. */
export function createPictureFetcher(withPublicHttp: ModelSide['withPublicHttp']): MediaFetcher {
  return {
    check: (url, field) =>
      withPublicHttp(async (http) => {
        const checked = checkUrl(readTarget(url).url, http);
        if (checked.verdict !== 'refused') return;
        throw new CallError('permission', checked.because, { field, fixes: [checked.fix] });
      }),

    fetch: (url, field, signal) =>
      withPublicHttp(async (http): Promise<FetchedMedia> => {
        const { fetchPublic } = await import('#net/fetch-public.ts');
        const found = await fetchPublic(http, url, {
          signal,
          maxBytes: MAX_INLINE_BYTES,
          accept: 'image/*,video/*;q=0.9,*/*;q=0.5',
          headers: { 'user-agent': `exai/${VERSION}` },
        }).catch((thrown: unknown) => {
          signal.throwIfAborted();
          throw fetchError(CallError.from(thrown), field);
        });
        const { host, pathname } = new URL(found.url);
        if (found.status < 200 || found.status > 299) {
          const message = `The picture could not be fetched: ${host} answered ${found.status}.`;
          throw new CallError('validation', message, { field, fix: 'Check the address.' });
        }
        return {
          name: pathname.split('/').at(-1) ?? '',
          contentType: found.headers['content-type'] ?? '',
          bytes: found.bytes,
        };
      }),
  };
}

function fetchError(error: CallError, field: string): CallError {
  if (error.class === 'too_large') {
    const limit = formatMegabytes(MAX_INLINE_BYTES);
    const message = `The picture is over the limit of ${limit} for one that is fetched.`;
    return new CallError('too_large', message, {
      field,
      fix: 'Name a smaller one, or a file by its path.',
      cause: error,
    });
  }
  const { message, fixes, class: errorClass } = error;
  return new CallError(errorClass, `The picture could not be fetched. ${message}`, {
    field,
    fixes: fixes.length > 0 ? fixes : ['Check the address, or attach the file itself.'],
    cause: error,
  });
}
