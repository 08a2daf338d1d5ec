import type { ChatMessage, ToolCall } from '#core/chat.ts';
import { fieldError, isAbsent, readList, readObject, readText } from '../gateway/fields.ts';
import { isVisible } from '../gateway/is-visible.ts';
import { readShallow } from '../gateway/nesting.ts';
import { readCallId } from './read-call-id.ts';
import { shortToolName } from './tool-names.ts';

type AssistantMessage = Extract<ChatMessage, { role: 'assistant' }>;

/** What vendors' own tools did, whose readable outcome is the text around it. */
const OF_SERVER_TOOLS = /^(?:server|mcp)_tool_use$|^[a-z_]+_tool_result$/;

/** What the model said; nothing when that was nothing, which no vendor takes. */
export function readAssistantTurn(content: unknown, field: string): AssistantMessage | undefined {
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
        text += readText(block['text'], `${at}.text`);
        break;
      case 'thinking':
        reasoning = joined(reasoning, readText(block['thinking'], `${at}.thinking`));
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
        if (typeof block['type'] === 'string' && OF_SERVER_TOOLS.test(block['type'])) break;
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

/** Longer than any that may be given to a tool. */
const MAX_NAME_CHARS = 256;

function readName(value: unknown, field: string): string {
  const name = readText(value, field);
  if (name !== '' && name.length <= MAX_NAME_CHARS) return shortToolName(name);
  const message = `A name has 1 to ${MAX_NAME_CHARS} characters.`;
  throw fieldError(field, message, 'Send the name as the model gave it.');
}

function writeArguments(input: unknown, field: string): string {
  return isAbsent(input) ? '{}' : JSON.stringify(readShallow(input, field));
}
