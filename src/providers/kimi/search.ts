import { CallError } from '#core/call-error.ts';
import type { ToolCall, WebSearch } from '#core/chat.ts';
import type { Json, JsonObject } from '#core/json.ts';
import { fix } from '#core/messages/fixes.ts';
import { notice } from '#core/messages/notices.ts';
import type { Model } from '#models/model.ts';
import { asCount, asObject, parseJson } from '../wire/json-read.ts';
import type { Ended, Round } from '../wire/round.ts';

const NAME = '$web_search';

/** Kimi's own search. Of its two ways to search this is the one whose every step is known. */
export const SEARCH_TOOL: JsonObject = { type: 'builtin_function', function: { name: NAME } };

const DEFAULT_ROUNDS = 3;
const MOST_ROUNDS = 10;
const DEFAULT_TOKENS = 32_000;
/** For results of unknown length. */
const ASSUMED_TOKENS = 8_000;
/** Room that an answer needs beside the results when no limit is set. */
const ANSWER_TOKENS = 4_096;

/** The search takes no arguments of ours, so what the caller knows about it is said in words. */
export function searchHint({ query, domain, recency }: WebSearch): string | undefined {
  const words = [
    query === undefined || query.trim() === '' ? '' : `Search the web for: ${query.trim()}`,
    domain === undefined ? '' : `Use only results from ${domain}.`,
    recency === undefined ? '' : `Use only results of the last ${recency}.`,
  ].filter((each) => each !== '');
  return words.length === 0 ? undefined : words.join('\n').toWellFormed();
}

export interface SearchRounds {
  /** What to ask next when the answer is a search. Throws when it is one that was not offered. */
  next(ended: Ended): Round | undefined;
}

/**
 * Kimi searches by calling a tool of its own and having the call handed back to it unchanged; the results never pass through here.
 * Each call announces how long its results will be. When a model has searched as often as it may, or the results would be too
 * long, it is asked once more without the tool.
 *
 * A turn that calls the search and tools of the caller ends here: the caller answers its own, and the model searches again if it still
 * wants to. Half of the turn cannot be answered, and to answer it all takes the caller.
 */
export function createSearchRounds(
  wanted: WebSearch | undefined,
  model: Model,
  thinking: 'on' | 'off',
): SearchRounds {
  const maxRounds = Math.min(positive(wanted?.maxRounds) ?? DEFAULT_ROUNDS, MOST_ROUNDS);
  const maxTokens = positive(wanted?.maxTokens) ?? DEFAULT_TOKENS;
  let rounds = 0;
  let tokens = 0;
  let offer: 'open' | 'closed' = wanted ? 'open' : 'closed';

  /** A model that cannot be searched with can still be asked. */
  function afterRefusedSearch(error: CallError, body: JsonObject): Round | undefined {
    if (error.class !== 'bad_request' || !/web_search|builtin_function/.test(error.message))
      return undefined;
    offer = 'closed';
    const refused = { model: model.title, reason: 'refused' } as const;
    return { body: withoutSearch(body), notices: [notice('search_unsupported', refused)] };
  }

  return {
    next({ body, turn, end }) {
      const { builtinCalls: calls, toolCalls, usage } = turn;
      if (end.is === 'failed')
        return offer === 'open' ? afterRefusedSearch(end.error, body) : undefined;
      if (calls.length === 0 || toolCalls.length > 0) return undefined;
      if (offer === 'closed' || calls.some(({ name }) => name !== NAME)) throw unasked(model);
      const isFirst = rounds === 0;
      rounds += 1;
      const announced = calls.reduce((sum, call) => sum + announcedTokens(call), 0);
      const inputTokens = usage?.input ?? 0;
      const answer = asCount(body['max_completion_tokens']) ?? ANSWER_TOKENS;
      const fits =
        announced <= model.contextTokens - inputTokens - answer && tokens + announced <= maxTokens;
      const notices = isFirst ? [notice('search_sources_hidden', { model: 'Kimi' })] : [];
      if (!fits) {
        offer = 'closed';
        const dropped = notice('search_results_dropped', { tokens: announced });
        return { body: withoutSearch(body), notices: [...notices, dropped] };
      }
      tokens += announced;
      const told = {
        ...body,
        messages: [...messagesOf(body), ...echo(calls, turn, thinking, rounds)],
      };
      if (rounds < maxRounds) return { body: told, notices };
      offer = 'closed';
      const used = notice('search_rounds_used', { model: 'Kimi', rounds });
      return { body: withoutSearch(told), notices: [...notices, used] };
    },
  };
}

function echo(
  calls: readonly ToolCall[],
  turn: Ended['turn'],
  thinking: 'on' | 'off',
  round: number,
): readonly JsonObject[] {
  const named = calls.map(({ id, arguments: text }, index) => ({
    id: id === '' ? `search_${round}_${index}` : id,
    // No content may be empty.
    text: text === '' ? '{}' : text,
  }));
  return [
    {
      role: 'assistant',
      content: turn.text,
      ...(thinking === 'on' && { reasoning_content: turn.reasoning }),
      tool_calls: named.map(({ id, text }) => ({
        id,
        type: 'builtin_function',
        function: { name: NAME, arguments: text },
      })),
    },
    ...named.map(({ id, text }) => ({ role: 'tool', tool_call_id: id, name: NAME, content: text })),
  ];
}

function withoutSearch(body: JsonObject): JsonObject {
  const { tools, tool_choice: choice, ...rest } = body;
  const left = (Array.isArray(tools) ? (tools as readonly Json[]) : []).filter(
    (tool) => asObject(tool)?.['type'] !== SEARCH_TOOL['type'],
  );
  if (left.length === 0) return rest;
  return { ...rest, tools: left, ...(choice !== undefined && { tool_choice: choice }) };
}

function messagesOf({ messages }: JsonObject): readonly Json[] {
  return Array.isArray(messages) ? (messages as readonly Json[]) : [];
}

function announcedTokens({ arguments: text }: ToolCall): number {
  const usage = asObject(asObject(parseJson(text))?.['usage']);
  return asCount(usage?.['total_tokens']) ?? ASSUMED_TOKENS;
}

function positive(value: number | undefined): number | undefined {
  return value !== undefined && value >= 1 ? Math.trunc(value) : undefined;
}

function unasked(model: Model): CallError {
  const message = `${model.title} called a search that it was not offered.`;
  return new CallError('bad_response', message, {
    provider: 'kimi',
    model: model.id,
    fixes: [fix('retry'), fix('omit_argument', { argument: 'use_websearch' })],
  });
}
