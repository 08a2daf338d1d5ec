import type { ChatRequest } from '#core/chat.ts';
import type { JsonObject } from '#core/json.ts';
import { notice, type Notice } from '#core/messages/notices.ts';
import { estimateChat } from '#models/estimate-chat.ts';
import type { Model } from '#models/model.ts';
import { ESTIMATE_ERROR } from '#models/near-limit.ts';
import type { Demand } from '../wire/demanded-call.ts';
import { brokenTextNotices, writeTools } from '../wire/write-messages.ts';
import type { WrittenRequest } from '../wire/written.ts';
import { shortened } from './cache-key.ts';
import { writeKimiMessages } from './kimi-messages.ts';
import { writeSampling } from './sampling.ts';
import { toMoonshotSchema } from './schema/moonshot-schema.ts';
import { SEARCH_TOOL, searchHint } from './search.ts';
import { chooseThinking, type ThinkingChoice } from './think.ts';
import { isForced, writeToolChoice } from './tool-choice.ts';

export interface KimiRequest extends WrittenRequest {
  readonly thinking: ThinkingChoice;
  readonly search: 'on' | 'off';
  /** The choice of a tool that is forced on the model. */
  readonly demand: Demand | undefined;
}

/** A checked request in Kimi's words, as far as this model takes it. */
export function writeRequest(request: ChatRequest, model: Model): KimiRequest {
  const notices: Notice[] = [];
  const search = searchMode(request, model, notices);
  const { toolChoice } = request;
  // The search is a tool, too: who wants no tools and a search is not given the tools.
  const given = search === 'on' && toolChoice === 'none' ? [] : (request.tools ?? []);
  const isConflict = isForced(toolChoice) && model.toolChoice === 'unless_thinking';
  const conflict = search === 'on' ? 'search' : isConflict ? 'forced_tool' : 'none';
  const thinking = chooseThinking(request, model, conflict);
  const choice = writeToolChoice(toolChoice, model, thinking.mode);
  const sampling = writeSampling(request.sampling, model);
  const hint = search === 'on' && request.webSearch ? searchHint(request.webSearch) : undefined;
  const messages = [
    ...writeKimiMessages(request, thinking),
    // The caller's words, and so no more than the caller's: a system message would lend them our voice.
    ...(hint === undefined ? [] : [{ role: 'user', content: hint }]),
  ];
  const tools = [...writeTools(given, toMoonshotSchema), ...(search === 'on' ? [SEARCH_TOOL] : [])];
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
    tools: isOffered ? given.map(({ name }) => name) : [],
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

/** Below this there is no answer to speak of, and Kimi's own refusal says more. */
const LEAST_ROOM = 256;

/** What is asked for may neither be over the model's cap nor, with the prompt, over its window. */
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
