import type { ChatPart } from '#core/chat.ts';
import {
  fieldError,
  isAbsent,
  readList,
  readObject,
  readText,
  type Fields,
} from '../gateway/fields.ts';
import { readCallId } from './read-call-id.ts';
import { readPart } from './read-part.ts';

export interface ToolResult {
  readonly toolCallId: string;
  readonly text: string;
  /** Pictures and documents: a result is a text to the vendors, so these go after it. */
  readonly media: readonly ChatPart[];
}

const FAILED = '[tool error]';

export function readToolResult(block: Fields, field: string): ToolResult {
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
  // Vendors have no word for a failure but the text itself.
  const said = block['is_error'] === true ? `${FAILED} ${text}`.trimEnd() : text;
  return { toolCallId, text: said, media };
}

function readContent(value: unknown, field: string): readonly ChatPart[] {
  if (isAbsent(value)) return [];
  if (typeof value === 'string') return [{ type: 'text', text: value }];
  return readList(value, field).flatMap((each, index) => {
    const at = `${field}[${index}]`;
    const block = readObject(each, at);
    const parts = block['type'] === 'tool_reference' ? reference(block, at) : readPart(block, at);
    if (parts) return parts;
    throw fieldError(
      `${at}.type`,
      'A result holds no such blocks.',
      'Send blocks of the types text, image, document and search_result.',
    );
  });
}

/** Every tool is known to the model from the start, so it is enough to name the one that was found. */
function reference(block: Fields, field: string): readonly ChatPart[] {
  const name = readText(block['tool_name'], `${field}.tool_name`);
  return [{ type: 'text', text: `Found the tool ${name}.` }];
}
