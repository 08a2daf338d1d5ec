import * as z from 'zod';
import type { ProviderId, SearchQuery } from '#core/llm/provider.ts';
import type { WebExchanges } from '#core/llm/web.ts';
import type { Citation } from '#core/llm/chat.ts';
import { errorText } from '#core/messages/error-text.ts';
import { notice, type Notice } from '#core/messages/notices.ts';
import { isUrl } from '#core/net/is-url.ts';
import { descriptorOf } from '#core/providers/list.ts';
import type { Clock } from '#core/time/clock.ts';
import { defineTool } from '#core/tools/define-tool.schema.ts';
import type { Tool, ToolContext, ToolResult } from '#core/tools/tool.ts';
import { citationContent, CitationsShape, formatResults } from '../shared/citations.ts';
import { exchangeContext } from '../shared/exchange-context.ts';
import { noticeFields, renderNotices } from '../shared/notices.ts';
import { fenceForeignText } from '#core/text/foreign-text.ts';
import { fitResults } from './fit-results.ts';
import { searchUpstream } from './upstream-search.ts';

export interface WebSearchDeps {
  readonly web: Pick<WebExchanges, 'search'>;
  readonly clock: Pick<Clock, 'now'>;
  /** The tool of an MCP server that is asked first; empty for none. */
  readonly searchTool?: () => string;
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
      return searchFirst({ query: query.trim(), count, ...filters }, deps, context);
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

/** Searches with the tool of an MCP server, where one is set, else by a provider. */
async function searchFirst(
  query: SearchQuery,
  deps: WebSearchDeps,
  context: ToolContext,
): Promise<ToolResult> {
  const tool = deps.searchTool?.() ?? '';
  if (tool === '') return search(query, undefined, deps, context);
  const found = await searchUpstream(tool, query, context);
  context.signal.throwIfAborted();
  if (found.is === 'found') {
    return show({ query, provider: tool, by: tool, results: found.results, notices: [] }, deps);
  }
  const failed = notice('search_tool_failed', { tool, error: errorText(found.error) });
  return search(query, undefined, deps, context, [failed]);
}

async function search(
  query: SearchQuery,
  only: ProviderId | undefined,
  deps: WebSearchDeps,
  context: ToolContext,
  before: readonly Notice[] = [],
): Promise<ToolResult> {
  const { result, provider, report } = await deps.web.search(query, exchangeContext(context), only);
  const by = descriptorOf(provider).title;
  const notices = [...before, ...result.notices];
  const shown = show({ query, provider, by, results: result.results, notices }, deps);
  return { ...shown, askReports: [report] };
}

interface FoundResults {
  readonly query: SearchQuery;
  readonly provider: string;
  readonly by: string;
  readonly results: readonly Citation[];
  readonly notices: readonly Notice[];
}

function show(
  { query, provider, by, results, notices: found }: FoundResults,
  { clock }: Pick<WebSearchDeps, 'clock'>,
): ToolResult {
  const { kept, outside } = fitResults(results, query, clock.now());
  const notices = [
    ...found,
    ...(outside > 0 ? [notice('search_results_outside', { count: outside })] : []),
  ];
  const what = `"${query.query}"`;
  const head =
    kept.length === 0
      ? `No results for ${what}.`
      : `${kept.length} ${kept.length === 1 ? 'result' : 'results'} for ${what}, found by ${by}.`;
  const list =
    kept.length === 0 ? '' : `\n${fenceForeignText(formatResults(kept), 'search results')}`;
  return {
    text: `${head}${list}${renderNotices(notices)}`,
    content: {
      query: query.query,
      provider,
      results: kept.map(citationContent),
    },
    ...noticeFields(notices),
  };
}

/** A host: an address is taken for its host. */
function readDomain(text = ''): string {
  const trimmed = text.trim().toLowerCase();
  const url = trimmed.includes('://') ? trimmed : `https://${trimmed}`;
  return trimmed !== '' && isUrl(url) ? new URL(url).hostname.replace(/^www\./, '') : '';
}
