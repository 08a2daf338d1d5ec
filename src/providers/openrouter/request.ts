import type { JsonObject } from '#core/json/json.ts';
import type {
  ChatMessage,
  ChatRequest,
  Citation,
  MediaSource,
  Thinking,
  WebSearch,
} from '#core/llm/chat.ts';
import { notice, type Notice } from '#core/messages/notices.ts';
import type { Model } from '#models/model.ts';
import { unsupportedInput } from '../openai-compatible/errors/vendor-error.ts';
import { toDataUrl, type MediaPart } from '../openai-compatible/request/media.ts';
import {
  NO_FIELDS,
  writeFormat,
  writeMaxTokens,
  writeSampling,
  writeToolChoice,
  type RequestFields,
  type VendorRequest,
} from '../openai-compatible/request/request-fields.ts';
import {
  brokenTextNotices,
  writeMessages,
  writeTools,
} from '../openai-compatible/request/write-messages.ts';
import { asList, asObject, asText, type Unknown } from '../openai-compatible/response/json.ts';
import { repairToolCalls } from '../openai-compatible/request/repair-tool-calls.ts';

export interface RoutingSettings {
  /**
   * Whether requests may go to endpoints that store or train on the data. Default `deny`, which
   * excludes most free models.
   */
  readonly dataCollection?: 'allow' | 'deny';
  /** Fallback models in this order. */
  readonly fallbackModels?: readonly string[];
  /** Further fields of OpenRouter's `provider` object, such as `{"order": ["together"]}`. */
  readonly routing?: JsonObject;
}

export function writeOpenRouterRequest(
  request: ChatRequest,
  model: Model,
  { dataCollection = 'deny', fallbackModels = [], routing = {} }: RoutingSettings,
  isForbidden: (model: string) => boolean = () => false,
): VendorRequest {
  const { tools = [], toolChoice, responseFormat, stop = [], cacheKey, userHash } = request;
  const repaired = repairToolCalls(request.messages);
  const thinking = writeThinking(request.thinking, model);
  const sampling = writeSampling(request.sampling, model);
  const limit = writeMaxTokens(request.maxOutputTokens, model);
  const search = writeSearch(request.webSearch);
  const others = fallbackModels.filter((id) => !isForbidden(id));
  return {
    body: {
      model: model.id,
      ...(others.length > 0 && { models: others }),
      messages: writeRoutedMessages(repaired.messages),
      stream: request.delivery === 'stream',
      ...(tools.length > 0 && { tools: writeTools(tools, (parameters) => parameters) }),
      ...(tools.length > 0 && writeToolChoice(toolChoice)),
      ...thinking.fields,
      ...sampling.fields,
      ...limit.fields,
      ...(stop.length > 0 && { stop }),
      ...(responseFormat && writeFormat(responseFormat)),
      ...search.fields,
      provider: { data_collection: dataCollection, ...routing },
      // Prefers the same endpoint, which may have the prompt prefix cached.
      ...(cacheKey !== undefined && { session_id: cacheKey }),
      ...(userHash !== undefined && { user: userHash }),
    },
    tools: tools.map(({ name }) => name),
    notices: [
      ...brokenTextNotices(request.messages),
      ...repaired.notices,
      ...thinking.notices,
      ...sampling.notices,
      ...limit.notices,
      ...search.notices,
      ...(others.length < fallbackModels.length ? [notice('fallback_models_dropped', {})] : []),
    ],
  };
}

/** Reasoning is sent back in its typed form where there is one, because that is signed. */
function writeRoutedMessages(messages: readonly ChatMessage[]): JsonObject[] {
  const once = messages.map((message) => {
    if (message.role !== 'assistant' || !message.reasoningDetails?.length) return message;
    const { reasoning: _, ...rest } = message;
    return rest;
  });
  return writeMessages(once, {
    part: writePart,
    reasoning: 'reasoning',
    reasoningOn: 'tool_turns',
    details: 'keep',
    emptyContent: 'null',
  });
}

function writePart({ type, source }: MediaPart): JsonObject {
  const url = urlOf(source);
  switch (type) {
    case 'image':
      return { type: 'image_url', image_url: { url } };
    case 'video':
      return { type: 'video_url', video_url: { url } };
    case 'file':
      return { type: 'file', file: { filename: 'document', file_data: url } };
  }
}

function urlOf(source: MediaSource): string {
  if ('base64' in source) return toDataUrl(source);
  if ('url' in source && /^(?:https?:\/\/|data:)/i.test(source.url)) return source.url;
  const message = 'OpenRouter takes pictures and documents by value or by URL.';
  throw unsupportedInput('messages', message, 'Send the bytes, or an https:// address.');
}

/** `reasoning.effort`, with `none` for no thinking. */
function writeThinking(requested: Thinking | undefined, model: Model): RequestFields {
  if (!requested) return NO_FIELDS;
  if (model.thinking.control === 'never' && model.confidence !== 'low') {
    const unsupported = notice('thinking_unsupported', { model: model.title });
    const notices = requested.mode === 'on' ? [unsupported] : [];
    return { fields: {}, notices };
  }
  const effort = requested.mode === 'off' ? 'none' : (requested.effort ?? 'medium');
  const notices =
    requested.keep === 'all' ? [notice('reasoning_not_kept', { model: 'OpenRouter' })] : [];
  return { fields: { reasoning: { effort } }, notices };
}

const MAX_RESULTS = 10;

/** The `web` plugin: OpenRouter searches once per request and puts the results into the prompt. */
function writeSearch(requested: WebSearch | undefined): {
  readonly fields: JsonObject;
  readonly notices: readonly Notice[];
} {
  if (!requested) return { fields: {}, notices: [] };
  const { count } = requested;
  const results =
    count === undefined ? undefined : Math.min(Math.max(1, Math.trunc(count) || 1), MAX_RESULTS);
  const left = NOT_TAKEN.filter((name) => requested[name] !== undefined);
  return {
    fields: { plugins: [{ id: 'web', ...(results !== undefined && { max_results: results }) }] },
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
const NOT_TAKEN = ['query', 'domain', 'recency', 'maxRounds', 'maxTokens'] as const;

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
