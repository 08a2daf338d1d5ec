import { blankPrefix, lastCharacter } from './code-units.ts';
import type { HeldBack, Place } from './held-back.ts';
import { overlapOf } from './overlap.ts';
import { SHORT_WORDS } from './repeated-words.ts';
import { endsWithinSentence, isInCode } from './seam-blanks.ts';

const LOOKED_AT_CHARS = 400;
/** Scripts that put no space between words. */
const UNSPACED =
  /^[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}\p{P}]/u;
const PART_OF_WORD = /^[\p{L}\p{M}\p{N}_]/u;

/**
 * How many characters of a continuation, from `start` on, say the end of a text again after which white
 * space is known to follow. An exact continuation begins with that, so one that begins with the end of
 * the text, within a word or with a whole one, repeats it.
 *
 * `ambiguous`: a short word, of which the space may have been left out ("the pizza" + "a day"), a
 * number, a sign, or a text that repeats itself. Nothing tells a repetition from new text.
 */
export function repeatedBeforeBlanks(
  before: string,
  continuation: string,
  start: number,
  { blanks }: HeldBack,
  last: 'last' | 'more',
): number | 'undecided' | 'ambiguous' {
  if (blanks === '' || blankPrefix(before.slice(-1)) > 0) return 0;
  if (blankPrefix(continuation, start) > 0) return 0;
  const { chars, mayGrow } = overlapOf(continuation, start, before.slice(-LOOKED_AT_CHARS));
  const isOpen = mayGrow || start + chars === continuation.length;
  if (isOpen && last === 'more') return 'undecided';
  const said = continuation.slice(start, start + chars);
  const next = continuation.slice(start + chars, start + chars + 2);
  const isInWord = PART_OF_WORD.test(said.slice(-1)) && PART_OF_WORD.test(next);
  if (chars === 0 || isInWord) return 0;
  const earlier = before.slice(0, -chars);
  const isSaidOver =
    isSame(earlier.trimEnd().slice(-chars), said) ||
    isSame(
      continuation
        .slice(start + chars)
        .trimStart()
        .slice(0, chars),
      said,
    );
  if (isSaidOver) return 'ambiguous';
  if (!/\p{L}/u.test(said)) return /^[,;:.!?]$/.test(said) ? chars : 'ambiguous';
  const isFragment = /[\p{L}\p{N}]/u.test(lastCharacter(earlier));
  return isFragment && SHORT_WORDS.has(said.toLowerCase()) ? 'ambiguous' : chars;
}

/**
 * The white space before a continuation with other words than those that were held back, where it
 * must be that of the first model: left out before a word, or added. Undefined where it is the model's own:
 * another paragraph, a line of code.
 */
export function knownBlanksBefore(
  before: string,
  continuation: string,
  start: number,
  { blanks }: HeldBack,
  how: 'prefix' | 'instructed' | 'preamble',
): Place | undefined {
  const count = blankPrefix(continuation, start);
  const said = continuation.slice(start, start + count);
  const next = continuation.slice(start + count, start + count + 2);
  if (said === blanks && how !== 'preamble') return undefined;
  const known = { from: start + count, blanks };
  const isWord = /^[\p{L}\p{N}]/u.test(next) && !UNSPACED.test(next);
  if (said === '' || how === 'preamble') {
    const end = lastCharacter(before);
    // A vendor that continues the text itself may have made a longer word of it: "light" + "weight".
    const isNext = isWord && (how !== 'prefix' || /[,;:.!?|)\]}]/u.test(end));
    return isNext && blanks !== '' && /\S/u.test(end) ? known : undefined;
  }
  if (isInCode(before)) return undefined;
  const hasBreak = said.includes('\n');
  if (blanks === ' ') {
    const isAdded = said.endsWith(' ') || (isLowerCase(next) && endsWithinSentence(before));
    return isAdded || !hasBreak ? known : undefined;
  }
  const isUnspaced = blanks === '' && UNSPACED.test(next) && endsWithinSentence(before);
  return isUnspaced ? known : undefined;
}

function isSame(text: string, other: string): boolean {
  return text.toLowerCase() === other.toLowerCase();
}

function isLowerCase(text: string): boolean {
  return /^\p{Ll}/u.test(text);
}
