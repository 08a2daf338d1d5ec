import { NOUNS, OTHERS, VERBS } from './lexicon-english.ts';
import { LANGUAGES } from './lexicon-languages.ts';
import { PHRASES } from './lexicon-phrases.ts';
import { formsOfNoun, formsOfVerb, type WordForm } from './word-forms.ts';

/** What a word may mean. `doNotTell` is one that says both `not` and `tell`. */
export type WordClass =
  | keyof typeof VERBS
  | keyof typeof NOUNS
  | keyof typeof OTHERS
  | keyof typeof PHRASES
  | 'doNotTell';

/** What is known of a word or a phrase. */
export interface WordEntry {
  readonly classes: ReadonlySet<WordClass>;
  /** Its forms as a verb; none for other words. */
  readonly forms: ReadonlySet<WordForm>;
  /** Of a language where the verb may be last. */
  readonly isForeign: boolean;
}

interface NewEntry {
  readonly classes: Set<WordClass>;
  readonly forms: Set<WordForm>;
  isForeign: boolean;
}

const WORDS = new Map<string, NewEntry>();
/** Of other languages: whole words, and beginnings of words, see `LANGUAGES`. */
const FOREIGN = new Map<string, NewEntry>();
const STEMS = new Map<string, NewEntry>();
/** By their first word. */
const PHRASES_BY_WORD = new Map<
  string,
  { readonly rest: readonly string[]; readonly text: string }[]
>();
const UNKNOWN: WordEntry = { classes: new Set(), forms: new Set(), isForeign: false };
const MIN_STEM = 3;
const MAX_STEM = 14;
/** The longest entry of a script without spaces. */
export const MAX_UNSPACED_CHARS = 8;

function addTo(
  map: Map<string, NewEntry>,
  text: string,
  wordClass: WordClass,
  form?: WordForm,
): NewEntry {
  const entry = map.get(text) ?? { classes: new Set(), forms: new Set(), isForeign: false };
  entry.classes.add(wordClass);
  if (form !== undefined) entry.forms.add(form);
  map.set(text, entry);
  return entry;
}

function entriesOf<Key extends string>(table: Readonly<Record<Key, string>>): [Key, string[]][] {
  return (Object.keys(table) as Key[]).map((key) => [
    key,
    table[key].split(' ').filter((word) => word !== ''),
  ]);
}

for (const [wordClass, verbs] of entriesOf(VERBS)) {
  for (const verb of verbs) {
    for (const [text, form] of formsOfVerb(verb)) addTo(WORDS, text, wordClass, form);
  }
}
for (const [wordClass, nouns] of entriesOf(NOUNS)) {
  for (const noun of nouns) for (const text of formsOfNoun(noun)) addTo(WORDS, text, wordClass);
}
for (const [wordClass, words] of entriesOf(OTHERS)) {
  for (const text of words) addTo(WORDS, text, wordClass);
}
for (const [wordClass, list] of Object.entries(PHRASES) as [WordClass, string][]) {
  // Compounds are read as words: `start-up service`.
  const texts = list.split('|').flatMap((text) => [text, text.replaceAll('-', ' ')]);
  for (const text of new Set(texts)) {
    if (text === '') continue;
    addTo(WORDS, text, wordClass, wordClass in VERBS ? 'base' : undefined);
    const [first = '', ...rest] = text.split(' ');
    const known = PHRASES_BY_WORD.get(first) ?? [];
    known.push({ rest, text });
    // The longest first.
    known.sort((a, b) => b.rest.length - a.rest.length);
    PHRASES_BY_WORD.set(first, known);
  }
}
const FOREIGN_VERBS: ReadonlySet<string> = new Set(Object.keys(VERBS));
for (const [wordClass, lines] of Object.entries(LANGUAGES) as [WordClass, string[]][]) {
  for (const word of lines.join(' ').normalize('NFKC').split(' ')) {
    const isStem = word.endsWith('*');
    const form = FOREIGN_VERBS.has(wordClass) ? 'base' : undefined;
    const entry = addTo(
      isStem ? STEMS : FOREIGN,
      isStem ? word.slice(0, -1) : word,
      wordClass,
      form,
    );
    entry.isForeign = true;
  }
}

/** What is known of a word in lower case; words of other languages count outside English sentences. */
export function entryOfWord(word: string, isEnglish: boolean): WordEntry {
  if (isEnglish && ASCII.test(word)) return WORDS.get(word) ?? UNKNOWN;
  return FOREIGN.get(word) ?? WORDS.get(word) ?? entryOfStem(word) ?? UNKNOWN;
}

const ASCII = /^\p{ASCII}*$/u;

function entryOfStem(word: string): WordEntry | undefined {
  for (let length = Math.min(word.length, MAX_STEM); length >= MIN_STEM; length--) {
    const entry = STEMS.get(word.slice(0, length));
    if (entry) return entry;
  }
  return undefined;
}

/** Whether it is a whole entry; entries of scripts without spaces are cut out of runs. */
export function isLexiconWord(word: string): boolean {
  return WORDS.has(word) || FOREIGN.has(word);
}

/** The longest phrase that begins at a word; undefined where none does. */
export function phraseAt(
  words: readonly string[],
  at: number,
): { readonly text: string; readonly length: number } | undefined {
  const known = PHRASES_BY_WORD.get(words[at] ?? '');
  if (known === undefined) return undefined;
  for (const { rest, text } of known) {
    if (rest.every((word, index) => words[at + 1 + index] === word)) {
      return { text, length: rest.length + 1 };
    }
  }
  return undefined;
}
