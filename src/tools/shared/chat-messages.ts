import * as z from 'zod';
import { CallError } from '#core/errors/call-error.ts';
import type { JsonObject } from '#core/json/json.ts';
import type { ChatMessage, ChatPart, ToolCall } from '#core/llm/chat.ts';
import { parseImage, promptField } from './fields.ts';

/** Conversations as OpenAI writes them, in arguments and results of tools. */

const MAX_MESSAGES = 1_000;
const MAX_CALLS = 128;

const toolCall = z.looseObject({
  id: z.string().max(256),
  type: z.literal('function').optional(),
  function: z.looseObject({ name: z.string().min(1).max(64), arguments: z.string() }),
});

export const ToolCallsShape = z.array(toolCall).max(MAX_CALLS);

const part = z.union([
  z.looseObject({ type: z.literal('text'), text: z.string() }),
  z.looseObject({
    type: z.literal('image_url'),
    image_url: z.looseObject({ url: z.string().min(1) }),
  }),
]);
const text = z.union([z.string(), z.array(part).max(MAX_MESSAGES)]);

const message = z.union([
  z.looseObject({ role: z.enum(['system', 'user']), content: text }),
  z.looseObject({
    role: z.literal('assistant'),
    content: text.nullish(),
    reasoning_content: z.string().nullish(),
    tool_calls: ToolCallsShape.nullish(),
  }),
  z.looseObject({ role: z.literal('tool'), tool_call_id: z.string().max(256), content: text }),
]);
type Message = z.output<typeof message>;

// The forms are not listed, because every listed word is sent with every question.
export const messagesField = z.union([
  promptField,
  z
    .array(
      z
        .looseObject({ role: z.string() })
        .refine(
          (each) => message.safeParse(each).success,
          'give role and content, tool_calls of an assistant, or tool_call_id of a tool',
        ),
    )
    .min(1)
    .max(MAX_MESSAGES),
]);

/** The messages of an argument. */
export function readMessages(given: z.output<typeof messagesField>): readonly ChatMessage[] {
  if (typeof given === 'string') return [{ role: 'user', content: given }];
  return given.map((each, index) => readMessage(message.parse(each), index));
}

function readMessage(given: Message, index: number): ChatMessage {
  if (given.role === 'tool') {
    const { tool_call_id: toolCallId, content } = given as Extract<Message, { role: 'tool' }>;
    return { role: 'tool', toolCallId, content: textOf(content) };
  }
  if (given.role !== 'assistant') {
    const { role, content } = given;
    if (role === 'system') return { role, content: textOf(content) };
    if (typeof content === 'string') return { role, content };
    return { role, content: content.map((each) => readPart(each, index)) };
  }
  const { content, reasoning_content: reasoning, tool_calls: calls } = given;
  return {
    role: 'assistant',
    content: textOf(content ?? ''),
    ...(typeof reasoning === 'string' && { reasoning }),
    ...(calls && calls.length > 0 && { toolCalls: calls.map(readToolCall) }),
  };
}

function readToolCall({ id, function: called }: z.output<typeof toolCall>): ToolCall {
  return { id, name: called.name, arguments: called.arguments };
}

function textOf(content: z.output<typeof text>): string {
  if (typeof content === 'string') return content;
  return content.flatMap((each) => ('text' in each ? [String(each.text)] : [])).join('\n\n');
}

function readPart(given: z.output<typeof part>, index: number): ChatPart {
  if (given.type === 'text') return { type: 'text', text: given.text };
  const source = parseImage(given.image_url.url);
  if (source) return { type: 'image', source };
  throw new CallError('validation', 'A picture must be a data URL or an https address.', {
    field: `messages[${index}].content`,
    fixes: ['Give data:image/png;base64,… or an https address.'],
  });
}

/** A message of ours as the caller can send it back. */
export function formatMessage(given: ChatMessage): JsonObject {
  switch (given.role) {
    case 'system':
      return { role: 'system', content: given.content };
    case 'tool':
      return { role: 'tool', tool_call_id: given.toolCallId, content: given.content };
    case 'assistant': {
      const { content, reasoning, toolCalls = [] } = given;
      return {
        role: 'assistant',
        content,
        ...(reasoning !== undefined && reasoning !== '' && { reasoning_content: reasoning }),
        ...(toolCalls.length > 0 && { tool_calls: toolCalls.map(formatToolCall) }),
      };
    }
    case 'user': {
      const { content } = given;
      if (typeof content === 'string') return { role: 'user', content };
      return { role: 'user', content: content.map(writePart) };
    }
  }
}

function writePart(each: ChatPart): JsonObject {
  if (each.type === 'text') return { type: 'text', text: each.text };
  const { source } = each;
  if ('url' in source) return { type: 'image_url', image_url: { url: source.url } };
  const data = 'base64' in source ? `data:${source.mediaType};base64,${source.base64}` : '';
  return { type: 'image_url', image_url: { url: data } };
}

export function formatToolCall({ id, name, arguments: args }: ToolCall) {
  return { id, type: 'function' as const, function: { name, arguments: args } };
}
