import type { ChatMessage, ChatPart, ToolCall } from '#core/llm/chat.ts';
import {
  fieldError,
  isAbsent,
  isVisible,
  readList,
  readNestedObject,
  readObject,
  readString,
  type JsonFields,
} from '../gateway/fields.ts';
import { loneText } from '../gateway/lone-text.ts';
import { readPart } from './content-parts.ts';
import { shortToolName } from './tools.ts';

const MAX_MESSAGES = 100_000;

/** Reads the messages of a conversation. The last one is always one that a model can answer. */
export function readAnthropicMessages(value: unknown): readonly ChatMessage[] {
  const list = readList(value, 'messages');
  if (list.length === 0) throw fieldError('messages', 'There is no message.', 'Send at least one.');
  if (list.length > MAX_MESSAGES) {
    throw fieldError('messages', `There are more than ${MAX_MESSAGES} messages.`, 'Send fewer.');
  }
  const messages: ChatMessage[] = [];
  const calls = new Map<string, string>();
  const addInstruction = createAddInstruction(messages);
  for (const [index, each] of list.entries()) {
    const field = `messages[${index}]`;
    const { role, content } = readObject(each, field);
    switch (role) {
      case 'user':
        for (const turn of readUserTurn(content, `${field}.content`, calls)) messages.push(turn);
        break;
      case 'assistant': {
        const turn = readAssistantTurn(content, `${field}.content`);
        if (!turn) break;
        for (const { id, name } of turn.toolCalls ?? []) calls.set(id, name);
        messages.push(turn);
        break;
      }
      case 'system': {
        const text = readSystem(content, `${field}.content`);
        if (text !== undefined) addInstruction(text);
        break;
      }
      default:
        throw fieldError(
          `${field}.role`,
          'There is no such role.',
          'Send user, assistant or system.',
        );
    }
  }
  return withAnswerableEnd(messages);
}

/**
 * Adds system messages. Coding agents put instructions between turns and after the question. The
 * question must come last, and the next request of the conversation must begin with the same text,
 * so all but the first instructions become part of user messages.
 */
function createAddInstruction(messages: ChatMessage[]): (text: string) => void {
  /** The parts of the last extended message, so that consecutive instructions do not copy them. */
  let parts: ChatPart[] = [];
  return (content) => {
    const last = messages.at(-1);
    if (!last || last.role === 'system') {
      messages.push({ role: 'system', content });
      return;
    }
    const text = `<system-reminder>\n${content}\n</system-reminder>`;
    if (last.content !== parts) {
      parts = last.role === 'user' ? [...partsOf(last.content)] : [];
      messages.splice(last.role === 'user' ? -1 : messages.length, 1, {
        role: 'user',
        content: parts,
      });
    }
    parts.push({ type: 'text', text });
  };
}

function partsOf(content: string | readonly ChatPart[]): readonly ChatPart[] {
  return typeof content === 'string' ? [{ type: 'text', text: content }] : content;
}

/** Makes the last message a user message if it is an instruction, which models do not answer. */
function withAnswerableEnd(messages: ChatMessage[]): readonly ChatMessage[] {
  const last = messages.at(-1);
  if (!last)
    throw fieldError('messages', 'Every message is empty.', 'Say something in one of them.');
  if (last.role === 'system') messages.splice(-1, 1, { role: 'user', content: last.content });
  return messages;
}

/**
 * Reads a user message. Tool results come first, as vendors require them right after the calls.
 * `calls` has the names of the calls so far, by id.
 */
function readUserTurn(
  content: unknown,
  field: string,
  calls: ReadonlyMap<string, string>,
): readonly ChatMessage[] {
  if (typeof content === 'string') {
    if (isVisible(content)) return [{ role: 'user', content }];
    throw empty(field);
  }
  const results: ChatMessage[] = [];
  const resultMedia: ChatPart[] = [];
  const ownParts: ChatPart[] = [];
  for (const [index, value] of readList(content, field).entries()) {
    const at = `${field}[${index}]`;
    const block = readObject(value, at);
    if (block['type'] !== 'tool_result') {
      // Not spread into push: a block may have more parts than a function may have arguments.
      for (const part of readPart(block, at) ?? unknownType(at)) ownParts.push(part);
      continue;
    }
    const { toolCallId, text, media } = readToolResult(block, at);
    const name = calls.get(toolCallId);
    if (name === undefined) {
      throw fieldError(
        `${at}.tool_use_id`,
        'No call by this id comes before its result.',
        'Send the message of the assistant with its tool_use block, too.',
      );
    }
    results.push({ role: 'tool', toolCallId, name, content: text });
    if (media.length === 0) continue;
    resultMedia.push({ type: 'text', text: `This belongs to the result of ${name}:` });
    for (const part of media) resultMedia.push(part);
  }
  const parts = [...resultMedia, ...ownParts];
  if (parts.some((part) => part.type !== 'text' || isVisible(part.text))) {
    return [...results, { role: 'user', content: loneText(parts) ?? parts }];
  }
  if (results.length === 0) throw empty(field);
  return results;
}

function empty(field: string): Error {
  return fieldError(field, 'The message is empty.', 'Say something in it, or leave it out.');
}

function unknownType(field: string): never {
  throw fieldError(
    `${field}.type`,
    'The user says no such blocks.',
    'Send blocks of the types text, image, document, search_result and tool_result.',
  );
}

type AssistantMessage = Extract<ChatMessage, { role: 'assistant' }>;

/** Blocks of server-side tools, which are dropped: their outcome is in the text around them. */
const SERVER_TOOL_BLOCK = /^(?:server|mcp)_tool_use$|^[a-z_]+_tool_result$/;

