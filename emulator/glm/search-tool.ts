import { isObject, type Dictionary } from '../is-object.ts';
import type { GlmSwitches } from './switches.ts';
import { bodyOf, searchWeb, type Found } from '../web.ts';

/**
 * What the `web_search` tool did: it found something, or did nothing and claimed that it had
 * searched.
 */
export interface ToolSearch {
  readonly found: readonly Found[];
  readonly did: 'search' | 'skip';
  /** Whether the caller wants the sources, and where in a stream they come. */
  readonly sources: 'none' | 'before' | 'after';
}

const LOOKS_LIKE_SEARCH =
  /\b(search|look up|find out|latest|news|today|current|weather|price|prices|web|online|recent|who|when|where)\b|搜索|最新|今天|新闻/i;

const MAX_RESULTS = 10;

export function searchByTool(
  body: Dictionary,
  question: string,
  switches: GlmSwitches,
  nowMs: number,
): ToolSearch | undefined {
  const tools: readonly unknown[] = Array.isArray(body['tools']) ? body['tools'] : [];
  const tool = tools.find((one) => isObject(one) && one['type'] === 'web_search');
  const requested = isObject(tool) ? tool['web_search'] : undefined;
  if (!isObject(requested) || requested['enable'] === false) return undefined;
  const {
    search_query: fixed,
    search_domain_filter: domain,
    search_recency_filter: recency,
  } = requested;
  const query = typeof fixed === 'string' && fixed !== '' ? fixed : question;
  const sources =
    requested['search_result'] !== true
      ? 'none'
      : requested['result_sequence'] === 'before'
        ? 'before'
        : 'after';
  const isForced =
    requested['search_intent'] === false || requested['require_search'] === true || query === fixed;
  if (!isForced && !intends(question, switches)) return { found: [], did: 'skip', sources };
  const count =
    switches.searchCount === 'honoured' ? Number(requested['count'] ?? MAX_RESULTS) : MAX_RESULTS;
  const found = searchWeb(
    {
      query,
      count,
      ...(typeof domain === 'string' ? { domain } : {}),
      ...(typeof recency === 'string' ? { recency } : {}),
    },
    nowMs,
  );
  return { found, did: 'search', sources };
}

function intends(question: string, { searchIntent }: GlmSwitches): boolean {
  if (searchIntent === 'detect') return LOOKS_LIKE_SEARCH.test(question);
  return searchIntent === 'always';
}

/** What was found, as the model reads it. */
export const asMessage = (found: readonly Found[]): Dictionary => ({
  role: 'system',
  content: found
    .map(
      ({ page, refer }) =>
        `<document name="${page.title} (${page.url}) [${refer}]">\n${bodyOf(page)}\n</document>`,
    )
    .join('\n'),
});
