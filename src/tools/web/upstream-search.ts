import type { CallError } from '#core/errors/call-error.ts';
import { codedError } from '#core/errors/coded-error.ts';
import type { JsonObject } from '#core/json/json.ts';
import type { Citation } from '#core/llm/chat.ts';
import type { SearchQuery } from '#core/llm/provider.ts';
import { reason } from '#core/messages/reasons.ts';
import type { Tool, ToolContext } from '#core/tools/tool.ts';
import { readSearchResults } from './read-search-results.ts';

const TIMEOUT_MS = 30_000;

const QUERY_NAMES = [
  'query',
  'q',
  'search_query',
  'search',
  'question',
  'keywords',
  'text',
  'input',
];
const COUNT_NAMES = [
  'count',
  'num_results',
  'numResults',
  'max_results',
  'maxResults',
  'limit',
  'n',
];
const DOMAIN_NAMES = [
  'domain',
  'site',
  'include_domains',
  'includeDomains',
  'search_domain_filter',
];

/** What a search tool of an MCP server found, or why it found nothing. */
export type UpstreamSearch =
  | { readonly is: 'found'; readonly results: readonly Citation[] }
  | { readonly is: 'failed'; readonly error: CallError };

/**
 * Searches with a tool of an MCP server, as a separate call with the rights of the caller. Servers
 * name their arguments as they like: the usual names are looked for in its schema.
 */
export async function searchUpstream(
  name: string,
  query: SearchQuery,
  { calls, signal }: Pick<ToolContext, 'calls' | 'signal'>,
): Promise<UpstreamSearch> {
  const named = calls.find(name);
  // Of a server: a tool of ours would search with itself.
  const tool = named?.origin ? named : undefined;
  const args = tool && argumentsFor(tool, query);
  if (!tool || !args) return failed(name, tool ? 'no_query' : 'missing');
  const called = await calls.run({ tool: tool.name, args, signal, timeoutMs: TIMEOUT_MS });
  if (called.error) return { is: 'failed', error: called.error };
  const { content = [], structuredContent } = called.foreign ?? {};
  const texts = content.flatMap(({ text }) => (typeof text === 'string' ? [text] : []));
  const results = readSearchResults(structuredContent, texts.length > 0 ? texts : [called.text]);
  const isEmpty = results.length === 0 && /https?:\/\//i.test(called.text);
  // Addresses that are not understood are not the same as no result.
  return isEmpty ? failed(name, 'unreadable') : { is: 'found', results };
}

function failed(tool: string, problem: 'missing' | 'no_query' | 'unreadable'): UpstreamSearch {
  const errorClass = problem === 'missing' ? 'not_found' : 'bad_response';
  return { is: 'failed', error: codedError(errorClass, reason('search_tool', { tool, problem })) };
}

/** The arguments of the tool; undefined if it has none for a query. */
function argumentsFor(
  { inputSchema }: Tool,
  { query, count, domain }: SearchQuery,
): JsonObject | undefined {
  const properties = recordIn(inputSchema, 'properties');
  const named = (names: readonly string[]) => names.find((each) => Object.hasOwn(properties, each));
  const queryName = named(QUERY_NAMES) ?? onlyRequired(inputSchema);
  if (queryName === undefined) return undefined;
  const countName = named(COUNT_NAMES);
  const domainName = domain === undefined ? undefined : named(DOMAIN_NAMES);
  const isList = domainName !== undefined && typeOf(properties, domainName) === 'array';
  const isInQuery = domain !== undefined && domainName === undefined;
  return {
    [queryName]: isInQuery ? `${query} site:${domain}` : query,
    ...(countName !== undefined &&
      count !== undefined && { [countName]: within(count, recordIn(properties, countName)) }),
    ...(domainName !== undefined &&
      domain !== undefined && { [domainName]: isList ? [domain] : domain }),
  };
}

/** The one argument that a tool needs, if it is a text. */
function onlyRequired(schema: JsonObject): string | undefined {
  const { required } = schema;
  if (!Array.isArray(required) || required.length !== 1) return undefined;
  const [name] = required as readonly unknown[];
  const properties = recordIn(schema, 'properties');
  return typeof name === 'string' && typeOf(properties, name) === 'string' ? name : undefined;
}

function within(count: number, { minimum, maximum }: JsonObject): number {
  const most = typeof maximum === 'number' ? Math.min(count, maximum) : count;
  return typeof minimum === 'number' ? Math.max(most, minimum) : most;
}

function typeOf(properties: JsonObject, name: string): unknown {
  return recordIn(properties, name)['type'];
}

function recordIn(object: JsonObject, name: string): JsonObject {
  const value = Object.hasOwn(object, name) ? object[name] : undefined;
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as JsonObject)
    : {};
}