/** Reads an assistant message; undefined if it is empty, which no vendor accepts. */
function readAssistantTurn(content: unknown, field: string): AssistantMessage | undefined {
  if (typeof content === 'string') {
    return isVisible(content) ? { role: 'assistant', content } : undefined;
  }
  let text = '';
  let reasoning = '';
  const toolCalls: ToolCall[] = [];
  for (const [index, value] of readList(content, field).entries()) {
    const at = `${field}[${index}]`;
    const block = readObject(value, at);
    switch (block['type']) {
      case 'text':
        text += readString(block['text'], `${at}.text`);
        break;
      case 'thinking':
        reasoning = joined(reasoning, readString(block['thinking'], `${at}.thinking`));
        break;
      case 'redacted_thinking':
        break;
      case 'tool_use':
        toolCalls.push({
          id: readCallId(block['id'], `${at}.id`),
          name: readName(block['name'], `${at}.name`),
          arguments: writeArguments(block['input'], `${at}.input`),
        });
        break;
      default:
        if (typeof block['type'] === 'string' && SERVER_TOOL_BLOCK.test(block['type'])) break;
        throw fieldError(
          `${at}.type`,
          'The assistant says no such blocks.',
          'Send blocks of the types text, thinking and tool_use.',
        );
    }
  }
  if (toolCalls.length === 0 && !isVisible(text)) return undefined;
  return {
    role: 'assistant',
    content: text,
    ...(reasoning !== '' && { reasoning }),
    ...(toolCalls.length > 0 && { toolCalls }),
  };
}

function joined(before: string, more: string): string {
  return before === '' || more === '' ? before + more : `${before}\n${more}`;
}

/** Longer than any valid tool name. */
const MAX_NAME_CHARS = 256;

function readName(value: unknown, field: string): string {
  const name = readString(value, field);
  if (name !== '' && name.length <= MAX_NAME_CHARS) return shortToolName(name);
  const message = `A name has 1 to ${MAX_NAME_CHARS} characters.`;
  throw fieldError(field, message, 'Send the name as the model gave it.');
}

function writeArguments(input: unknown, field: string): string {
  return isAbsent(input) ? '{}' : JSON.stringify(readNestedObject(input, field));
}

interface ToolResult {
  readonly toolCallId: string;
  readonly text: string;
  /**
   * Pictures and documents. They follow after the results, as a result is a text for the vendors.
   */
  readonly media: readonly ChatPart[];
}

const FAILED = '[tool error]';

function readToolResult(block: JsonFields, field: string): ToolResult {
  const toolCallId = readCallId(block['tool_use_id'], `${field}.tool_use_id`);
  const parts = readContent(block['content'], `${field}.content`);
  const texts: string[] = [];
  const media: ChatPart[] = [];
  for (const part of parts) {
    if (part.type === 'text') texts.push(part.text);
    else media.push(part);
  }
  if (media.length > 0) texts.push('[What else belongs to this result follows after the results.]');
  const text = texts.join('\n');
  // Vendors have no field for a failed result, so the text says it.
  const marked = block['is_error'] === true ? `${FAILED} ${text}`.trimEnd() : text;
  return { toolCallId, text: marked, media };
}

function readContent(value: unknown, field: string): readonly ChatPart[] {
  if (isAbsent(value)) return [];
  if (typeof value === 'string') return [{ type: 'text', text: value }];
  return readList(value, field).flatMap((each, index) => {
    const at = `${field}[${index}]`;
    const block = readObject(each, at);
    const parts =
      block['type'] === 'tool_reference' ? readToolReference(block, at) : readPart(block, at);
    if (parts) return parts;
    throw fieldError(
      `${at}.type`,
      'A result holds no such blocks.',
      'Send blocks of the types text, image, document and search_result.',
    );
  });
}

/**
 * Reads a reference to a found tool. Its name suffices, as the model gets all tools from the start.
 */
function readToolReference(block: JsonFields, field: string): readonly ChatPart[] {
  const name = readString(block['tool_name'], `${field}.tool_name`);
  return [{ type: 'text', text: `Found the tool ${name}.` }];
}

/** Longer than any vendor's id. */
const MAX_ID_CHARS = 512;

/** Reads the id of a tool call. */
function readCallId(value: unknown, field: string): string {
  const id = readString(value, field);
  if (id !== '' && id.length <= MAX_ID_CHARS) return id;
  const message = `An id has 1 to ${MAX_ID_CHARS} characters.`;
  throw fieldError(field, message, 'Send the id of the tool_use block as the model gave it.');
}

/**
 * The prefix of a block in which Claude Code sends its version and a digest, for Anthropic's
 * billing.
 */
const BILLING_PREFIX = 'x-anthropic-billing-header:';

/** Reads system instructions as one text; undefined if there are none. */
export function readSystem(value: unknown, field: string): string | undefined {
  if (isAbsent(value)) return undefined;
  if (typeof value === 'string') return isVisible(value) ? value : undefined;
  const texts: string[] = [];
  for (const [index, block] of readList(value, field).entries()) {
    const text = readTextBlock(block, `${field}[${index}]`);
    // The billing block is not an instruction, and it changes, which would defeat the vendors'
    // prompt caches.
    if (isVisible(text) && !text.startsWith(BILLING_PREFIX)) texts.push(text);
  }
  return texts.length === 0 ? undefined : texts.join('\n\n');
}

function readTextBlock(value: unknown, field: string): string {
  const { type, text } = readObject(value, field);
  if (type === 'text') return readString(text, `${field}.text`);
  throw fieldError(`${field}.type`, 'Instructions are texts.', 'Send blocks of the type text.');
}
