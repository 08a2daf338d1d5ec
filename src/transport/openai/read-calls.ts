import type { ToolCall } from '#core/chat.ts';
import { fieldError, isObject } from '../gateway/fields.ts';

/** The calls that a model made earlier, as its client hands them back. */
export function readCalls(given: unknown, message: number): readonly ToolCall[] {
  if (!Array.isArray(given)) {
    const fix = 'Send them as the model gave them, or leave them out.';
    throw fieldError(`messages[${message}].tool_calls`, 'tool_calls must be a list.', fix);
  }
  const calls: ToolCall[] = [];
  for (let at = 0; at < given.length; at++) calls.push(readCall(given[at], message, at));
  return calls;
}

function readCall(given: unknown, message: number, at: number): ToolCall {
  if (!isObject(given)) throw wrong(message, at, '', 'A tool call must be an object.');
  const { id, type = 'function', function: called } = given;
  if (type !== 'function') {
    throw wrong(message, at, '.type', 'Only calls of functions can be handed back.');
  }
  if (typeof id !== 'string' || id === '') {
    throw wrong(message, at, '.id', 'The tool call has no id.');
  }
  const { name, arguments: text } = isObject(called) ? called : NOTHING;
  if (typeof name !== 'string' || name === '') {
    throw wrong(message, at, '.function.name', 'The tool call has no name.');
  }
  if (typeof text !== 'string') {
    const said = 'The arguments of a tool call must be a text of JSON.';
    throw wrong(message, at, '.function.arguments', said);
  }
  return { id, name, arguments: text };
}

const NOTHING: { readonly name?: unknown; readonly arguments?: unknown } = {};

function wrong(message: number, at: number, member: string, said: string) {
  return fieldError(
    `messages[${message}].tool_calls[${at}]${member}`,
    said,
    'Send {"id", "type": "function", "function": {"name", "arguments"}}, as the model gave it.',
  );
}

/** A call as clients of 2023 hand it back. It had no id then. */
export function readLegacyCall(given: unknown, message: number): ToolCall {
  const { name, arguments: text } = isObject(given) ? given : NOTHING;
  if (typeof name === 'string' && name !== '' && typeof text === 'string') {
    return { id: `call_${message}`, name, arguments: text };
  }
  throw fieldError(
    `messages[${message}].function_call`,
    'The function call has no name, or its arguments are no text.',
    'Send {"name", "arguments"}, as the model gave it.',
  );
}
