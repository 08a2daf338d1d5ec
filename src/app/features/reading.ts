import type { DocumentSource, PageRange } from '#core/extract/document.ts';
import { CallError } from '#core/errors/call-error.ts';
import type { FeatureContext } from './context.ts';
import type { Feature } from './feature.ts';

export const READ_METHOD = 'exai/read';

/** For the request and the extraction together. */
const TIME_LIMIT_MS = 60_000;

/** Reads web pages for the owner: fetched from public addresses, through the page cache. */
export function readingFeature({
  webPages,
  clock,
  extraction,
}: Pick<FeatureContext, 'webPages' | 'clock' | 'extraction'>): Feature {
  const running = new Set<AbortController>();

  async function read(params: unknown) {
    const { url, ...options } = readParams(params);
    const abort = new AbortController();
    const timer = clock.after(TIME_LIMIT_MS, () => abort.abort(tookTooLong()));
    running.add(abort);
    try {
      return await webPages.read(url, options, abort.signal);
    } finally {
      running.delete(abort);
      timer.stop();
    }
  }

  return {
    name: 'reading',
    adminMethods: { [READ_METHOD]: read },
    async drain() {
      const stopping = new CallError('interrupted', 'The daemon is stopping.');
      for (const abort of running) abort.abort(stopping);
      await extraction.close();
    },
  };
}

/** The parameters of the command line: an address, and what to read of a document. */
function readParams(params: unknown): { url: string } & Pick<DocumentSource, 'password' | 'pages'> {
  const { url, password, pages } = (params ?? {}) as Record<string, unknown>;
  if (typeof url !== 'string' || !/^https?:\/\//i.test(url)) {
    throw new CallError(
      'validation',
      '"url" must be an address that begins with http:// or https://.',
      { field: 'url' },
    );
  }
  return {
    url,
    ...(typeof password === 'string' && { password }),
    ...(isPageRange(pages) && { pages }),
  };
}

function isPageRange(value: unknown): value is PageRange {
  const { first, last } = (value ?? {}) as Partial<Record<string, unknown>>;
  return Number.isSafeInteger(first) && Number.isSafeInteger(last);
}

function tookTooLong(): CallError {
  return new CallError('timeout', `The page could not be read within ${TIME_LIMIT_MS} ms.`, {
    field: 'url',
  });
}
