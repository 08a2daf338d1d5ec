import type { Json, JsonObject } from '#core/json/json.ts';
import type { ChatMessage, ChatPart, ChatTool } from '#core/llm/chat.ts';
import { notice, type Notice } from '#core/messages/notices.ts';
import { asObject } from '../response/json.ts';

/** How a vendor expects messages. */
export interface MessageStyle {
  /** Writes a picture, video or document. */
  part(part: Exclude<ChatPart, { type: 'text' }>): JsonObject;
  /** The field in which earlier reasoning is sent back, if at all. */
  readonly reasoning: 'reasoning_content' | 'reasoning' | 'drop';
  /** For all assistant turns, or only for those that called tools. */
  readonly reasoningOn: 'tool_turns' | 'all_turns';
  /** Whether `reasoning_details` is sent back. */
  readonly details: 'keep' | 'drop';
  /** The content of a turn that only called tools. */
  readonly emptyContent: 'omit' | 'null' | 'empty';
}

/**
 * Writes messages in OpenAI's format. Lone surrogates are replaced, because UTF-8 cannot represent
 * them.
 */
export function writeMessages(messages: readonly ChatMessage[], style: MessageStyle): JsonObject[] {
  return messages.map((message) => writeMessage(message, style));
}

function writeMessage(message: ChatMessage, style: MessageStyle): JsonObject {
  switch (message.role) {
    case 'system':
      return { role: 'system', content: message.content.toWellFormed() };
    case 'user':
      return { role: 'user', content: writeContent(message.content, style) };
    case 'tool':
      return {
        role: 'tool',
        tool_call_id: message.toolCallId,
        ...(message.name !== undefined && { name: message.name }),
        content: message.content.toWellFormed(),
      };
    case 'assistant':
      return writeAssistant(message, style);
  }
}

/** Text only is written as a string: text models refuse lists. */
function writeContent(content: string | readonly ChatPart[], style: MessageStyle): Json {
  if (typeof content === 'string') return content.toWellFormed();
  const parts = content.filter((part) => part.type !== 'text' || part.text !== '');
  if (parts.every((part) => part.type === 'text'))
    return parts.map(({ text }) => text.toWellFormed()).join('\n\n');
  return parts.map((part) =>
    part.type === 'text' ? { type: 'text', text: part.text.toWellFormed() } : style.part(part),
  );
}

function writeAssistant(
  message: Extract<ChatMessage, { role: 'assistant' }>,
  style: MessageStyle,
): JsonObject {
  const { toolCalls = [], reasoning, reasoningDetails } = message;
  const isToolTurn = toolCalls.length > 0;
  const content = message.content.toWellFormed();
  const reasoningText =
    style.reasoning !== 'drop' && (isToolTurn || style.reasoningOn === 'all_turns')
      ? reasoning
      : undefined;
  return {
    role: 'assistant',
    ...(isToolTurn && content === '' ? NO_CONTENT[style.emptyContent] : { content }),
    ...(reasoningText !== undefined && { [style.reasoning]: reasoningText.toWellFormed() }),
    ...(style.details === 'keep' && reasoningDetails && { reasoning_details: reasoningDetails }),
    ...(isToolTurn && {
      tool_calls: toolCalls.map(({ id, name, arguments: text }) => ({
        id,
        type: 'function',
        function: { name, arguments: text.toWellFormed() },
      })),
    }),
  };
}

const NO_CONTENT: Record<MessageStyle['emptyContent'], JsonObject> = {
  omit: {},
  null: { content: null },
  empty: { content: '' },
};

export function writeTools(
  tools: readonly ChatTool[],
  schema: (parameters: JsonObject) => JsonObject,
): JsonObject[] {
  return tools.map(({ name, description, parameters }) => ({
    type: 'function',
    function: { name, description: description.toWellFormed(), parameters: schema(parameters) },
  }));
}

/** Whether a message contains lone surrogates. */
function hasBrokenText(messages: readonly ChatMessage[]): boolean {
  return messages.some(({ content }) =>
    typeof content === 'string'
      ? !content.isWellFormed()
      : content.some((part) => part.type === 'text' && !part.text.isWellFormed()),
  );
}

export function brokenTextNotices(messages: readonly ChatMessage[]): readonly Notice[] {
  return hasBrokenText(messages) ? [notice('characters_replaced', {})] : [];
}

/**
 * Adds an instruction to the first system message: many chat templates allow only one, at the top.
 */
export function withInstruction(body: JsonObject, instruction: string): JsonObject {
  const messages = Array.isArray(body['messages']) ? (body['messages'] as readonly Json[]) : [];
  const first = asObject(messages[0]);
  if (first?.['role'] === 'system' && typeof first['content'] === 'string') {
    if (first['content'].includes(instruction)) return body;
    const content = `${first['content']}\n\n${instruction}`;
    return { ...body, messages: [{ role: 'system', content }, ...messages.slice(1)] };
  }
  return { ...body, messages: [{ role: 'system', content: instruction }, ...messages] };
}
