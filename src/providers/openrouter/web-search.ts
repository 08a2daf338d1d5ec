import type { JsonObject } from '#core/json/json.ts';
import type { Citation, WebSearch } from '#core/llm/chat.ts';
import { notice, type Notice } from '#core/messages/notices.ts';
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
