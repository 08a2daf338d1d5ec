// Scripts that are written without spaces.
const IDEOGRAPHIC = String.raw`\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}`;
// Korean has spaces, but its words end in particles, so that pairs find more.
const PAIRED = String.raw`${IDEOGRAPHIC}\p{Script=Hangul}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}`;

const CHARACTER_OR_WORD = new RegExp(
  `[${IDEOGRAPHIC}]|(?:(?![${IDEOGRAPHIC}])[\\p{L}\\p{N}])+`,
  'gu',
);
const PAIRED_OR_WORD = new RegExp(`[${PAIRED}]+|(?:(?![${PAIRED}])[\\p{L}\\p{N}])+`, 'gu');
const IS_PAIRED = new RegExp(`^[${PAIRED}]`, 'u');
const ASCII_WORD = /[a-z0-9]+/g;
const ASCII = /^\p{ASCII}*$/u;

export function isAscii(text: string): boolean {
  return ASCII.test(text);
}

/** Lower case, without accents, with one form for each character. */
export function foldText(text: string): string {
  if (isAscii(text)) return text.toLowerCase();
  return text
    .normalize('NFKD')
    .replaceAll(/\p{M}+/gu, '')
    .normalize('NFKC')
    .toLowerCase();
}

/**
 * The words of a text for exact phrases. In scripts without spaces each character is a word, so that
 * any part of a sentence can be found.
 */
export function cutCharacters(text: string): string[] {
  return foldText(text).match(CHARACTER_OR_WORD) ?? [];
}

/** The words of a folded ASCII text. */
export function asciiWords(folded: string): string[] {
  return folded.match(ASCII_WORD) ?? [];
}

/** A run of a script without spaces, or a word. */
interface CutRun {
  readonly is: 'word' | 'unspaced';
  readonly text: string;
}

/** The words of a folded text, with runs of scripts without spaces whole. */
export function cutRuns(folded: string): CutRun[] {
  if (isAscii(folded)) return asciiWords(folded).map((text): CutRun => ({ is: 'word', text }));
  return (folded.match(PAIRED_OR_WORD) ?? []).map((text): CutRun => ({
    is: IS_PAIRED.test(text) ? 'unspaced' : 'word',
    text,
  }));
}

/** The adjacent pairs of characters of a run: 检索系统 is 检索, 索系 and 系统. */
export function characterPairs(run: string): string[] {
  const characters = charactersOf(run);
  return characters.slice(1).map((character, at) => `${characters[at] ?? ''}${character}`);
}

/** By code points: pairs of surrogates stay whole. */
export function charactersOf(run: string): string[] {
  return Array.from(run);
}
