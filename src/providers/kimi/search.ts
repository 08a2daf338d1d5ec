import { CallError } from '#core/errors/call-error.ts';
import type { ToolCall, WebSearch } from '#core/llm/chat.ts';
import type { Json, JsonObject } from '#core/json/json.ts';
import { fix } from '#core/messages/fixes.ts';
import { notice } from '#core/messages/notices.ts';
import type { Model } from '#models/model.ts';
import { asCount, asObject, parseJson } from '../openai-compatible/response/json.ts';
import type { StepResult, ChatStep } from '../openai-compatible/chat-plan.ts';

const NAME = '$web_search';

/** Kimi's built-in search tool, the better documented one of its two ways to search. */
export const SEARCH_TOOL: JsonObject = { type: 'builtin_function', function: { name: NAME } };

const DEFAULT_ROUNDS = 3;
const MOST_ROUNDS = 10;
const DEFAULT_TOKENS = 32_000;
/** Assumed length of results that is not announced. */
const ASSUMED_TOKENS = 8_000;
/** Tokens reserved for the answer when no limit is set. */
const ANSWER_TOKENS = 4_096;

/** The search has no parameters, so the caller's options go into the prompt. */
export function searchHint({ query, domain, recency }: WebSearch): string | undefined {
  const instructions = [
    query === undefined || query.trim() === '' ? '' : `Search the web for: ${query.trim()}`,
    domain === undefined ? '' : `Use only results from ${domain}.`,
    recency === undefined ? '' : `Use only results of the last ${recency}.`,
  ].filter((each) => each !== '');
  return instructions.length === 0 ? undefined : instructions.join('\n').toWellFormed();
}

export interface SearchSteps {
  /** The next step when the answer is a search call. Throws when the search was not offered. */
  next(ended: StepResult): ChatStep | undefined;
}

/**
 * The steps of Kimi's built-in search. Kimi calls its own tool and expects the call to be echoed
 * unchanged; the results never pass through here. Each call announces the length of its results.
 * When the model has used its searches, or the results would be too long, it is asked once more
 * without the tool.
 *
 * A turn that calls the search together with the caller's tools ends the chat: only the caller can
 * answer its tools, and the model can search again afterwards.
 */
export function createSearchSteps(
  wanted: WebSearch | undefined,
  model: Model,
  thinking: 'on' | 'off',
): SearchSteps {
  const maxRounds = Math.min(positive(wanted?.maxRounds) ?? DEFAULT_ROUNDS, MOST_ROUNDS);
  const maxTokens = positive(wanted?.maxTokens) ?? DEFAULT_TOKENS;
  let rounds = 0;
  let tokens = 0;
  let offer: 'open' | 'closed' = wanted ? 'open' : 'closed';

  /** Retries without the search when the model does not support it. */
  function afterRefusedSearch(error: CallError, body: JsonObject): ChatStep | undefined {
    const { class: errorClass, vendorText = '' } = error;
    if (errorClass !== 'bad_request' || !/web_search|builtin_function/.test(vendorText))
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
      const echoed = {
        ...body,
        messages: [...messagesOf(body), ...echo(calls, turn, thinking, rounds)],
      };
      if (rounds < maxRounds) return { body: echoed, notices, addedTokens: announced };
      offer = 'closed';
      const used = notice('search_rounds_used', { model: 'Kimi', rounds });
      return {
        body: withoutSearch(echoed),
        notices: [...notices, used],
        addedTokens: announced,
      };
    },
  };
}

function echo(
  calls: readonly ToolCall[],
  turn: StepResult['turn'],
  thinking: 'on' | 'off',
  round: number,
): readonly JsonObject[] {
  const named = calls.map(({ id, arguments: text }, index) => ({
    id: id === '' ? `search_${round}_${index}` : id,
    // Kimi refuses empty content.
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
