import type { JsonObject } from '#core/json/json.ts';
import type { ChatMessage, ToolCall } from '#core/llm/chat.ts';
import type { Mutable } from '#core/mutable.ts';
import { oneLine } from '#core/text/text.ts';
import {
  fieldError,
  isAbsent,
  isJsonObject,
  isTooDeep,
  isVisible,
  type JsonFields,
} from '../gateway/fields.ts';
import { readContent, readTexts } from './content-parts.ts';
import { readMessageTools, type AddedTool } from './tools.ts';

type AssistantMessage = Extract<ChatMessage, { readonly role: 'assistant' }>;

export interface OpenAiMessages {
  readonly messages: readonly ChatMessage[];
  /** Tools that messages add, each named by the message after which it is known. */
  readonly addedTools: readonly AddedTool[];
}

/** Legacy function calls without a result: their ids by function name. */
type OpenCalls = Map<string, string>;

/**
 * Reads the messages of a conversation. Empty system and assistant messages are dropped, as vendors
 * reject what OpenAI accepts; an empty user message is an error. A system message at the end
 * becomes a user message, because it is what the model has to answer.
 */
export function readOpenAiMessages(value: unknown): OpenAiMessages {
  if (!Array.isArray(value) || value.length === 0) {
    const what = Array.isArray(value) ? 'There is no message.' : 'messages must be a list.';
    throw fieldError('messages', what, 'Send at least one message of the user.');
  }
  const messages: ChatMessage[] = [];
  const addedTools: AddedTool[] = [];
  const open: OpenCalls = new Map();
  let lastAt = 0;
  for (let at = 0; at < value.length; at++) {
    const message = readMessage(value[at], at, open);
    if (message) {
      messages.push(message);
      lastAt = at;
    }
    const added = toolsOf(value[at], at);
    if (!added) continue;
    addedTools.push(...added);
    const before = messages.at(-1);
    // Tools before the first message are tools of the request.
    if (before) messages[messages.length - 1] = adding(before, added);
  }
  const last = messages.at(-1);
  if (!last)
    throw fieldError('messages', 'No message says anything.', 'Add a message of the user.');
  if (last.role === 'system') {
    messages[messages.length - 1] = { ...last, role: 'user' };
  } else if (last.role === 'assistant' && !isVisible(last.content)) {
    throw fieldError(
      `messages[${lastAt}]`,
      'The last message calls tools, and their results are missing.',
      'Add a message of the role tool for each call.',
    );
  }
  return { messages, addedTools };
}

/** The tools that a message of the role system adds. */
function toolsOf(value: unknown, at: number): readonly AddedTool[] | undefined {
  return isJsonObject(value) && value['role'] === 'system'
    ? readMessageTools(value['tools'], at)
    : undefined;
}

function adding(message: ChatMessage, added: readonly AddedTool[]): ChatMessage {
  const names = added.map(({ tool }) => tool.name);
  return { ...message, addsTools: [...(message.addsTools ?? []), ...names] };
}

function readMessage(value: unknown, at: number, open: OpenCalls): ChatMessage | undefined {
  if (!isJsonObject(value)) {
    const fix = 'Send {"role": "user", "content": "…"}.';
    throw fieldError(`messages[${at}]`, 'A message must be an object.', fix);
  }
  const { role } = value;
  switch (role) {
    case 'user':
      return { role, content: readContent(value['content'], at) };
    case 'assistant':
      return readAssistant(value, at, open);
    case 'tool':
      return readTool(value, at);
    case 'system':
    case 'developer': {
      const isEmpty = isAbsent(value['content']) && !isAbsent(value['tools']);
      const content = isEmpty ? '' : readTexts(value['content'], at, '\n\n');
      return isVisible(content) ? { role: 'system', content } : undefined;
    }
    case 'function':
      return readFunction(value, at, open);
    default: {
      const name = typeof role === 'string' ? ` "${oneLine(role, 40)}"` : '';
      const fix = 'Send system, developer, user, assistant or tool.';
      throw fieldError(`messages[${at}].role`, `There is no role${name}.`, fix);
    }
  }
}

