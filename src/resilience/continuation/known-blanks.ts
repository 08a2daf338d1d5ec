import { blankPrefix, lastCharacter } from './code-units.ts';
import type { HeldBack, Place } from './held-back.ts';
import { endsWithinSentence, isInCode } from './seam-blanks.ts';

/** Scripts that put no space between words. */
const UNSPACED =
  /^[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}\p{P}]/u;

/**
 * The white space before a continuation with other words than those that were held back, where it
 * must be that of the first model: left out before a word, or added. Undefined where it is the model's own:
 * another paragraph, a line of code.
 */
export function knownBlanksBefore(
  before: string,
  continuation: string,
  start: number,
  { blanks, words }: HeldBack,
  isAfterPreamble: boolean,
): Place | undefined {
  const count = blankPrefix(continuation, start);
  const said = continuation.slice(start, start + count);
  const next = continuation.slice(start + count, start + count + 2);
  // More white space may have come, where no word came after it.
  if (words === '' && said.startsWith(blanks)) return undefined;
  if (said === blanks && !isAfterPreamble) return undefined;
  const known = { from: start + count, blanks };
  const isWord = /^[\p{L}\p{N}]/u.test(next) && !UNSPACED.test(next);
  if (said === '' || isAfterPreamble)
    return isWord && blanks !== '' && /\S/u.test(lastCharacter(before)) ? known : undefined;
  if (isInCode(before)) return undefined;
  const hasBreak = said.includes('\n');
  if (blanks === ' ') {
    const isAdded = said.endsWith(' ') || (isLowerCase(next) && endsWithinSentence(before));
    return isAdded || !hasBreak ? known : undefined;
  }
  const isUnspaced = blanks === '' && UNSPACED.test(next) && endsWithinSentence(before);
  return isUnspaced ? known : undefined;
}

function isLowerCase(text: string): boolean {
  return /^\p{Ll}/u.test(text);
}
