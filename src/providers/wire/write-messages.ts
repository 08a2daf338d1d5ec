import type { ChatMessage, ChatPart, ChatTool } from '#core/chat.ts';
import type { Json, JsonObject } from '#core/json.ts';
import { notice, type Notice } from '#core/messages/notices.ts';

/** How a vendor wants messages. */
export interface MessageStyle {
  /** A picture, video or document, in the vendor's words. */
  part(part: Exclude<ChatPart, { type: 'text' }>): JsonObject;
  /** Under which name earlier thoughts of a turn go back, if at all. */
  readonly reasoning: 'reasoning_content' | 'reasoning' | 'drop';
  /** On all assistant turns, or only on those that called tools. */
  readonly reasoningOn: 'tool_turns' | 'all_turns';
  /** Whether `reasoning_details` goes back. */
  readonly details: 'keep' | 'drop';
  /** What a turn that only called tools has as its content. */
  readonly emptyContent: 'omit' | 'null' | 'empty';
}

/** Messages in the OpenAI shape. Texts that no UTF-8 can hold have their broken halves replaced. */
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

/** A text alone stays a text: text models refuse lists, even of one text. */
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
  const thoughts =
    style.reasoning !== 'drop' && (isToolTurn || style.reasoningOn === 'all_turns')
      ? reasoning
      : undefined;
  return {
    role: 'assistant',
    ...(isToolTurn && content === '' ? NO_CONTENT[style.emptyContent] : { content }),
    ...(thoughts !== undefined && { [style.reasoning]: thoughts.toWellFormed() }),
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

/** Whether something in it cannot be written as UTF-8, which the caller ought to know. */
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
