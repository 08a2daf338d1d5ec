import { ENGLISH_STOP_WORDS } from './stop-words.ts';

/** About two in five words of English prose are; of other languages, tables and code, few. */
const LEAST_STOP_WORDS = 0.15;
const LEAST_ASCII = 0.9;
const MAX_CHARS = 4_000;

/** Whether a text is English prose, as far as its function words tell. */
export function isEnglishProse(text: string): boolean {
  const sample = text.slice(0, MAX_CHARS);
  if (!mayBeEnglish(sample)) return false;
  const words = sample.toLowerCase().match(/[a-z]+/g) ?? [];
  const known = words.filter((word) => ENGLISH_STOP_WORDS.has(word)).length;
  return known >= LEAST_STOP_WORDS * words.length;
}

/** Whether a text may be English: a query of a few words says no more than that. */
export function mayBeEnglish(text: string): boolean {
  const letters = text.slice(0, MAX_CHARS).match(/\p{L}/gu) ?? [];
  const ascii = letters.filter((letter) => letter <= 'z').length;
  return ascii > 0 && ascii >= LEAST_ASCII * letters.length;
}
