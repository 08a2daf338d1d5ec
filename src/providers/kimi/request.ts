import { createHash } from 'node:crypto';
import type { JsonObject } from '#core/json/json.ts';
import type {
  ChatMessage,
  ChatRequest,
  ChatTool,
  Sampling,
  ToolChoice,
  WebSearch,
} from '#core/llm/chat.ts';
import { notice, type Notice } from '#core/messages/notices.ts';
import type { Model } from '#models/model.ts';
import { LEAST_OUTPUT_TOKENS, usualOutputTokens } from '#models/output-limit.ts';
import type { ForcedToolChoice } from '../openai-compatible/follow-up/enforce-tool-choice.ts';
import {
  clampSampling,
  openAiSamplingRules,
  promptBound,
  type RequestFields,
  type VendorRequest,
} from '../openai-compatible/request/request-fields.ts';
import {
  brokenTextNotices,
  writeMessages,
  writeTools,
} from '../openai-compatible/request/write-messages.ts';
import { selectDynamicTools, staticTools, withDynamicTools } from './dynamic-tools.ts';
import { writeMedia } from './media.ts';
import { toMoonshotSchema } from './schema/moonshot-schema.ts';
import { SEARCH_TOOL, searchHint } from './search.ts';
import type { SearchFunctions } from './search-functions.ts';
import { chooseThinking, type ThinkingChoice } from './thinking.ts';

export interface KimiRequest extends VendorRequest {
  readonly thinking: ThinkingChoice;
  readonly search: 'on' | 'off';
  /** The search by functions; absent with Kimi's built-in one. */
  readonly functions?: SearchFunctions;
  /** The forced tool choice. */
  readonly demand: ForcedToolChoice | undefined;
  /** Whether Kimi enforces the choice, or has to be told in words. */
  readonly demandBy: 'field' | 'words';
}

/** Writes a checked request for Kimi, within what the model supports. */
export function writeKimiRequest(
  request: ChatRequest,
  model: Model,
  functions?: SearchFunctions,
): KimiRequest {
  const notices: Notice[] = [];
  const search = searchMode(request, model, notices);
  const { toolChoice } = request;
  const isConflict = isForced(toolChoice) && model.toolChoice === 'unless_thinking';
  // Kimi's built-in search does not think; a search by functions does.
  const isBuiltin = search === 'on' && !functions;
  const conflict = isBuiltin ? 'search' : isConflict ? 'forced_tool' : 'none';
  const thinking = chooseThinking(request, model, conflict);
  const choice = writeKimiToolChoice(request, model, { mode: thinking.mode, search });
  // The search is a tool as well: with `none` and a search, the caller's tools are left out.
  const offeredTools = search === 'on' && toolChoice === 'none' ? [] : choice.tools;
  const sampling = writeKimiSampling(request.sampling, model);
  const hint = search === 'on' ? searchHint(hintedSearch(request, functions)) : undefined;
  const dynamic = selectDynamicTools(request, model);
  const messages = [
    ...withDynamicTools(writeKimiMessages(request, thinking), request.messages, dynamic),
    // A user message, because the text is the caller's: a system message would have more authority.
    ...(hint === undefined ? [] : [{ role: 'user', content: hint }]),
  ];
  const tools = [
    ...writeTools(staticTools(offeredTools, dynamic), toMoonshotSchema),
    ...(search === 'on' ? (functions?.tools ?? [SEARCH_TOOL]) : []),
  ];
  notices.push(...brokenTextNotices(request.messages));
  if (isBuiltin && request.webSearch?.count !== undefined) notices.push(RESULTS_FIXED);
  notices.push(...thinking.notices, ...sampling.notices);
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
    ...(model.cacheTtl && { prompt_cache_options: { mode: 'implicit', ttl: model.cacheTtl } }),
    ...(request.userHash !== undefined && { safety_identifier: shortened(request.userHash) }),
  };
  const isOffered = toolChoice !== 'none';
  return {
    body,
    notices,
    thinking,
    tools: isOffered ? offeredTools.map(({ name }) => name) : [],
    search,
    ...(functions && { functions }),
    demand: choice.demand,
    demandBy: choice.demandBy,
  };
}

