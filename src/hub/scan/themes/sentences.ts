import {
  entryOfWord,
  isLexiconWord,
  MAX_UNSPACED_CHARS,
  phraseAt,
  type WordClass,
  type WordEntry,
} from './lexicon.ts';

/** A word or a phrase of a sentence in lower case, or a punctuation mark. */
export interface Word extends WordEntry {
  readonly text: string;
  /** As it was written, without marks around it. */
  readonly raw: string;
  /** The name of a tool or an argument by how it is written: `send_mail`, `sendMail`. */
  readonly name: string | undefined;
  /** In quotes, or in marks of code. */
  readonly isQuoted: boolean;
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
const ABBREVIATION = /\b(?:e\.g|i\.e)\./gi;
/** A longer one is cut: signs are words that are near each other. */
const MAX_SENTENCE_CHARS = 2_000;

/** The sentences of a text, which has its final form: see `foldLookalikes`. */
export function readSentences(text: string): Sentence[] {
  const sentences: Sentence[] = [];
  for (const part of text.replaceAll(ABBREVIATION, 'such as').split(SENTENCE_END)) {
    if (part.length < 3) continue;
    for (let from = 0; from < part.length; from += MAX_SENTENCE_CHARS) {
      const raw = part.slice(from, from + MAX_SENTENCE_CHARS);
      const lower = raw.toLowerCase().replaceAll(DOTTED_I, 'i');
      sentences.push({ raw, lower, words: readWords(raw) });
    }
  }
  return sentences;
}

/** What a Turkish capital İ becomes. */
const DOTTED_I = 'i\u0307';
const SPACES = /\s+/;
const OPENING = /^["'`‘’“”«»([{<*_|「『（]+/;
const CLOSING = new Set('"\'`‘’“”«»)]}>*_|.,:;!?…。，、：；！？」』）');
const QUOTE = /["'`‘’“”«»「」『』]/;
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
/** Words by which a sentence is English; they are in no other language of the lexicon. */
const ENGLISH = new Set([
  'the',
  'of',
  'and',
  'is',
  'for',
  'with',
  'this',
  'that',
  'by',
  'from',
  'it',
  'your',
  'you',
  'be',
  'are',
  'to',
  'or',
  'when',
  'all',
  'not',
]);
const NAME = /^[A-Za-z]\w{0,60}_\w{1,60}$|^[a-z]{2,30}[A-Z]\w{0,60}$|^[a-z]+(?:-[a-z]+){2,5}$/;

interface Token {
  readonly text: string;
  readonly raw: string;
  readonly name: string | undefined;
  readonly isQuoted: boolean;
}

function readWords(raw: string): Word[] {
  const tokens = readTokens(raw);
  const texts = tokens.map(({ text }) => text);
  const isEnglish = texts.some((text) => ENGLISH.has(text));
  const words: Word[] = [];
  for (let at = 0; at < tokens.length;) {
    const token = tokens[at];
    if (!token) break;
    const phrase = phraseAt(texts, at);
    const text = phrase?.text ?? token.text;
    const { classes, forms, isForeign } = entryOf(text, isEnglish);
    const { raw: written, name, isQuoted } = token;
    words.push({ text, raw: written, name, isQuoted, classes, forms, isForeign });
    at += phrase?.length ?? 1;
  }
  return words;
}

function entryOf(text: string, isEnglish: boolean): WordEntry {
  const isPossessive = text.endsWith("'s") && !isLexiconWord(text);
  return entryOfWord(isPossessive ? text.slice(0, -2) : text, isEnglish);
}

/** The words between spaces, without the marks around them. */
function readTokens(raw: string): Token[] {
  const tokens: Token[] = [];
  let isQuoted = false;
  const add = (text: string, name?: string, written = text) =>
    tokens.push({ text, raw: written, name, isQuoted });
  for (const chunk of raw.split(SPACES)) {
    if (chunk === '') continue;
    const opening = OPENING.exec(chunk)?.[0] ?? '';
    if (QUOTE.test(opening)) {
      add('"');
      isQuoted = true;
    }
    const rest = chunk.slice(opening.length);
    let end = rest.length;
    while (end > 0 && CLOSING.has(rest[end - 1] ?? '')) end -= 1;
    const core = rest.slice(0, end);
    if (core !== '') addCore(core);
    const closing = rest.slice(end);
    if (QUOTE.test(closing)) {
      isQuoted = false;
      add('"');
    }
    for (const character of closing) {
      const mark = MARKS[character];
      if (mark !== undefined) add(mark);
    }
  }
  return tokens;

  function addCore(core: string): void {
    const lower = core.toLowerCase().replaceAll(DOTTED_I, 'i').replaceAll('’', "'");
    if (!ASCII.test(lower) && UNSPACED.test(lower))
      for (const word of cutUnspaced(lower)) add(word);
    else if (NAME.test(core) || (isQuoted && COMPOUND.test(core))) add(lower, core, core);
    else {
      const parts = cutCompound(lower);
      for (const word of parts) add(word, undefined, core);
    }
  }
}

const COMPOUND = /^[a-z]+(?:[-/][a-z]+)+$/;

/** `user-specified` as two words, unless it is known as one. */
function cutCompound(word: string): readonly string[] {
  return COMPOUND.test(word) && !isLexiconWord(word) ? word.split(/[-/]/) : [word];
}

const LATIN_RUN = /[\w.@/:~-]+/y;

/** Latin words, the longest known words, and each other character by itself. */
function cutUnspaced(run: string): string[] {
  const words: string[] = [];
  let at = 0;
  while (at < run.length) {
    LATIN_RUN.lastIndex = at;
    const latin = LATIN_RUN.exec(run)?.[0];
    if (latin !== undefined) {
      words.push(latin);
      at += latin.length;
      continue;
    }
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

/** The first word with a class from `from` on, within `reach` words; -1 without one. */
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
