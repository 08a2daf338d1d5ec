import type { ChatMessage } from '#core/chat.ts';
import { createRandom } from './random.ts';

/**
 * What is asked and answered in a world. Every question bears the name of its asking, and its answer is that name and
 * numbered words: what is lost, doubled or somebody else's can be seen in it.
 */
export function questionText(ask: string, words: string): string {
  return `Question (${ask}): ${words}`;
}

export function fileText(ask: string, words: string): string {
  return `[file of ${ask}] ${words}`;
}

const QUESTION = /Question \(([^)\s]{1,80})\)/;
const FILE = /\[file of ([^\]\s]{1,80})\]/;

const textOf = ({ content }: ChatMessage) =>
  typeof content === 'string'
    ? content
    : content.map((part) => (part.type === 'text' ? part.text : '')).join('\n');

/** The name of the asking that a request belongs to. */
export function askOf(messages: readonly ChatMessage[]): string | undefined {
  for (const message of messages.toReversed()) {
    const [, ask] = QUESTION.exec(textOf(message)) ?? [];
    if (ask !== undefined) return ask;
  }
  for (const message of messages) {
    const [, ask] = FILE.exec(textOf(message)) ?? [];
    if (ask !== undefined) return ask;
  }
  return undefined;
}

const MAX_WORDS = 30;

export function wholeAnswer(ask: string, format: 'text' | 'json'): string {
  const count = createRandom(0).fork(ask).between(3, MAX_WORDS);
  const words = Array.from({ length: count }, (_, at) => `t${at + 1}`).join(' ');
  const text = `[${ask}] ${words}.`;
  return format === 'json' ? JSON.stringify({ said: text }) : text;
}

/** Of a whole answer, what its reader has already, as the request says. */
export function toldIn(messages: readonly ChatMessage[], whole: string): string {
  const { content } = messages.findLast(({ role }) => role === 'assistant') ?? { content: '' };
  return typeof content === 'string' && whole.startsWith(content) ? content : '';
}

/** Tokens, as vendors of the simulation count them. */
export function wordsOf(text: string): string[] {
  return text.match(/\s*\S+/g) ?? [];
}
