import { CallError } from '#core/errors/call-error.ts';
import type { ErrorClass } from '#core/errors/error-class.ts';
import type { DocumentSource } from '#core/extract/document.ts';
import type { WebPages } from '#core/extract/web-page.ts';
import { isUrl } from '#core/net/is-url.ts';
import { checkUrl } from '#net/ssrf/check-url.ts';
import type { FeatureContext } from '../features/context.ts';

type WebPagesDeps = Pick<
  FeatureContext,
  'store' | 'clock' | 'withPublicHttp' | 'extraction' | 'loaded'
>;

/** A larger page or document is refused. */
const MAX_PAGE_BYTES = 16 * 1024 * 1024;

/** Failures of a page that another machine may not have. */
const ELSEWHERE_MAYBE: ReadonlySet<ErrorClass> = new Set<ErrorClass>([
  'network',
  'timeout',
  'rate_limit',
  'bad_response',
]);
/** A name that is unknown here may be one of another network of the user. */
const UNKNOWN_NAME: ReadonlySet<unknown> = new Set([
  'ENOTFOUND',
  'ENODATA',
  'EAI_AGAIN',
  'EAI_FAIL',
]);

/** Fetches pages from public addresses, by way of the page cache, and extracts their texts. */
export function createWebPages({
  store,
  clock,
  withPublicHttp,
  extraction,
  loaded,
}: WebPagesDeps): WebPages {
  const { pages } = store;
  return {
    async read(url, options, signal) {
      const { fetchPage } = await import('#net/fetch-page.ts');
      const page = await withPublicHttp((http) =>
        fetchPage(url, { http, pages, clock, signal, maxBytes: MAX_PAGE_BYTES }),
      );
      const { bytes, source, contentType } = page;
      const name = new URL(page.url).pathname.split('/').at(-1) ?? '';
      const about: DocumentSource = { ...options, url: page.url, contentType, name };
      const document = await (await extraction.extractor()).extract(bytes, about, signal);
      return { url: page.url, source, document };
    },
    mayHandOver(url, failure) {
      const { allowPrivate } = loaded.config.network;
      if (!isUrl(url) || checkUrl(url, { allowPrivate }).verdict !== 'public') return false;
      if (failure === 'incomplete') return true;
      if (failure.reason?.code === 'page_refused') return true;
      return ELSEWHERE_MAYBE.has(failure.class) && !hasUnknownName(failure);
    },
    requirePublic(url) {
      // What the settings allow is allowed to this machine alone.
      const checked = checkUrl(url);
      if (checked.verdict !== 'refused') return;
      throw new CallError('permission', `${checked.because} No provider is given it.`, {
        field: 'url',
        fix: 'Use read_web, which reads it on this machine if network.allowPrivate has its host:port.',
      });
    },
  };
}

function hasUnknownName(error: CallError): boolean {
  for (let cause: unknown = error; cause instanceof Error; cause = cause.cause) {
    if ('code' in cause && UNKNOWN_NAME.has(cause.code)) return true;
  }
  return false;
}
