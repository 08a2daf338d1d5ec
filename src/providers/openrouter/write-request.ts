import type { ChatMessage, ChatRequest, MediaSource, Thinking } from '#core/chat.ts';
import type { JsonObject } from '#core/json.ts';
import { notice } from '#core/messages/notices.ts';
import type { Model } from '#models/model.ts';
import { cannotTake } from '../wire/cannot-take.ts';
import { toDataUrl, type MediaPart } from '../wire/media.ts';
import { mendCalls } from '../wire/mend-calls.ts';
import { writeFormat, writeLimit, writeToolChoice } from '../wire/openai-fields.ts';
import { writeSampling } from '../wire/openai-sampling.ts';
import { brokenTextNotices, writeMessages, writeTools } from '../wire/write-messages.ts';
import { NOTHING, type WrittenFields, type WrittenRequest } from '../wire/written.ts';
import { writeSearch } from './web-search.ts';

export interface RoutingSettings {
  /**
   * Whether a request may go to those who keep or train on what they get. `deny` unless told, which rules out most free models.
   */
  readonly dataCollection?: 'allow' | 'deny';
  /** Asked for in this order when the first model is not to be had. */
  readonly fallbackModels?: readonly string[];
  /** More of OpenRouter's `provider` object, such as `{"order": ["together"]}`. */
  readonly routing?: JsonObject;
}

export function writeRequest(
  request: ChatRequest,
  model: Model,
  { dataCollection = 'deny', fallbackModels = [], routing = {} }: RoutingSettings,
  isForbidden: (model: string) => boolean = () => false,
): WrittenRequest {
  const { tools = [], toolChoice, responseFormat, stop = [], cacheKey, userHash } = request;
  const mended = mendCalls(request.messages);
  const thinking = writeThinking(request.thinking, model);
  const sampling = writeSampling(request.sampling, model);
  const limit = writeLimit(request.maxOutputTokens, model);
  const search = writeSearch(request.webSearch);
  const others = fallbackModels.filter((id) => !isForbidden(id));
  return {
    body: {
      model: model.id,
      ...(others.length > 0 && { models: others }),
      messages: writeRoutedMessages(mended.messages),
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
      // The same provider again, which may have the beginning of the prompt in its cache.
      ...(cacheKey !== undefined && { session_id: cacheKey }),
      ...(userHash !== undefined && { user: userHash }),
    },
    tools: tools.map(({ name }) => name),
    notices: [
      ...brokenTextNotices(request.messages),
      ...mended.notices,
      ...thinking.notices,
      ...sampling.notices,
      ...limit.notices,
      ...search.notices,
      ...(others.length < fallbackModels.length ? [notice('fallback_models_dropped', {})] : []),
    ],
  };
}

/** Thoughts go back in their typed form where there is one: it is signed, and says the same as the plain one. */
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
  throw cannotTake('messages', message, 'Send the bytes, or an https:// address.');
}

/** `reasoning.effort` says both how much and, with `none`, that not at all. */
function writeThinking(wish: Thinking | undefined, model: Model): WrittenFields {
  if (!wish) return NOTHING;
  if (model.thinking.control === 'never' && model.confidence !== 'low') {
    const unsupported = notice('thinking_unsupported', { model: model.title });
    const notices = wish.mode === 'on' ? [unsupported] : [];
    return { fields: {}, notices };
  }
  const effort = wish.mode === 'off' ? 'none' : (wish.effort ?? 'medium');
  const notices =
    wish.keep === 'all' ? [notice('reasoning_not_kept', { model: 'OpenRouter' })] : [];
  return { fields: { reasoning: { effort } }, notices };
}
