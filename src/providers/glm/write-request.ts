import type { ChatMessage, ChatRequest, ChatTool, ResponseFormat } from '#core/chat.ts';
import type { JsonObject } from '#core/json.ts';
import { notice } from '#core/messages/notices.ts';
import type { Model } from '#models/model.ts';
import { cannotTake } from '../wire/cannot-take.ts';
import {
  brokenTextNotices,
  writeMessages,
  writeTools,
  type MessageStyle,
} from '../wire/write-messages.ts';
import { NOTHING, type WrittenFields, type WrittenRequest } from '../wire/written.ts';
import { writeLimit } from './limit.ts';
import { writePart } from './media.ts';
import { writeSampling } from './sampling.ts';
import type { Site } from './site.ts';
import { keepsThoughts, writeThinking } from './thinking.ts';
import { searchNotices, writeSearchTool } from './web-search.ts';

/** A request in GLM's words, as its model takes it. `instructions` follow the caller's own system messages. */
export function writeRequest(
  request: ChatRequest,
  model: Model,
  site: Site,
  instructions: readonly string[] = [],
): WrittenRequest {
  const thinking = writeThinking(request.thinking, model);
  const sampling = writeSampling(request.sampling, model);
  const limit = writeLimit(request.maxOutputTokens, model);
  const search = writeSearch(request, model, site);
  const user = writeUser(request.userHash);
  const given = givenTools(request);
  const tools = [...writeGlmTools(given), ...(search.tool ? [search.tool] : [])];
  if (tools.length > model.maxTools) {
    const message = `The search is a tool, too, and ${model.title} takes ${model.maxTools} at most.`;
    throw cannotTake('tools', message, 'Send fewer tools.');
  }
  const isStream = request.delivery === 'stream';
  return {
    body: {
      model: model.id,
      messages: writeGlmMessages(request, model, instructions),
      stream: isStream,
      ...(tools.length > 0 && { tools }),
      ...(given.length > 0 && { tool_choice: 'auto' }),
      // Models that do not know it ignore it.
      ...(given.length > 0 && isStream && { tool_stream: true }),
      ...thinking.fields,
      ...sampling.fields,
      ...limit.fields,
      ...(request.stop && request.stop.length > 0 && { stop: request.stop }),
      ...writeFormat(request.responseFormat, model),
      ...user.fields,
    },
    notices: [
      ...brokenTextNotices(request.messages),
      ...thinking.notices,
      ...sampling.notices,
      ...limit.notices,
      ...search.notices,
      ...user.notices,
    ],
    tools: given.map(({ name }) => name),
  };
}

/** GLM follows no choice of tool: who may call none is given none, and who must call one has no other. */
function givenTools({ tools = [], toolChoice }: ChatRequest): readonly ChatTool[] {
  if (toolChoice === 'none') return [];
  return typeof toolChoice === 'object'
    ? tools.filter(({ name }) => name === toolChoice.name)
    : tools;
}

/** A description is required, and parameters without a type are refused by some models. */
export function writeGlmTools(tools: readonly ChatTool[]): JsonObject[] {
  const described = tools.map((tool) =>
    tool.description.trim() === ''
      ? { ...tool, description: tool.name.replaceAll(/[_-]+/g, ' ') }
      : tool,
  );
  return writeTools(described, (parameters) => ({
    type: 'object',
    properties: {},
    ...parameters,
  }));
}

/** Content that is empty is refused, and a tool may well have given none. */
const NO_RESULT = '(no output)';

export function writeGlmMessages(
  { messages, thinking }: Pick<ChatRequest, 'messages' | 'thinking'>,
  model: Model,
  instructions: readonly string[] = [],
): JsonObject[] {
  const style: MessageStyle = {
    part: writePart,
    reasoning: 'reasoning_content',
    reasoningOn: keepsThoughts(thinking, model) ? 'all_turns' : 'tool_turns',
    details: 'drop',
    emptyContent: 'omit',
  };
  const filled = messages.map((message): ChatMessage =>
    message.role === 'tool' && message.content === ''
      ? { ...message, content: NO_RESULT }
      : message,
  );
  // Behind the caller's system messages, which a cache then still recognises.
  const at = filled.findIndex(({ role }) => role !== 'system');
  const added = instructions.map((content): ChatMessage => ({ role: 'system', content }));
  return writeMessages(filled.toSpliced(at === -1 ? filled.length : at, 0, ...added), style);
}

function writeSearch({ webSearch }: ChatRequest, { title, tools }: Model, site: Site) {
  if (!webSearch) return { notices: [] };
  if (tools === 'no') {
    return { notices: [notice('search_unsupported', { model: title, reason: 'model' })] };
  }
  return { tool: writeSearchTool(webSearch, site), notices: searchNotices(webSearch) };
}

const MIN_USER_CHARS = 6;
const MAX_USER_CHARS = 128;

const USER_TOO_SHORT = notice('parameter_dropped', {
  model: 'GLM',
  parameters: ['userHash'],
  reason: 'too_short',
});

function writeUser(hash: string | undefined): WrittenFields {
  if (hash === undefined) return NOTHING;
  return hash.length < MIN_USER_CHARS
    ? { fields: {}, notices: [USER_TOO_SHORT] }
    : { fields: { user_id: hash.slice(0, MAX_USER_CHARS).toWellFormed() }, notices: [] };
}

/** A schema is taken without a word and ignored, so at most JSON is asked for, and an object at that. */
function writeFormat(format: ResponseFormat | undefined, { json }: Model): JsonObject {
  if (!format || json === 'none') return {};
  const root = format.type === 'json_schema' ? format.schema['type'] : 'object';
  const isObject = root === undefined || root === 'object';
  return isObject ? { response_format: { type: 'json_object' } } : {};
}
