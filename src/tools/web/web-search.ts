import * as z from 'zod';
import type { ProviderId, SearchQuery } from '#core/llm/provider.ts';
import type { WebExchanges } from '#core/llm/web.ts';
import { notice } from '#core/messages/notices.ts';
import { isUrl } from '#core/net/is-url.ts';
import { descriptorOf } from '#core/providers/list.ts';
import type { Clock } from '#core/time/clock.ts';
import { defineTool } from '#core/tools/define-tool.schema.ts';
import type { Tool, ToolContext, ToolResult } from '#core/tools/tool.ts';
import { citationContent, CitationsShape, formatResults } from '../shared/citations.ts';
import { exchangeContext } from '../shared/exchange-context.ts';
import { noticeFields, renderNotices } from '../shared/notices.ts';
import { fenceForeignText } from './foreign-text.ts';
import { fitResults } from './fit-results.ts';

export interface WebSearchDeps {
  readonly web: Pick<WebExchanges, 'search'>;
  readonly clock: Pick<Clock, 'now'>;
}

const MAX_QUERY_CHARS = 2_000;
const MAX_COUNT = 50;
const USUAL_COUNT = 10;

/** A query; whitespace alone is refused. */
const queryField = z.string().max(MAX_QUERY_CHARS).regex(/\S/, 'says nothing');
/** A host; of an address its host. */
const domainField = z
  .string()
  .max(2_048)
  .refine((text) => text.trim() === '' || readDomain(text) !== '', 'a site: docs.python.org');
const countField = z.int().min(1).max(MAX_COUNT).default(USUAL_COUNT);

const SearchResult = z.strictObject({
  query: z.string(),
  provider: z.string(),
  results: CitationsShape,
});

const HELP = `What comes back: numbered results, each with title, address, date where it is known, and the beginning of its text. content.results has the same as data. read_web reads a result whole.
No results is a success with an empty list: ask with other words, or without domain and recency.
Every search costs money (GLM: about $0.01); it is in usage of the envelope. The question goes to the provider that searches: GLM, then OpenRouter.`;

/** Searches the web through the first provider that can. */
export function webSearch(deps: WebSearchDeps): Tool {
  return defineTool({
    name: 'web_search',
    title: 'Search the web',
    description:
      'Search the web: titles, addresses, dates and snippets, for current facts and sources. Asks no model; read_web reads a result.',
    help: HELP,
    input: z.strictObject({
      query: queryField.describe('What to find.'),
      count: countField.describe('Results at most (default: 10).'),
      domain: domainField.optional().describe('Only this site: docs.python.org.'),
      recency: z.enum(['day', 'week', 'month', 'year']).optional().describe('Only newer.'),
    }),
    output: SearchResult,
    effect: 'reads',
    openWorld: true,
    profile: 'standard',
    pool: 'provider',
    resumable: true,
    run({ query, count, domain, recency }, context) {
      const host = readDomain(domain);
      const filters = { ...(host !== '' && { domain: host }), ...(recency && { recency }) };
      return search({ query: query.trim(), count, ...filters }, undefined, deps, context);
    },
  });
}

const RECENCY = {
  oneDay: 'day',
  oneWeek: 'week',
  oneMonth: 'month',
  oneYear: 'year',
} as const;

/** Searches with GLM alone, with the arguments of GLM's own endpoint. */
export function glmWebSearch(deps: WebSearchDeps): Tool {
  return defineTool({
    name: 'glm_web_search',
    title: 'Search with GLM',
    description: 'Search the web with GLM alone. web_search also falls back to other providers.',
    help: HELP,
    input: z.strictObject({
      search_query: queryField.describe('What to find.'),
      count: countField.describe('Results at most (default: 10).'),
      search_domain_filter: domainField.optional().describe('Only this site.'),
      search_recency_filter: z
        .enum(['oneDay', 'oneWeek', 'oneMonth', 'oneYear', 'all', 'noLimit'])
        .optional()
        .describe('Only newer (default: all).'),
    }),
    output: SearchResult,
    effect: 'reads',
    openWorld: true,
    affinity: 'glm',
    profile: 'full',
    pool: 'glm',
    resumable: true,
    run(args, context) {
      const { search_query: query, count, search_recency_filter: recency = 'all' } = args;
      const domain = readDomain(args.search_domain_filter);
      const filters = {
        ...(domain !== '' && { domain }),
        ...(recency !== 'all' && recency !== 'noLimit' && { recency: RECENCY[recency] }),
      };
      return search({ query: query.trim(), count, ...filters }, 'glm', deps, context);
    },
  });
}

async function search(
  query: SearchQuery,
  only: ProviderId | undefined,
  { web, clock }: WebSearchDeps,
  context: ToolContext,
): Promise<ToolResult> {
  const found = await web.search(query, exchangeContext(context), only);
  const { kept, outside } = fitResults(found.result.results, query, clock.now());
  const notices = [
    ...found.result.notices,
    ...(outside > 0 ? [notice('search_results_outside', { count: outside })] : []),
  ];
  const what = `"${query.query}"`;
  const head =
    kept.length === 0
      ? `No results for ${what}.`
      : `${kept.length} ${kept.length === 1 ? 'result' : 'results'} for ${what}, found by ${descriptorOf(found.provider).title}.`;
  const list =
    kept.length === 0 ? '' : `\n${fenceForeignText(formatResults(kept), 'search results')}`;
  return {
    text: `${head}${list}${renderNotices(notices)}`,
    content: {
      query: query.query,
      provider: found.provider,
      results: kept.map(citationContent),
    },
    ...noticeFields(notices),
    askReports: [found.report],
  };
}

/** A host: an address is taken for its host. */
function readDomain(text = ''): string {
  const trimmed = text.trim().toLowerCase();
  const url = trimmed.includes('://') ? trimmed : `https://${trimmed}`;
  return trimmed !== '' && isUrl(url) ? new URL(url).hostname.replace(/^www\./, '') : '';
}
