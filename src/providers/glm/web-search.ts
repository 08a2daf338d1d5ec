import type { Citation, WebSearch } from '#core/chat.ts';
import type { JsonObject } from '#core/json.ts';
import { notice, type Notice } from '#core/messages/notices.ts';
import type { SearchQuery } from '#core/provider.ts';
import { asList, asObject, asText, type Unknown } from '../wire/json-read.ts';
import type { Site } from './site.ts';

const RECENCY = { day: 'oneDay', week: 'oneWeek', month: 'oneMonth', year: 'oneYear' } as const;
const MAX_COUNT = 50;

/** The tool that makes the vendor search on its side, without a round trip. */
export function writeSearchTool(wish: WebSearch, site: Site): JsonObject {
  const query = wish.query?.trim().toWellFormed();
  return {
    type: 'web_search',
    web_search: {
      enable: true,
      search_result: true,
      ...(query && { search_query: query }),
      ...writeFilters(wish, site),
    },
  };
}

export function writeFilters(
  { count, domain, recency }: Omit<SearchQuery, 'query'>,
  site: Site,
): JsonObject {
  return {
    search_engine: site.searchEngine,
    ...(site.searchIntent === 'takes' && { search_intent: false }),
    ...(count !== undefined && { count: sentCount(count) }),
    ...(domain !== undefined && domain !== '' && { search_domain_filter: domain }),
    ...(recency !== undefined && { search_recency_filter: RECENCY[recency] }),
  };
}

function sentCount(count: number): number {
  return Math.min(Math.max(1, Math.trunc(count) || 1), MAX_COUNT);
}

/** What had to be changed about a wish. */
export function searchNotices(wish: WebSearch): readonly Notice[] {
  const { count } = wish;
  const notices: Notice[] = [];
  if (count !== undefined && sentCount(count) !== count) {
    const range = { min: 1, max: MAX_COUNT, sent: sentCount(count) };
    notices.push(
      notice('parameter_clamped', { model: 'GLM', parameter: 'webSearch.count', ...range }),
    );
  }
  const limits = (['maxRounds', 'maxTokens'] as const).filter((name) => wish[name] !== undefined);
  if (limits.length > 0) {
    const parameters = limits.map((name) => `webSearch.${name}`);
    notices.push(notice('parameter_dropped', { model: 'GLM', parameters, reason: 'own_search' }));
  }
  return notices;
}

/** The sources of a chunk or of a whole answer. */
export function readSources(answer: Unknown): readonly Citation[] {
  return answer['web_search'] === undefined ? NONE : readResults(answer['web_search']);
}

const NONE: readonly Citation[] = [];

export function readResults(results: unknown): readonly Citation[] {
  return asList(results).flatMap((each) => {
    const result = asObject(each);
    const url = asText(result?.['link']);
    if (!result || url === undefined || !/^https?:\/\//i.test(url)) return [];
    const text = asText(result['content']);
    const mark = asText(result['refer']);
    const site = asText(result['media']);
    const date = asText(result['publish_date']);
    return [
      {
        title: asText(result['title']) ?? url,
        url,
        ...(text !== undefined && { text }),
        ...(mark !== undefined && { mark }),
        ...(site !== undefined && { site }),
        ...(date !== undefined && { date }),
      },
    ];
  });
}
