import { createHash } from 'node:crypto';
import type { JsonObject } from '#core/json/json.ts';
import type { ChatMessage, ChatRequest, Sampling, ToolChoice } from '#core/llm/chat.ts';
import { notice, type Notice } from '#core/messages/notices.ts';
import { estimateChat } from '#models/estimate-chat.ts';
import type { Model } from '#models/model.ts';
import { ESTIMATE_ERROR } from '#models/estimate-tokens.ts';
import type { ForcedToolChoice } from '../openai-compatible/follow-up/enforce-tool-choice.ts';
import {
  clampSampling,
  openAiSamplingRules,
  type RequestFields,
  type VendorRequest,
} from '../openai-compatible/request/request-fields.ts';
import {
  brokenTextNotices,
  writeMessages,
  writeTools,
} from '../openai-compatible/request/write-messages.ts';
import { writeMedia } from './media.ts';
import { toMoonshotSchema } from './schema/moonshot-schema.ts';
import { SEARCH_TOOL, searchHint } from './search.ts';
import { chooseThinking, type ThinkingChoice } from './thinking.ts';

export interface KimiRequest extends VendorRequest {
  readonly thinking: ThinkingChoice;
  readonly search: 'on' | 'off';
  /** The forced tool choice. */
  readonly demand: ForcedToolChoice | undefined;
}

/** Writes a checked request for Kimi, within what the model supports. */
export function writeKimiRequest(request: ChatRequest, model: Model): KimiRequest {
  const notices: Notice[] = [];
  const search = searchMode(request, model, notices);
  const { toolChoice } = request;
  // The search is a tool as well: with `none` and a search, the caller's tools are left out.
  const offeredTools = search === 'on' && toolChoice === 'none' ? [] : (request.tools ?? []);
  const isConflict = isForced(toolChoice) && model.toolChoice === 'unless_thinking';
  const conflict = search === 'on' ? 'search' : isConflict ? 'forced_tool' : 'none';
  const thinking = chooseThinking(request, model, conflict);
  const choice = writeKimiToolChoice(toolChoice, model, thinking.mode);
  const sampling = writeKimiSampling(request.sampling, model);
  const hint = search === 'on' && request.webSearch ? searchHint(request.webSearch) : undefined;
  const messages = [
    ...writeKimiMessages(request, thinking),
    // A user message, because the text is the caller's: a system message would have more authority.
    ...(hint === undefined ? [] : [{ role: 'user', content: hint }]),
  ];
  const tools = [
    ...writeTools(offeredTools, toMoonshotSchema),
    ...(search === 'on' ? [SEARCH_TOOL] : []),
  ];
  notices.push(...brokenTextNotices(request.messages));
  if (search === 'on' && request.webSearch?.count !== undefined) notices.push(RESULTS_FIXED);
  notices.push(...thinking.notices, ...choice.notices, ...sampling.notices);
  const body: JsonObject = {
    model: model.id,
    messages,
    ...(request.delivery === 'stream' && { stream: true, stream_options: { include_usage: true } }),
    ...(tools.length > 0 && { tools, ...choice.members }),
    ...formatMember(request, model),
    ...thinking.members,
    ...sampling.fields,
    ...(request.stop && request.stop.length > 0 && { stop: request.stop }),
    ...limitMember(request, model, notices),
    ...(request.cacheKey && { prompt_cache_key: shortened(request.cacheKey) }),
    ...(request.userHash !== undefined && { safety_identifier: shortened(request.userHash) }),
  };
  const isOffered = toolChoice !== 'none';
  return {
    body,
    notices,
    thinking,
    tools: isOffered ? offeredTools.map(({ name }) => name) : [],
    search,
    demand: choice.demand,
  };
}

const RESULTS_FIXED = notice('parameter_dropped', {
  model: 'Kimi',
  parameters: ['webSearch.count'],
  reason: 'fixed',
});

function searchMode(
  { webSearch, continuation }: ChatRequest,
  model: Model,
  notices: Notice[],
): 'on' | 'off' {
  if (!webSearch) return 'off';
  if (continuation === 'prefix') {
    notices.push(notice('search_unsupported', { model: 'Kimi', reason: 'continuation' }));
    return 'off';
  }
  if (model.tools === 'no') {
    notices.push(notice('search_unsupported', { model: model.title, reason: 'model' }));
    return 'off';
  }
  return 'on';
}

function formatMember({ responseFormat: format }: ChatRequest, model: Model): JsonObject {
  if (!format) return {};
  if (format.type === 'json' || model.json !== 'schema')
    return { response_format: { type: 'json_object' } };
  const name = format.name.replaceAll(/[^\w-]+/g, '_').slice(0, 64) || 'answer';
  const schema = toMoonshotSchema(format.schema);
  return { response_format: { type: 'json_schema', json_schema: { name, strict: true, schema } } };
}

