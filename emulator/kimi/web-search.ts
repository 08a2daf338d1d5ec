import type { Answer, Question } from '../answer.ts';
import { isObject } from '../is-object.ts';
import { contentWords } from '../answer/content-words.ts';
import { WEB_SEARCH } from './check-tools.ts';

const RESULT_TOKENS = 1_200;

/**
 * The rounds of `$web_search` since the last question, and what they announced to add to the
 * prompt.
 */
export function readSearches(question: Question): {
  rounds: number;
  tokens: number;
  echoed: readonly string[];
} {
  const { messages } = question;
  const since = messages.slice(messages.findLastIndex((message) => message.role === 'user') + 1);
  const calls = since.flatMap((message) =>
    message.calls.filter((call) => call.name === WEB_SEARCH),
  );
  const echoed = calls.filter((call) =>
    since.some((message) => message.callId === call.id && message.text === call.arguments),
  );
  const tokens = echoed.reduce((sum, call) => sum + announced(call.arguments), 0);
  return {
    rounds: since.filter((message) => message.calls.some((call) => call.name === WEB_SEARCH))
      .length,
    tokens,
    echoed: echoed.map((call) => searchId(call.arguments)),
  };
}

/** One more call of the search, or `undefined` when there were enough. */
export function nextSearch(question: Question, rounds: number, wanted: number): Answer | undefined {
  const asked = question.messages.findLast((message) => message.role === 'user')?.text ?? '';
  const scripted = /\[\[search (\d{1,3})\]\]/.exec(asked)?.[1];
  if (rounds >= (scripted === undefined ? wanted : Number(scripted))) return undefined;
  const id = Buffer.from(`${rounds}:${asked}`).toString('hex').slice(0, 12).padEnd(12, '0');
  const args = JSON.stringify({
    search_result: { search_id: `${id}${rounds}` },
    usage: { total_tokens: RESULT_TOKENS },
  });
  return { text: '', reasoning: '', calls: [{ name: WEB_SEARCH, arguments: args }] };
}

/** The name that callers give their search. */
export const OWN_SEARCH = 'web_search';

/** A call of a search that is a function of the caller. */
export function callSearch({ messages }: Question, name: string): Answer {
  const asked = messages.findLast(({ role }) => role === 'user')?.text ?? '';
  const query = contentWords(asked).slice(0, 6).join(' ') || 'news';
  return { text: '', reasoning: '', calls: [{ name, arguments: JSON.stringify({ query }) }] };
}

/**
 * What is said once the searches are through: the results are the vendor's secret, so there are no
 * addresses in it.
 */
export function answerFromSearch(question: Question, echoed: readonly string[]): string {
  const asked = question.messages.findLast((message) => message.role === 'user')?.text ?? '';
  const about = [...new Set(contentWords(asked))].slice(0, 6).join(' ');
  return echoed.length === 0
    ? `I could not read any search result about ${about}.`
    : `From ${echoed.length} web search${echoed.length > 1 ? 'es' : ''} about ${about} (${echoed.join(', ')}): several pages speak of ${about}.`;
}

function announced(text: string): number {
  const read = parse(text);
  const tokens =
    isObject(read) && isObject(read['usage']) ? read['usage']['total_tokens'] : undefined;
  return typeof tokens === 'number' && tokens > 0 && tokens < 1e6 ? tokens : 0;
}

function searchId(text: string): string {
  const read = parse(text);
  const id =
    isObject(read) && isObject(read['search_result'])
      ? read['search_result']['search_id']
      : undefined;
  return typeof id === 'string' ? id.slice(0, 100) : '';
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    // A call that is not JSON announces nothing.
    return undefined;
  }
}
