import type { ChatMessage, ChatPart } from '#core/chat.ts';
import { fieldError, readList, readObject } from '../gateway/fields.ts';
import { isVisible } from '../gateway/is-visible.ts';
import { readPart } from './read-part.ts';
import { readToolResult } from './read-tool-result.ts';

/**
 * What the user says, with the results of tools first: vendors want these right after the turn that called. `calls` are the names
 * of the calls so far, by their ids.
 */
export function readUserTurn(
  content: unknown,
  field: string,
  calls: ReadonlyMap<string, string>,
): readonly ChatMessage[] {
  if (typeof content === 'string') {
    if (isVisible(content)) return [{ role: 'user', content }];
    throw empty(field);
  }
  const results: ChatMessage[] = [];
  const brought: ChatPart[] = [];
  const said: ChatPart[] = [];
  for (const [index, value] of readList(content, field).entries()) {
    const at = `${field}[${index}]`;
    const block = readObject(value, at);
    if (block['type'] !== 'tool_result') {
      // One block may hold more parts than a function takes arguments.
      for (const part of readPart(block, at) ?? unknownType(at)) said.push(part);
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
    brought.push({ type: 'text', text: `This belongs to the result of ${name}:` });
    for (const part of media) brought.push(part);
  }
  const parts = [...brought, ...said];
  if (parts.some((part) => part.type !== 'text' || isVisible(part.text))) {
    return [...results, { role: 'user', content: onlyText(parts) ?? parts }];
  }
  if (results.length === 0) throw empty(field);
  return results;
}

function onlyText(parts: readonly ChatPart[]): string | undefined {
  const [first] = parts;
  return parts.length === 1 && first?.type === 'text' ? first.text : undefined;
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
