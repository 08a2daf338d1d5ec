import { isObject } from '../is-object.ts';
import { ENGINES, isCount, RECENCIES } from './check-tools.ts';
import type { GlmError } from './errors.ts';
import type { GlmSwitches } from './switches.ts';
import { dateOf, findPage, searchWeb, type Page } from '../web.ts';
import { resultOf } from './search-result.ts';
import { contentWords } from '../answer/content-words.ts';

export interface Made {
  readonly id: string;
  readonly created: number;
  readonly nowMs: number;
}

/** `POST /web_search`, where the filters do what they say. */
export function webSearch(
  json: unknown,
  switches: GlmSwitches,
  made: Made,
): { readonly body: object } | { readonly error: GlmError } {
  if (!isObject(json)) return { error: { code: '1210' } };
  const { search_query: query, search_engine: engine, search_intent: intent, count = 10 } = json;
  if (typeof query !== 'string' || query === '')
    return { error: { code: '1213', about: 'search_query' } };
  if (engine === undefined) return { error: { code: '1213', about: 'search_engine' } };
  // The endpoint of z.ai knows one engine, its tool two.
  const engines = switches.host === 'zai' ? ['search-prime'] : ENGINES.bigmodel;
  if (!engines.includes(engine)) return { error: { code: '1214', about: 'search_engine' } };
  if (switches.host === 'bigmodel' && typeof intent !== 'boolean')
    return { error: { code: '1213', about: 'search_intent' } };
  if (!isCount(count)) return { error: { code: '1214', about: 'count' } };
  const { search_recency_filter: recency, search_domain_filter: domain } = json;
  if (recency !== undefined && !RECENCIES.includes(recency))
    return { error: { code: '1214', about: 'search_recency_filter' } };
  const found = searchWeb(
    {
      query,
      count: Number(count),
      ...(typeof domain === 'string' ? { domain } : {}),
      ...(typeof recency === 'string' ? { recency } : {}),
    },
    made.nowMs,
  );
  return {
    body: {
      id: made.id,
      created: made.created,
      request_id: typeof json['request_id'] === 'string' ? json['request_id'] : made.id,
      search_intent: [
        {
          query,
          intent: intent === true ? 'SEARCH_ALL' : 'SEARCH_NONE',
          keywords: contentWords(query).join(' '),
        },
      ],
      search_result: found.map((one) =>
        json['include_image'] === true && one.page.image !== undefined
          ? { ...resultOf(one), images: [one.page.image] }
          : resultOf(one),
      ),
    },
  };
}

/** `POST /reader`. What cannot be reached is the vendor's network error. */
export function readPage(
  json: unknown,
  made: Made,
): { readonly body: object } | { readonly error: GlmError } {
  if (!isObject(json)) return { error: { code: '1210' } };
  const { url, return_format: format = 'markdown', timeout } = json;
  if (typeof url !== 'string' || url === '') return { error: { code: '1213', about: 'url' } };
  if (!isWebAddress(url)) return { error: { code: '1214', about: 'url' } };
  if (format !== 'markdown' && format !== 'text')
    return { error: { code: '1214', about: 'return_format' } };
  if (timeout !== undefined && !(typeof timeout === 'number' && timeout > 0))
    return { error: { code: '1214', about: 'timeout' } };
  const page = findPage(url);
  if (page === undefined) return { error: { code: '1234', about: made.id } };
  const links = Object.fromEntries(
    [...page.text.matchAll(/\[([^\]]+)\]\(([^)]+)\)/g)].map(([, text, link]) => [text, link]),
  );
  return {
    body: {
      id: made.id,
      created: made.created,
      request_id: typeof json['request_id'] === 'string' ? json['request_id'] : made.id,
      model: 'web-reader',
      reader_result: {
        title: page.title,
        description: page.description,
        url: page.url,
        content: contentOf(page, format, json['retain_images'] !== false),
        publishedTime: dateOf(page, made.nowMs),
        images:
          json['with_images_summary'] === true && page.image !== undefined
            ? { 'Image 1': page.image }
            : {},
        links: json['with_links_summary'] === true ? links : {},
        metadata: { lang: 'en', viewport: 'width=device-width' },
        external: {},
      },
    },
  };
}

function contentOf(page: Page, format: 'markdown' | 'text', images: boolean): string {
  const shown =
    images && page.image !== undefined
      ? `${page.text}\n\n![${page.title}](${page.image})`
      : page.text;
  if (format === 'markdown') return shown;
  return shown
    .replaceAll(/!\[[^\]]*\]\([^)]*\)/g, '')
    .replaceAll(/\[([^\]]+)\]\([^)]+\)/g, '$1')
    .replaceAll(/^#+ /gm, '')
    .replaceAll('`', '')
    .trim();
}

/** By `new URL`: `URL.canParse` of Node 20 comes to refuse what it took before. */
function isWebAddress(text: string): boolean {
  try {
    return /^https?:$/.test(new URL(text).protocol);
  } catch {
    // That is the answer.
    return false;
  }
}
