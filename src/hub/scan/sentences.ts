import { isLexiconWord, MAX_UNSPACED_CHARS, classesOfWord, type WordClass } from './lexicon.ts';

/** A word of a sentence in lower case, or a punctuation mark. */
export interface Word {
  readonly text: string;
  readonly classes: ReadonlySet<WordClass>;
}

/** A sentence of a definition. */
export interface Sentence {
  /** As it was written. */
  readonly raw: string;
  readonly lower: string;
  readonly words: readonly Word[];
}

const SENTENCE_END =
  /(?<=[.!?])["')\]]?\s+|(?<=[。！？；])|\n\s*\n|\n\s*(?=[-*•#<\d])|;\s|(?<=[>)}\]:])\s*\n/u;
const ABBREVIATION = /\be\.g\./gi;
/** A longer one is cut: rules look at words that are near each other. */
const MAX_SENTENCE_CHARS = 2_000;

/** The sentences of a text, which has its final form: see `foldLookalikes`. */
export function readSentences(text: string): Sentence[] {
  const sentences: Sentence[] = [];
  for (const part of text.replaceAll(ABBREVIATION, 'such as').split(SENTENCE_END)) {
    if (part.length < 3) continue;
    for (let from = 0; from < part.length; from += MAX_SENTENCE_CHARS) {
      const raw = part.slice(from, from + MAX_SENTENCE_CHARS);
      const lower = raw.toLowerCase().replaceAll(DOTTED_I, 'i');
      sentences.push({ raw, lower, words: readWords(lower) });
    }
  }
  return sentences;
}

/** What a Turkish capital İ becomes. */
const DOTTED_I = 'i\u0307';
const SPACES = /\s+/;
const OPENING = /^["'`‘’“”«»([{<*_|]+/;
const CLOSING = new Set('"\'`‘’“”«»)]}>*_|.,:;!?…。，、：；！？');
const QUOTE = /["'`‘’“”«»]/;
const UNSPACED =
  /\p{Script=Han}|\p{Script=Hiragana}|\p{Script=Katakana}|\p{Script=Hangul}|\p{Script=Thai}/u;
const ASCII = /^\p{ASCII}*$/u;
/** Marks that end a part of a sentence. */
const MARKS: Readonly<Record<string, string>> = {
  ',': ',',
  ':': ':',
  '，': ',',
  '、': ',',
  '：': ':',
};

function readWords(lower: string): Word[] {
  const words: Word[] = [];
  const add = (text: string) => words.push({ text, classes: classesOfWord(text) });
  for (const chunk of lower.split(SPACES)) {
    if (chunk === '') continue;
    const opening = OPENING.exec(chunk)?.[0] ?? '';
    if (QUOTE.test(opening)) add('"');
    const rest = chunk.slice(opening.length);
    let end = rest.length;
    while (end > 0 && CLOSING.has(rest[end - 1] ?? '')) end -= 1;
    const core = rest.slice(0, end);
    const closing = rest.slice(end);
    if (core !== '') {
      if (!ASCII.test(core) && UNSPACED.test(core)) for (const word of cutUnspaced(core)) add(word);
      else for (const word of cutCompound(core)) add(word);
    }
    if (QUOTE.test(closing)) add('"');
    for (const character of closing) {
      const mark = MARKS[character];
      if (mark !== undefined) add(mark);
    }
  }
  return words;
}

const COMPOUND = /^[a-z]+(?:[-/][a-z]+)+$/;

/** `user-specified` as two words, unless it is known as one. */
function cutCompound(word: string): readonly string[] {
  const plain = word.replace('’', "'");
  return COMPOUND.test(plain) && !isLexiconWord(plain) ? plain.split(/[-/]/) : [plain];
}

/** The longest known words, and each other character by itself. */
function cutUnspaced(run: string): string[] {
  const words: string[] = [];
  let at = 0;
  while (at < run.length) {
    let taken = 1;
    for (let length = Math.min(MAX_UNSPACED_CHARS, run.length - at); length > 1; length--) {
      if (!isLexiconWord(run.slice(at, at + length))) continue;
      taken = length;
      break;
    }
    words.push(run.slice(at, at + taken));
    at += taken;
  }
  return words;
}

/** The first word with a wordClass from `from` on, within `reach` words; -1 without one. */
export function indexOfClass(
  words: readonly Word[],
  wordClass: WordClass,
  from: number,
  reach: number,
): number {
  const end = Math.min(words.length, from + reach);
  for (let at = Math.max(0, from); at < end; at++) if (words[at]?.classes.has(wordClass)) return at;
  return -1;
}

export function hasClass(
  words: readonly Word[],
  wordClass: WordClass,
  from = 0,
  reach: number = words.length,
): boolean {
  return indexOfClass(words, wordClass, from, reach) !== -1;
}
