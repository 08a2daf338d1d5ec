import type { FindingCode, FindingSeverity } from '#core/hub/finding.ts';
import type { WordClass } from './lexicon.ts';
import { hasClass, type Sentence, type Word } from './sentences.ts';

/** What a rule found in a sentence. */
export interface SentenceMatch {
  readonly code: Exclude<
    FindingCode,
    'scan_invisible_characters' | 'scan_encoded_payload' | 'scan_shadowed_tool' | 'scan_order_signs'
  >;
  readonly severity: FindingSeverity;
}

/** Looks at words that are near each other, so that it takes linear time. */
export type SentenceRule = (sentence: Sentence) => SentenceMatch | undefined;

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
    if (word?.classes.has('about')) return true;
    if (word?.classes.has('turn')) return false;
  }
  return false;
}

/** The positions of words with a wordClass. */
export function* positions(words: readonly Word[], wordClass: WordClass): Generator<number> {
  for (let at = 0; at < words.length; at++) if (words[at]?.classes.has(wordClass)) yield at;
}

export function hasQuote(words: readonly Word[], from: number, reach: number): boolean {
  return words.slice(from, from + reach).some(({ text }) => text === '"');
}

/** Whether the model is told to: `you must also execute`. */
export function isOrdered(words: readonly Word[], at: number, reach = 5): boolean {
  return hasClass(words, 'must', at - reach, reach);
}
