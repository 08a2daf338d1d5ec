import type { ChatMessage, ChatPart } from '#core/chat.ts';
import { fieldError, readList, readObject } from '../gateway/fields.ts';
import { readAssistantTurn } from './read-assistant-turn.ts';
import { readSystem } from './read-system.ts';
import { readUserTurn } from './read-user-turn.ts';

const MAX_MESSAGES = 100_000;

/** The conversation, in nobody's dialect. The last message is one that can be answered. */
export function readMessages(value: unknown): readonly ChatMessage[] {
  const list = readList(value, 'messages');
  if (list.length === 0) throw fieldError('messages', 'There is no message.', 'Send at least one.');
  if (list.length > MAX_MESSAGES) {
    throw fieldError('messages', `There are more than ${MAX_MESSAGES} messages.`, 'Send fewer.');
  }
  const messages: ChatMessage[] = [];
  const calls = new Map<string, string>();
  const instruct = createInstruct(messages);
  for (const [index, each] of list.entries()) {
    const field = `messages[${index}]`;
    const { role, content } = readObject(each, field);
    switch (role) {
      case 'user':
        for (const said of readUserTurn(content, `${field}.content`, calls)) messages.push(said);
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
        if (text !== undefined) instruct(text);
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
  return answerable(messages);
}

/**
 * Coding agents put instructions between the turns, and after the question. What is asked comes last to everybody here, and the same
 * conversation one turn later must begin with the same words, so all but the first ones are part of what the user says.
 */
function createInstruct(messages: ChatMessage[]): (text: string) => void {
  /** Of the last message that was added to, so that a row of instructions is not copied for each. */
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

/** Nobody answers an instruction, so where there is nothing else the last one is said by the user. */
function answerable(messages: ChatMessage[]): readonly ChatMessage[] {
  const last = messages.at(-1);
  if (!last)
    throw fieldError('messages', 'Every message is empty.', 'Say something in one of them.');
  if (last.role === 'system') messages.splice(-1, 1, { role: 'user', content: last.content });
  return messages;
}
