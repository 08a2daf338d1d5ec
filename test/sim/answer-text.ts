import type { ChatMessage } from '#core/llm/chat.ts';
import { createRandom } from './random.ts';

/**
 * What is asked and answered in a simulation. Every question bears the name of its asking, and its
 * answer is that name and numbered words: what is lost, doubled or somebody else's can be seen in
 * it.
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

/** The asking for one of several answers to a question, from 0. */
export function choiceName(ask: string, choice: number): string {
  return choice === 0 ? ask : `${ask}~${choice + 1}`;
}

/** The same messages, under another name. */
export function renamed(messages: readonly ChatMessage[], from: string, to: string): ChatMessage[] {
  const text = JSON.stringify(messages).replaceAll(`Question (${from})`, `Question (${to})`);
  return JSON.parse(text) as ChatMessage[];
}

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

/**
 * What a model writes as the arguments of a call: by its id it can be seen who wrote it, and for
 * whom.
 */
export function callArguments(id: string, ask: string): string {
  return JSON.stringify({ by: id, for: ask, quoted: '{"a":"}"}', steps: [1, 2, 3] });
}

/** Of a whole answer, what its reader has already, as the request says. */
export function emittedIn(messages: readonly ChatMessage[], whole: string): string {
  const { content } = messages.findLast(({ role }) => role === 'assistant') ?? { content: '' };
  return typeof content === 'string' && whole.startsWith(content) ? content : '';
}

/** Tokens, as vendors of the simulation count them. */
export function wordsOf(text: string): string[] {
  return text.match(/\s*\S+/g) ?? [];
}
