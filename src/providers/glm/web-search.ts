import type { JsonObject } from '#core/json/json.ts';
import type { ChatEvent, Citation, TokenUsage, WebSearch } from '#core/llm/chat.ts';
import type { ProviderContext, SearchAnswer, SearchQuery } from '#core/llm/provider.ts';
import { notice, type Notice } from '#core/messages/notices.ts';
import type { PricedService } from '#core/providers/descriptor.ts';
import { glm as glmDescriptor } from '#core/providers/glm.ts';
import { asList, asObject, asText, type Unknown } from '../openai-compatible/response/json.ts';
import { tapIterator } from '#core/async-iterators.ts';
import { callGlm, glmBadResponse, refuseInput, type Glm } from './call-glm.ts';
import type { Site } from './site.ts';

const RECENCY = { day: 'oneDay', week: 'oneWeek', month: 'oneMonth', year: 'oneYear' } as const;
const MAX_COUNT = 50;

/** The tool that makes GLM search on its side, without a round trip. */
export function writeSearchTool(requested: WebSearch, site: Site): JsonObject {
  const query = requested.query?.trim().toWellFormed();
  return {
    type: 'web_search',
    web_search: {
      enable: true,
      search_result: true,
      // So that citations can be checked while the text arrives.
      result_sequence: 'before',
      ...(query && { search_query: query }),
      ...writeFilters(requested, site),
    },
  };
}

function writeFilters(
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

/** Notices about search options that were changed or dropped. */
export function searchNotices(requested: WebSearch): readonly Notice[] {
  const { count } = requested;
  const notices: Notice[] = [];
  if (count !== undefined && sentCount(count) !== count) {
    const range = { min: 1, max: MAX_COUNT, sent: sentCount(count) };
    notices.push(
      notice('parameter_clamped', { model: 'GLM', parameter: 'webSearch.count', ...range }),
    );
  }
  const limits = (['maxRounds', 'maxTokens'] as const).filter(
    (name) => requested[name] !== undefined,
  );
  if (limits.length > 0) {
    const parameters = limits.map((name) => `webSearch.${name}`);
    notices.push(notice('parameter_dropped', { model: 'GLM', parameters, reason: 'own_search' }));
  }
  return notices;
}

/** The sources in a chunk or in a whole response. */
export function readSources(answer: Unknown): readonly Citation[] {
  return answer['web_search'] === undefined ? NONE : readResults(answer['web_search']);
}

const NONE: readonly Citation[] = [];

function readResults(results: unknown): readonly Citation[] {
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

/** Searches the web without a model. */
export async function searchWeb(
  glm: Glm,
  requested: SearchQuery,
  context: ProviderContext,
): Promise<SearchAnswer> {
  const query = requested.query.trim().toWellFormed();
  if (query === '') throw refuseInput('query', 'There is nothing to search for.', 'Say what.');
  const body = { search_query: query, ...writeFilters(requested, glm.site) };
  const answer = await callGlm(
    glm,
    { operation: 'search', method: 'POST', path: '/web_search', body },
    context,
  );
  const results = answer['search_result'];
  // An answer without a list is an error with the status of a success.
  if (results !== null && !Array.isArray(results))
    throw glmBadResponse('without a list of search results');
  return {
    results: readResults(results),
    notices: searchNotices(requested),
    used: { model: SEARCH.name, usage: usageOf(SEARCH) },
  };
}

const { search: SEARCH } = glmDescriptor.web;

/** The price of one use; the vendor reports none. */
export function usageOf({ maxMicroUsd }: PricedService): TokenUsage {
  const tokens = { input: 0, output: 0, cached: 0, reasoning: 0 };
  return { ...tokens, costMicroUsd: maxMicroUsd, estimated: false };
}

const UNCITED = notice('search_sources_missing', { model: 'GLM' });

/**
 * Adds a notice to a searched answer that has no sources: GLM may decide not to search and still
 * report a search.
 */
export function withMissingSourcesNotice(
  events: AsyncIterable<ChatEvent>,
): AsyncIterable<ChatEvent> {
  // An answer that calls a tool is not final.
  let isExcused = false;
  return tapIterator(events, {
    before(event) {
      isExcused ||= event.type === 'citation' || event.type === 'tool_call';
      // Usage comes after the text and before the finish event.
      return event.type === 'usage' && !isExcused ? { type: 'notice', notice: UNCITED } : undefined;
    },
  });
}
