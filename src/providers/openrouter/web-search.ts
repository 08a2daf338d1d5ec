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
  const { count, query, domain, recency } = wish;
  const results =
    count === undefined ? undefined : Math.min(Math.max(1, Math.trunc(count)), MAX_RESULTS);
  const left = [
    ...(query === undefined ? [] : ['query']),
    ...(domain === undefined ? [] : ['domain']),
    ...(recency === undefined ? [] : ['recency']),
  ];
  return {
    fields: { plugins: [{ id: 'web', ...(results !== undefined && { max_results: results }) }] },
    notices:
      left.length === 0
        ? []
        : [
            `OpenRouter searches by the messages alone; ${left.join(' and ')} of the search was left out.`,
          ],
  };
}

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
