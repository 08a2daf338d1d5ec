import type { ChatMessage, ToolCall } from '#core/chat.ts';
import { isAbsent, readFields, readList, readShallow, readText, refuse } from './body-fields.ts';
import { shortToolName } from './tool-names.ts';

type AssistantMessage = Extract<ChatMessage, { role: 'assistant' }>;

/** What vendors' own tools did, whose readable outcome is the text around it. */
const OF_SERVER_TOOLS = /^(?:server|mcp)_tool_use$|^[a-z_]+_tool_result$/;

/** What the model said; nothing when that was nothing, which no vendor takes. */
export function readAssistantTurn(content: unknown, field: string): AssistantMessage | undefined {
  if (typeof content === 'string') {
    return content === '' ? undefined : { role: 'assistant', content };
  }
  let text = '';
  let reasoning = '';
  const toolCalls: ToolCall[] = [];
  for (const [index, value] of readList(content, field).entries()) {
    const at = `${field}[${index}]`;
    const block = readFields(value, at);
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
          id: readId(block['id'], `${at}.id`),
          name: readName(block['name'], `${at}.name`),
          arguments: writeArguments(block['input'], `${at}.input`),
        });
        break;
      default:
        if (typeof block['type'] === 'string' && OF_SERVER_TOOLS.test(block['type'])) break;
        throw refuse(
          `${at}.type`,
          'The assistant says blocks of the types "text", "thinking" and "tool_use".',
        );
    }
  }
  if (text === '' && toolCalls.length === 0) return undefined;
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

const MAX_ID_CHARS = 512;
const MAX_NAME_CHARS = 256;

function readId(value: unknown, field: string): string {
  const id = readText(value, field);
  if (id !== '' && id.length <= MAX_ID_CHARS) return id;
  throw refuse(field, `An id has 1 to ${MAX_ID_CHARS} characters.`);
}

function readName(value: unknown, field: string): string {
  const name = readText(value, field);
  if (name !== '' && name.length <= MAX_NAME_CHARS) return shortToolName(name);
  throw refuse(field, `A name has 1 to ${MAX_NAME_CHARS} characters.`);
}

function writeArguments(input: unknown, field: string): string {
  return isAbsent(input) ? '{}' : JSON.stringify(readShallow(input, field));
}
