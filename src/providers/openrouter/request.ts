import { createHash } from 'node:crypto';
import type { JsonObject } from '#core/json/json.ts';
import type { ChatMessage, ChatRequest, MediaSource, ResponseFormat } from '#core/llm/chat.ts';
import { notice } from '#core/messages/notices.ts';
import { descriptorOf } from '#core/providers/list.ts';
import type { Model } from '#models/model.ts';
import { unsupportedInput } from '../openai-compatible/errors/vendor-error.ts';
import { toDataUrl, type MediaPart } from '../openai-compatible/request/media.ts';
import {
  writeFormat,
  writeMaxTokens,
  writeUsualMaxTokens,
  writeSampling,
  writeToolChoice,
  type VendorRequest,
} from '../openai-compatible/request/request-fields.ts';
import {
  brokenTextNotices,
  writeMessages,
  writeTools,
} from '../openai-compatible/request/write-messages.ts';
import { toMoonshotSchema } from '../kimi/schema/moonshot-schema.ts';
import { writeReasoning } from './reasoning.ts';
import { writeSearch } from './web-search.ts';
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
  const thinking = writeReasoning(request.thinking, model);
  const sampling = writeSampling(request.sampling, model);
  const limit =
    request.maxOutputTokens === undefined
      ? writeUsualMaxTokens(request, model)
      : writeMaxTokens(request.maxOutputTokens, model);
  const search = writeSearch(request.webSearch);
  const others = fallbackModels.filter((id) => !isForbidden(id));
  return {
    body: {
      model: model.id,
      ...(others.length > 0 && { models: others }),
      messages: writeRoutedMessages(repaired.messages),
      stream: request.delivery === 'stream',
      ...(tools.length > 0 && { tools: writeTools(tools, schemaFor(model)) }),
      ...(tools.length > 0 && writeToolChoice(toolChoice)),
      ...thinking.fields,
      ...sampling.fields,
      ...limit.fields,
      ...(stop.length > 0 && { stop }),
      ...(responseFormat && writeFormat(withSchema(responseFormat, schemaFor(model)))),
      ...search.fields,
      provider: { data_collection: dataCollection, ...routing },
      // Prefers the same endpoint, which may have the prompt prefix cached.
      ...(cacheKey !== undefined && { session_id: sessionId(cacheKey) }),
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

/** Kimi's models refuse other flavours of JSON Schema behind OpenRouter, too. */
function schemaFor({ id }: Model): (schema: JsonObject) => JsonObject {
  const [vendor] = id.replace(/^~/, '').split('/', 1);
  const isKimi = vendor === descriptorOf('kimi').openRouterVendor;
  return isKimi ? toMoonshotSchema : (schema) => schema;
}

function withSchema(
  format: ResponseFormat,
  write: (schema: JsonObject) => JsonObject,
): ResponseFormat {
  return format.type === 'json_schema' ? { ...format, schema: write(format.schema) } : format;
}

/** The longest `session_id` that OpenRouter accepts. */
const MAX_SESSION_CHARS = 256;

/** Longer keys are hashed, because keys with the same beginning are different sessions. */
function sessionId(cacheKey: string): string {
  return cacheKey.length <= MAX_SESSION_CHARS
    ? cacheKey
    : createHash('sha256').update(cacheKey).digest('hex');
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
