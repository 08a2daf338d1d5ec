import type { JsonObject } from '#core/json/json.ts';
import { wordsOfName } from '../capabilities.ts';
import type { WordClass } from './lexicon.ts';
import { readSentences } from './sentences.ts';

/** Words at which the first sentence stops to say what the tool is for. */
const ENDS: ReadonlySet<string> = new Set([
  'and',
  'then',
  'also',
  'while',
  'after',
  'before',
  'but',
  'plus',
  'when',
  'through',
  'via',
]);
const MAX_WORDS = 12;

/** What a tool is for, as classes of the words of its name and of the beginning of its description. */
export function purposesOf(name: string, definition: JsonObject): ReadonlySet<WordClass> {
  const { description, title } = definition;
  const ofTitle = typeof title === 'string' ? classesIn(title) : [];
  const head =
    typeof description === 'string'
      ? description.slice(0, MAX_HEAD_CHARS).split(HEAD_END, 1)[0]
      : '';
  const ofHead = classesIn(head ?? '').filter((each) => !OF_NAMES.has(each));
  return new Set([...classesIn(wordsOfName(name).join(' ')), ...ofTitle, ...ofHead]);
}

/** What a name has to say: a description may begin with what the tool is accused of. */
const OF_NAMES: ReadonlySet<WordClass> = new Set([
  'secret',
  'prompt',
  'conversation',
  'mail',
  'personal',
  'file',
  'memory',
  'command',
  'pure',
  'detector',
]);
const MAX_HEAD_CHARS = 300;
const HEAD_END = /[.!?,;:\n(。，；：、]/;

function classesIn(text: string): WordClass[] {
  const words = readSentences(text)[0]?.words ?? [];
  const end = words.findIndex(({ text: word }) => ENDS.has(word));
  return words
    .slice(0, Math.min(end === -1 ? words.length : end, MAX_WORDS))
    .flatMap(({ classes }) => [...classes]);
}
