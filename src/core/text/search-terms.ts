import {
  asciiWords,
  characterPairs,
  charactersOf,
  cutRuns,
  foldText,
  isAscii,
} from './cut-words.ts';
import { stemEnglish } from './stem-english.ts';
import { QUERY_STOP_WORDS } from './stop-words.ts';

/** A longer word is cut there: it is data, not a word. */
const MAX_TERM_CHARS = 40;
const MAX_QUERY_CHARS = 4_000;
const MAX_QUERY_TERMS = 64;
const INNER_CAPITAL = /\p{Ll}\p{Lu}|\p{Lu}{2}\p{Ll}/u;
const WORD_START = /(?<=\p{Ll})(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})/u;
const NAME = /[\p{L}\p{N}]+/gu;

/**
 * The terms under which a text is found, in order and with repetitions: stems of words, the parts of
 * names such as `readWholeFile` besides the whole, and characters and pairs of scripts without spaces.
 */
export function searchTerms(text: string): string[] {
  const terms = isAscii(text) ? asciiTerms(text) : mixedTerms(text);
  for (const part of identifierParts(text)) terms.push(termOf(foldText(part)));
  return terms;
}

/** Most texts, whose words need no further look. */
function asciiTerms(text: string): string[] {
  const words = asciiWords(foldText(text));
  for (const [at, word] of words.entries()) words[at] = termOf(word);
  return words;
}

function mixedTerms(text: string): string[] {
  const terms: string[] = [];
  for (const { is, text: run } of cutRuns(foldText(text))) {
    if (is === 'word') terms.push(termOf(run));
    else terms.push(...unspacedTerms(run));
  }
  return terms;
}

/** A term of a query, and how much it counts. */
export interface QueryTerm {
  readonly term: string;
  readonly weight: number;
}

/** A character tells less than a pair that contains it. */
const CHARACTER_WEIGHT = 0.3;

/** The distinct terms of a query. Words that say nothing are left out, unless there are no others. */
export function queryTerms(query: string): QueryTerm[] {
  const runs = cutRuns(foldText(query.slice(0, MAX_QUERY_CHARS)));
  const all = runs.flatMap(({ is, text }) => (is === 'word' ? [text] : characterPairs(text)));
  const telling = all.filter((word) => !QUERY_STOP_WORDS.has(word));
  const weights = new Map<string, number>();
  for (const word of telling.length === 0 ? all : telling) weights.set(termOf(word), 1);
  for (const { is, text } of runs) {
    if (is === 'word') continue;
    const characters = charactersOf(text);
    const weight = characters.length === 1 ? 1 : CHARACTER_WEIGHT;
    for (const each of characters) weights.set(each, Math.max(weight, weights.get(each) ?? 0));
  }
  return [...weights]
    .map(([term, weight]) => ({ term, weight }))
    .toSorted((a, b) => b.weight - a.weight)
    .slice(0, MAX_QUERY_TERMS);
}

/** Whether a term is one character of a script without spaces, which adds nothing to a text's length. */
export function isSingleCharacter(term: string): boolean {
  const code = term.codePointAt(0) ?? 0;
  return code >= FIRST_UNSPACED && term.length === (code > 0xffff ? 2 : 1);
}

/** Thai, the first of the scripts that are written without spaces. */
const FIRST_UNSPACED = 0x0e00;

const MAX_REMEMBERED = 20_000;
/** Most words of a text were in it before, and stemming is the slowest part. */
const remembered = new Map<string, string>();

function termOf(word: string): string {
  const known = remembered.get(word);
  if (known !== undefined) return known;
  if (word.length > MAX_TERM_CHARS) return stemEnglish(cutTerm(word));
  if (remembered.size === MAX_REMEMBERED) remembered.clear();
  const term = stemEnglish(word);
  remembered.set(word, term);
  return term;
}

/** Not between two halves of a character. */
function cutTerm(word: string): string {
  return word
    .slice(0, MAX_TERM_CHARS)
    .toWellFormed()
    .replace(/\uFFFD$/, '');
}

function unspacedTerms(run: string): string[] {
  return [...charactersOf(run), ...characterPairs(run)];
}

function identifierParts(text: string): string[] {
  if (!INNER_CAPITAL.test(text)) return [];
  const names = (text.match(NAME) ?? []).filter(
    (name) => name.length <= MAX_TERM_CHARS && INNER_CAPITAL.test(name),
  );
  return names.flatMap((name) => name.split(WORD_START));
}
