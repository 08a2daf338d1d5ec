import type { Citation, WebSearch } from '#core/chat.ts';
import type { JsonObject } from '#core/json.ts';
import { asList, asObject, asText, type Unknown } from '../wire/json-read.ts';

const MAX_RESULTS = 10;

/** The `web` plugin: OpenRouter searches once for every request and puts the results into the prompt. */
export function writeSearch(wish: WebSearch | undefined): {
  readonly fields: JsonObject;
  readonly notices: readonly string[];
} {
  if (!wish) return { fields: {}, notices: [] };
  const { count } = wish;
  const results =
    count === undefined ? undefined : Math.min(Math.max(1, Math.trunc(count) || 1), MAX_RESULTS);
  const left = NOT_TAKEN.filter((name) => wish[name] !== undefined);
  return {
    fields: { plugins: [{ id: 'web', ...(results !== undefined && { max_results: results }) }] },
    notices: [
      ...(results === count
        ? []
        : [`OpenRouter gives 1 to ${MAX_RESULTS} search results; ${results} were asked for.`]),
      ...(left.length === 0
        ? []
        : [
            `OpenRouter searches once, by the messages alone; ${left.join(' and ')} of the search was left out.`,
          ]),
    ],
  };
}

const NOT_TAKEN = ['query', 'domain', 'recency', 'maxRounds', 'maxTokens'] as const;

/** `annotations` of the message or of a piece of it. */
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