function readAssistant(
  value: JsonFields,
  at: number,
  open: OpenCalls,
): AssistantMessage | undefined {
  const { content, refusal, tool_calls: called, function_call: legacy } = value;
  const text = isAbsent(content) ? '' : readTexts(content, at, '');
  const message: Mutable<AssistantMessage> = {
    role: 'assistant',
    content: text === '' && typeof refusal === 'string' ? refusal : text,
  };
  const calls = isAbsent(called) ? [] : readCalls(called, at);
  if (calls.length > 0) message.toolCalls = calls;
  else if (!isAbsent(legacy)) message.toolCalls = [openLegacy(readLegacyCall(legacy, at), open)];
  if (!message.toolCalls && !isVisible(message.content)) return undefined;
  readReasoning(value, at, message);
  return message;
}

function openLegacy(call: ToolCall, open: OpenCalls): ToolCall {
  open.set(call.name, call.id);
  return call;
}

/** Reads earlier reasoning, which some vendors require; clients use different names for it. */
function readReasoning(value: JsonFields, at: number, message: Mutable<AssistantMessage>): void {
  const { reasoning_content: named, reasoning, reasoning_details: details } = value;
  const reasoningText = named ?? reasoning;
  if (typeof reasoningText === 'string') {
    if (reasoningText !== '') message.reasoning = reasoningText;
  } else if (!isAbsent(reasoningText)) {
    const name = isAbsent(named) ? 'reasoning' : 'reasoning_content';
    const fix = 'Send it as it came, or leave it out.';
    throw fieldError(`messages[${at}].${name}`, 'Earlier thoughts must be a text.', fix);
  }
  if (isAbsent(details)) return;
  if (!Array.isArray(details) || !details.every(isJsonObject) || isTooDeep(details)) {
    throw fieldError(
      `messages[${at}].reasoning_details`,
      'reasoning_details must be a list of objects.',
      'Send them as they came, or leave them out.',
    );
  }
  if (details.length > 0) message.reasoningDetails = details as unknown as readonly JsonObject[];
}

function readTool(value: JsonFields, at: number): ChatMessage {
  const { tool_call_id: toolCallId, content, name } = value;
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

function readFunction(value: JsonFields, at: number, open: OpenCalls): ChatMessage {
  const { name, content } = value;
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

/** Reads the tool calls of an earlier assistant message. */
function readCalls(value: unknown, message: number): readonly ToolCall[] {
  if (!Array.isArray(value)) {
    const fix = 'Send them as the model gave them, or leave them out.';
    throw fieldError(`messages[${message}].tool_calls`, 'tool_calls must be a list.', fix);
  }
  const calls: ToolCall[] = [];
  for (let at = 0; at < value.length; at++) calls.push(readCall(value[at], message, at));
  return calls;
}

function readCall(value: unknown, message: number, at: number): ToolCall {
  if (!isJsonObject(value)) throw callError(message, at, '', 'A tool call must be an object.');
  const { id, type = 'function', function: called } = value;
  if (type !== 'function') {
    throw callError(message, at, '.type', 'Only calls of functions can be handed back.');
  }
  if (typeof id !== 'string' || id === '') {
    throw callError(message, at, '.id', 'The tool call has no id.');
  }
  const { name, arguments: text } = isJsonObject(called) ? called : NOTHING;
  if (typeof name !== 'string' || name === '') {
    throw callError(message, at, '.function.name', 'The tool call has no name.');
  }
  if (typeof text !== 'string') {
    const problem = 'The arguments of a tool call must be a text of JSON.';
    throw callError(message, at, '.function.arguments', problem);
  }
  return { id, name, arguments: text };
}

const NOTHING: { readonly name?: unknown; readonly arguments?: unknown } = {};

function callError(message: number, at: number, member: string, problem: string) {
  return fieldError(
    `messages[${message}].tool_calls[${at}]${member}`,
    problem,
    'Send {"id", "type": "function", "function": {"name", "arguments"}}, as the model gave it.',
  );
}

/** Reads a legacy function call, which has no id. */
function readLegacyCall(value: unknown, message: number): ToolCall {
  const { name, arguments: text } = isJsonObject(value) ? value : NOTHING;
  if (typeof name === 'string' && name !== '' && typeof text === 'string') {
    return { id: `call_${message}`, name, arguments: text };
  }
  throw fieldError(
    `messages[${message}].function_call`,
    'The function call has no name, or its arguments are not a string.',
    'Send {"name", "arguments"}, as the model gave it.',
  );
}