/** Below this an answer makes no sense, and Kimi's own error says more. */
const LEAST_ROOM = 256;

/**
 * `max_completion_tokens`, within the model's limit and, together with the prompt, within its
 * context window.
 */
function limitMember(
  { maxOutputTokens: wanted, messages, tools }: ChatRequest,
  model: Model,
  notices: Notice[],
): JsonObject {
  if (wanted === undefined) return {};
  const about = { model: model.title, requested: wanted };
  let limit = wanted;
  if (limit > model.maxOutputTokens) {
    limit = model.maxOutputTokens;
    notices.push(notice('max_tokens_lowered', { ...about, limit, reason: 'model' }));
  }
  const prompt = Math.ceil(estimateChat(messages, tools) * (1 + ESTIMATE_ERROR));
  const room = model.contextTokens - prompt;
  if (room < limit && room >= LEAST_ROOM) {
    limit = room;
    notices.push(notice('max_tokens_lowered', { ...about, limit, reason: 'window' }));
  }
  return { max_completion_tokens: limit };
}

/** Sampling fields, as far as the model accepts them: newer models accept only their own values. */
function writeKimiSampling(requested: Sampling = {}, model: Model): RequestFields {
  const { fields, notices, leftOut } = clampSampling(requested, model, [
    ...openAiSamplingRules(model.sampling),
    { option: 'seed', field: 'seed', limits: 'fixed' },
  ]);
  if (leftOut.length === 0) return { fields, notices };
  const about = { model: model.title, parameters: leftOut, reason: 'fixed' } as const;
  return { fields, notices: [...notices, notice('parameter_dropped', about)] };
}

function isForced(choice: ToolChoice | undefined): boolean {
  return choice !== undefined && choice !== 'auto' && choice !== 'none';
}

interface WrittenChoice {
  readonly members: JsonObject;
  readonly notices: readonly Notice[];
  /** The tool choice that the model must follow. */
  readonly demand: ForcedToolChoice | undefined;
}

/** Writes the tool choice. With thinking, Kimi accepts only `auto` and `none`. */
function writeKimiToolChoice(
  choice: ToolChoice | undefined,
  model: Model,
  mode: 'on' | 'off',
): WrittenChoice {
  if (choice === undefined || choice === 'auto')
    return { members: {}, notices: [], demand: undefined };
  if (choice === 'none')
    return { members: { tool_choice: 'none' }, notices: [], demand: undefined };
  const mayForce =
    model.toolChoice === 'any' || (model.toolChoice === 'unless_thinking' && mode === 'off');
  if (mayForce) {
    const tool_choice =
      choice === 'required' ? choice : { type: 'function', function: { name: choice.name } };
    return { members: { tool_choice }, notices: [], demand: choice };
  }
  const dropped = notice('tool_choice_dropped', {
    model: model.title,
    ...(choice !== 'required' && { tool: choice.name }),
    reason: mode === 'on' ? 'thinking' : 'unsupported',
  });
  return { members: { tool_choice: 'auto' }, notices: [dropped], demand: undefined };
}

/** Kimi refuses empty content, but a tool result may be empty. */
const NO_OUTPUT = '(no output)';

export function writeKimiMessages(
  { messages, continuation }: Pick<ChatRequest, 'messages' | 'continuation'>,
  { mode, keep }: Pick<ThinkingChoice, 'mode' | 'keep'>,
): JsonObject[] {
  const written = writeMessages(
    messages.map((message) => fitting(message, mode)),
    {
      part: writeMedia,
      reasoning: mode === 'on' ? 'reasoning_content' : 'drop',
      reasoningOn: keep === 'all' ? 'all_turns' : 'tool_turns',
      details: 'drop',
      emptyContent: 'omit',
    },
  );
  const last = messages.at(-1);
  if (continuation !== 'prefix' || last?.role !== 'assistant') return written;
  const begun: JsonObject = {
    ...written.at(-1),
    ...(mode === 'on' && { reasoning_content: (last.reasoning ?? '').toWellFormed() }),
    partial: true,
  };
  return [...written.slice(0, -1), begun];
}

function fitting(message: ChatMessage, mode: 'on' | 'off'): ChatMessage {
  if (message.role === 'tool' && message.content.trim() === '')
    return { ...message, content: NO_OUTPUT };
  if (message.role !== 'assistant' || (message.toolCalls ?? []).length === 0) return message;
  return {
    ...message,
    content: message.content.trim() === '' ? '' : message.content,
    // Turns of other providers have no reasoning, but Kimi requires the field.
    ...(mode === 'on' && { reasoning: message.reasoning ?? '' }),
  };
}

const MAX_ID_CHARS = 128;

/** Shortens an id to what every field accepts; long ones are hashed. */
function shortened(id: string): string {
  const text = id.toWellFormed();
  return text.length <= MAX_ID_CHARS ? text : createHash('sha256').update(text).digest('hex');
}
