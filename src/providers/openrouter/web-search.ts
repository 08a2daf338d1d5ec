import { CallError } from '#core/errors/call-error.ts';
import type { JsonObject } from '#core/json/json.ts';
import type { ChatRequest, Citation, TokenUsage, WebSearch } from '#core/llm/chat.ts';
import type { Provider, ProviderContext, SearchAnswer, SearchQuery } from '#core/llm/provider.ts';
import { notice, type Notice } from '#core/messages/notices.ts';
import { openrouter } from '#core/providers/openrouter.ts';
import { asList, asObject, asText, type Unknown } from '../openai-compatible/response/json.ts';

const MAX_RESULTS = 10;

/** The `web` plugin: OpenRouter searches once per request and puts the results into the prompt. */
export function writeSearch(requested: WebSearch | undefined): {
  readonly fields: JsonObject;
  readonly notices: readonly Notice[];
} {
  if (!requested) return { fields: {}, notices: [] };
  const { count, domain } = requested;
  const results =
    count === undefined ? undefined : Math.min(Math.max(1, Math.trunc(count) || 1), MAX_RESULTS);
  const left = NOT_TAKEN.filter((name) => requested[name] !== undefined);
  return {
    fields: {
      plugins: [
        {
          id: 'web',
          ...(results !== undefined && { max_results: results }),
          ...(domain !== undefined && { include_domains: [domain] }),
        },
      ],
    },
    notices: [
      ...(results === undefined || results === count
        ? []
        : [
            notice('parameter_clamped', {
              ...ABOUT,
              parameter: 'webSearch.count',
              min: 1,
              max: MAX_RESULTS,
              sent: results,
            }),
          ]),
      ...(left.length === 0
        ? []
        : [
            notice('parameter_dropped', {
              ...ABOUT,
              parameters: left.map((name) => `webSearch.${name}`),
              reason: 'own_search',
            }),
          ]),
    ],
  };
}

const ABOUT = { model: 'OpenRouter' };
const NOT_TAKEN = ['query', 'recency', 'maxRounds', 'maxTokens'] as const;

/** Citations from the `annotations` of a message or chunk. */
export function readCitations(chunk: Unknown): readonly Citation[] {
  const choices = chunk['choices'];
  const choice = Array.isArray(choices) ? asObject(choices[0]) : undefined;
  const message = asObject(choice?.['delta']) ?? asObject(choice?.['message']);
  const annotations = message?.['annotations'];
  if (annotations === undefined || annotations === null) return [];
  return asList(annotations).flatMap((each) => readCitation(asObject(each)?.['url_citation']));
}

function readCitation(value: unknown): readonly Citation[] {
  const cited = asObject(value);
  const url = asText(cited?.['url']);
  if (url === undefined || !/^https?:\/\//i.test(url)) return [];
  const text = asText(cited?.['content']);
  const title = asText(cited?.['title']) ?? url;
  return [{ title, url, ...(text !== undefined && { text }) }];
}

/** The model of the chat of a search: OpenRouter has no endpoint for searches. */
const { name: SEARCH_MODEL } = openrouter.web.search;
/** The answer is not used. */
const MAX_TOKENS = 16;

type Chat = Provider['chat'];

/** Searches the web by a short chat whose answer is dropped: the results are its citations. */
export async function searchOpenRouter(
  requested: SearchQuery,
  chat: Chat,
  context: ProviderContext,
): Promise<SearchAnswer> {
  const { query: text, ...filters } = requested;
  const query = text.trim().toWellFormed();
  if (query === '') {
    throw new CallError('validation', 'There is nothing to search for.', { field: 'query' });
  }
  const results = new Map<string, Citation>();
  let usage: TokenUsage | undefined;
  const request: ChatRequest = {
    model: SEARCH_MODEL,
    messages: [{ role: 'user', content: query }],
    delivery: 'whole',
    maxOutputTokens: MAX_TOKENS,
    thinking: { mode: 'off' },
    webSearch: filters,
  };
  for await (const event of chat(request, context)) {
    if (event.type === 'citation') results.set(event.citation.url, event.citation);
    else if (event.type === 'usage') ({ usage } = event);
  }
  return {
    results: [...results.values()],
    notices: writeSearch(filters).notices,
    ...(usage && { used: { model: SEARCH_MODEL, usage } }),
  };
}
