import type { FindingCode, Severity } from '#core/hub/finding.ts';
import type { Meaning } from './lexicon.ts';
import { hasMeaning, type Sentence, type Word } from './sentences.ts';

/** What a rule found in a sentence. */
export interface SentenceMatch {
  readonly code: Exclude<
    FindingCode,
    'scan_invisible_characters' | 'scan_encoded_payload' | 'scan_shadowed_tool'
  >;
  readonly severity: Severity;
}

/** Looks at words that are near each other, so that it takes linear time. */
export type Rule = (sentence: Sentence) => SentenceMatch | undefined;

export function high(code: SentenceMatch['code']): SentenceMatch {
  return { code, severity: 'high' };
}

/** Words in front that may say that the rest is quoted, an example, or what is looked for. */
export const ABOUT_REACH = 12;

/**
 * Whether a phrase is what the sentence is about, such as "detects prompts that ignore previous
 * instructions". An order in between ends that.
 */
export function isDescribed(words: readonly Word[], at: number): boolean {
  // `…, obey it`: an order by itself.
  if (words[at - 1]?.text === ',') return false;
  for (let before = at - 1; before >= Math.max(0, at - ABOUT_REACH); before--) {
    const word = words[before];
    if (word?.means.has('about')) return true;
    if (word?.means.has('turn')) return false;
  }
  return false;
}

/** The positions of words with a meaning. */
export function* positions(words: readonly Word[], meaning: Meaning): Generator<number> {
  for (let at = 0; at < words.length; at++) if (words[at]?.means.has(meaning)) yield at;
}

export function hasQuote(words: readonly Word[], from: number, reach: number): boolean {
  return words.slice(from, from + reach).some(({ text }) => text === '"');
}

/** Whether the model is told to: `you must also execute`. */
export function isOrdered(words: readonly Word[], at: number, reach = 5): boolean {
  return hasMeaning(words, 'must', at - reach, reach);
}
