import type { ChatMessage, ToolCall } from '#core/chat.ts';
import type { JsonObject } from '#core/json.ts';
import { oneLine } from '#core/one-line.ts';
import type { Draft } from '#core/draft.ts';
import { fieldError, isAbsent, isObject, type Fields } from '../gateway/fields.ts';
import { isVisible } from '../gateway/is-visible.ts';
import { isTooDeep } from '../gateway/nesting.ts';
import { readCalls, readLegacyCall } from './read-calls.ts';
import { readContent, readTexts } from './read-parts.ts';

type AssistantMessage = Extract<ChatMessage, { readonly role: 'assistant' }>;

/** Calls of 2023 that have no result yet: their ids, by the name of the function. */
type OpenCalls = Map<string, string>;

/**
 * The conversation. A system or assistant message that says nothing is left out, because vendors fieldError what OpenAI takes; what a
 * user says must be something. What stands last is what is asked, so there the system speaks as the user does.
 */
export function readMessages(given: unknown): readonly ChatMessage[] {
  if (!Array.isArray(given) || given.length === 0) {
    const what = Array.isArray(given) ? 'There is no message.' : 'messages must be a list.';
    throw fieldError('messages', what, 'Send at least one message of the user.');
  }
  const messages: ChatMessage[] = [];
  const open: OpenCalls = new Map();
  let lastAt = 0;
  for (let at = 0; at < given.length; at++) {
    const message = readMessage(given[at], at, open);
    if (!message) continue;
    messages.push(message);
    lastAt = at;
  }
  const last = messages.at(-1);
  if (!last)
    throw fieldError('messages', 'No message says anything.', 'Add a message of the user.');
  if (last.role === 'system') {
    messages[messages.length - 1] = { role: 'user', content: last.content };
  } else if (last.role === 'assistant' && !isVisible(last.content)) {
    throw fieldError(
      `messages[${lastAt}]`,
      'The last message calls tools, and their results are missing.',
      'Add a message of the role tool for each call.',
    );
  }
  return messages;
}

function readMessage(given: unknown, at: number, open: OpenCalls): ChatMessage | undefined {
  if (!isObject(given)) {
    const fix = 'Send {"role": "user", "content": "…"}.';
    throw fieldError(`messages[${at}]`, 'A message must be an object.', fix);
  }
  const { role } = given;
  switch (role) {
    case 'user':
      return { role, content: readContent(given['content'], at) };
    case 'assistant':
      return readAssistant(given, at, open);
    case 'tool':
      return readTool(given, at);
    case 'system':
    case 'developer': {
      const content = readTexts(given['content'], at, '\n\n');
      return isVisible(content) ? { role: 'system', content } : undefined;
    }
    case 'function':
      return readFunction(given, at, open);
    default: {
      const name = typeof role === 'string' ? ` "${oneLine(role, 40)}"` : '';
      const fix = 'Send system, developer, user, assistant or tool.';
      throw fieldError(`messages[${at}].role`, `There is no role${name}.`, fix);
    }
  }
}

function readAssistant(given: Fields, at: number, open: OpenCalls): AssistantMessage | undefined {
  const { content, refusal, tool_calls: called, function_call: legacy } = given;
  const said = isAbsent(content) ? '' : readTexts(content, at, '');
  const message: Draft<AssistantMessage> = {
    role: 'assistant',
    content: said === '' && typeof refusal === 'string' ? refusal : said,
  };
  const calls = isAbsent(called) ? [] : readCalls(called, at);
  if (calls.length > 0) message.toolCalls = calls;
  else if (!isAbsent(legacy)) message.toolCalls = [openLegacy(readLegacyCall(legacy, at), open)];
  if (!message.toolCalls && !isVisible(message.content)) return undefined;
  readThoughts(given, at, message);
  return message;
}

function openLegacy(call: ToolCall, open: OpenCalls): ToolCall {
  open.set(call.name, call.id);
  return call;
}

/** Some vendors want them back, and their clients call them by different names. */
function readThoughts(given: Fields, at: number, message: Draft<AssistantMessage>): void {
  const { reasoning_content: named, reasoning, reasoning_details: details } = given;
  const thoughts = named ?? reasoning;
  if (typeof thoughts === 'string') {
    if (thoughts !== '') message.reasoning = thoughts;
  } else if (!isAbsent(thoughts)) {
    const name = isAbsent(named) ? 'reasoning' : 'reasoning_content';
    const fix = 'Send it as it came, or leave it out.';
    throw fieldError(`messages[${at}].${name}`, 'Earlier thoughts must be a text.', fix);
  }
  if (isAbsent(details)) return;
  if (!Array.isArray(details) || !details.every(isObject) || isTooDeep(details)) {
    throw fieldError(
      `messages[${at}].reasoning_details`,
      'reasoning_details must be a list of objects.',
      'Send them as they came, or leave them out.',
    );
  }
  if (details.length > 0) message.reasoningDetails = details as unknown as readonly JsonObject[];
}

function readTool(given: Fields, at: number): ChatMessage {
  const { tool_call_id: toolCallId, content, name } = given;
  if (typeof toolCallId !== 'string' || toolCallId === '') {
    throw fieldError(
      `messages[${at}].tool_call_id`,
      'The result of a tool belongs to no call.',
      'Send the id of the call as tool_call_id.',
    );
  }
  const text = isAbsent(content) ? '' : readTexts(content, at, '\n\n');
  return typeof name === 'string' && name !== ''
    ? { role: 'tool', toolCallId, name, content: text }
    : { role: 'tool', toolCallId, content: text };
}

function readFunction(given: Fields, at: number, open: OpenCalls): ChatMessage {
  const { name, content } = given;
  const toolCallId = typeof name === 'string' ? open.get(name) : undefined;
  if (typeof name !== 'string' || toolCallId === undefined) {
    throw fieldError(
      `messages[${at}].name`,
      'The result of a function belongs to no call.',
      'Name a function that an assistant message before it calls in function_call.',
    );
  }
  open.delete(name);
  const text = isAbsent(content) ? '' : readTexts(content, at, '\n\n');
  return { role: 'tool', toolCallId, name, content: text };
}