/** Our own search keeps to the filters itself. */
function hintedSearch(
  { webSearch = {} }: ChatRequest,
  functions: SearchFunctions | undefined,
): WebSearch {
  const { query } = webSearch;
  if (!functions?.keepsFilters) return webSearch;
  return query === undefined ? {} : { query };
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

/**
 * `max_completion_tokens`, within the model's limit and, together with the prompt, within its
 * context window.
 */
function limitMember(
  { maxOutputTokens: wanted, messages, tools }: ChatRequest,
  model: Model,
  notices: Notice[],
): JsonObject {
  const prompt = promptBound(messages, tools);
  if (wanted === undefined) {
    const usual = usualOutputTokens(model, prompt);
    return usual === undefined ? {} : { max_completion_tokens: usual };
  }
  const about = { model: model.title, requested: wanted };
  let limit = wanted;
  if (limit > model.maxOutputTokens) {
    limit = model.maxOutputTokens;
    notices.push(notice('max_tokens_lowered', { ...about, limit, reason: 'model' }));
  }
  const room = model.contextTokens - prompt;
  if (room < limit && room >= LEAST_OUTPUT_TOKENS) {
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

function isForced(choice: ToolChoice | undefined): choice is ForcedToolChoice {
  return choice !== undefined && choice !== 'auto' && choice !== 'none';
}

interface WrittenChoice extends Pick<KimiRequest, 'demand' | 'demandBy'> {
  readonly members: JsonObject;
  /** The tools that are offered. */
  readonly tools: readonly ChatTool[];
}

/**
 * Writes the tool choice. While it thinks, Kimi accepts only `auto` and `none`, and from K3 on
 * `required`; a named tool is then the only one that is offered. The call is checked in any case.
 */
function writeKimiToolChoice(
  { toolChoice: choice, tools = [] }: ChatRequest,
  model: Model,
  { mode, search }: { readonly mode: 'on' | 'off'; readonly search: 'on' | 'off' },
): WrittenChoice {
  if (!isForced(choice)) {
    const members: JsonObject = choice === 'none' ? { tool_choice: 'none' } : {};
    return { members, tools, demand: undefined, demandBy: 'field' };
  }
  const mayForce = model.toolChoice === 'any' || (model.toolChoice !== 'auto' && mode === 'off');
  if (mayForce) {
    const tool_choice =
      choice === 'required' ? choice : { type: 'function', function: { name: choice.name } };
    return { members: { tool_choice }, tools, demand: choice, demandBy: 'field' };
  }
  const offered = choice === 'required' ? tools : tools.filter(({ name }) => name === choice.name);
  // Any search would meet `required`.
  const isTaken = model.toolChoice === 'required_thinking' && search === 'off';
  return {
    members: { tool_choice: isTaken ? 'required' : 'auto' },
    tools: offered,
    demand: choice,
    demandBy: isTaken ? 'field' : 'words',
  };
}

/** Kimi refuses empty content, but a tool result may be empty. */
const NO_OUTPUT = '(no output)';

export function writeKimiMessages(
  { messages, continuation }: Pick<ChatRequest, 'messages' | 'continuation'>,
  { mode, keep }: Pick<ThinkingChoice, 'mode' | 'keep'>,
): JsonObject[] {
  const written = writeMessages(
    messages.map((message) => fitting(message, mode, keep)),
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

function fitting(
  message: ChatMessage,
  mode: ThinkingChoice['mode'],
  keep: ThinkingChoice['keep'],
): ChatMessage {
  if (message.role === 'tool' && message.content.trim() === '')
    return { ...message, content: NO_OUTPUT };
  if (message.role !== 'assistant') return message;
  const isToolTurn = (message.toolCalls ?? []).length > 0;
  return {
    ...message,
    ...(isToolTurn && message.content.trim() === '' && { content: '' }),
    // Turns of other providers have no reasoning, but Kimi requires the field.
    ...(mode === 'on' && (isToolTurn || keep === 'all') && { reasoning: message.reasoning ?? '' }),
  };
}

const MAX_ID_CHARS = 128;

/** Shortens an id to what every field accepts; long ones are hashed. */
function shortened(id: string): string {
  const text = id.toWellFormed();
  return text.length <= MAX_ID_CHARS ? text : createHash('sha256').update(text).digest('hex');
}
