import { bordersOf } from './borders.ts';
import { blankPrefix, commonLength, isInsidePair } from './code-units.ts';
import type { Start } from './held-back.ts';
import { overlapOf, type PatternResult, type Repetition } from './overlap.ts';
import { UNSPACED } from './unspaced.ts';

const LOOKED_AT_CHARS = 400;
/** A pattern is looked for in this much of the end of a text. */
const MAX_PERIOD = 200;
/** A repetition makes two periods of any text, and three where it ends with the same word twice. */
const MIN_PERIODS = 4;
/** A text without a held word is no longer than its first piece. */
const MAX_FIRST_PIECE_CHARS = 100;

/**
 * Whether a continuation may begin with a repetition that is too short to be removed, or of which only
 * the first `removed` characters are, and would be said twice. An exact continuation begins with the word
 * that was held back, so one that begins with the end of the text instead is hardly ever new. Of an answer
 * that broke off in its first piece no word was held back: there, an exact continuation may begin with the
 * same letter by chance, and is refused.
 */
export function mayRepeat(
  before: string,
  continuation: string,
  starts: readonly Start[],
  hasHeldWords: boolean,
): boolean {
  if (!hasHeldWords && before.length > MAX_FIRST_PIECE_CHARS) return false;
  const tail = before.slice(-LOOKED_AT_CHARS);
  return starts.some(({ at, blanks }) => {
    const { chars } = overlapOf(continuation, at, tail);
    const common = continuation.slice(at, at + chars);
    if (common.trim() === '') return false;
    // A pattern of signs that is continued begins with all of the first piece.
    if (!hasHeldWords && !/\p{L}/u.test(common)) return common !== before.trimStart();
    // After white space, the next word may begin with the same letters. A first piece may end within a
    // word, and a line break is often added there.
    const isAdded = !hasHeldWords && continuation.slice(0, at).includes('\n');
    const isAfterBlanks =
      (at > 0 && blanks === 0 && !isAdded) || (hasHeldWords && /^\s/u.test(common));
    const next = continuation.slice(at + chars, at + chars + 2);
    return !(isAfterBlanks && isPartOfWord(common) && /^[\p{L}\p{N}]/u.test(next));
  });
}

/** Whether a text is letters that more letters may follow, with the white space before them. */
function isPartOfWord(text: string): boolean {
  return /^\s*[\p{L}\p{N}]+$/u.test(text) && !UNSPACED.test(text);
}

/** Whether nothing tells if the text after a preamble is the same word as the end of the text so far. */
export function mayBeOneWord(before: string, continuation: string, start: number): boolean {
  return (
    before.length <= MAX_FIRST_PIECE_CHARS &&
    !isInsidePair(continuation, start) &&
    /[\p{L}\p{N}]$/u.test(before) &&
    /^[\p{L}\p{N}]/u.test(continuation.slice(start, start + 2))
  );
}

/** How many characters at the start of a continuation are white space after that of a first piece. */
export function addedAfterFirstPiece(before: string, continuation: string): number {
  if (before.length > MAX_FIRST_PIECE_CHARS || !/[\p{L}\p{N},;] $/u.test(before)) return 0;
  return blankPrefix(continuation);
}

/**
 * Whether a text with an exact continuation is a pattern around the seam, although the continuation
 * begins with the end of the text: several whole periods of it are there, and the text continues the
 * longest pattern that it ends with, unless only what follows the possible repetition does.
 */
export function isPatternOf(found: Repetition, last: 'last' | 'more'): PatternResult {
  let isOpen = false;
  for (let gap = found.blanks; gap <= found.start; gap++) {
    const is = hasEnoughPeriods(found, gap, last);
    const { before, continuation, start, chars } = found;
    if (is === 'pattern') return continuesPattern(before, continuation, start + chars, last);
    isOpen ||= is === 'undecided';
  }
  const longer = followsLongerPattern(found, last);
  if (longer !== 'no_pattern') return longer;
  return isOpen ? 'undecided' : 'no_pattern';
}

/** Whether a longer pattern is continued, of which the end of the text has two periods. */
function followsLongerPattern(
  { before, continuation, chars }: Repetition,
  last: 'last' | 'more',
): PatternResult {
  const longest = longestPeriod(before);
  if (longest === undefined || longest <= chars) return 'no_pattern';
  const same = commonLength(continuation, 0, before, before.length - longest, longest);
  if (same === longest) return 'pattern';
  if (same < continuation.length) return 'no_pattern';
  return last === 'more' ? 'undecided' : 'pattern';
}

function hasEnoughPeriods(
  { before, continuation, start, chars }: Repetition,
  gap: number,
  last: 'last' | 'more',
): PatternResult {
  const period = wholePeriodOf(continuation.slice(gap, start + chars));
  const least = MIN_PERIODS * period;
  const near = before.slice(-Math.max(1, least));
  const text = near + continuation.slice(gap);
  const seam = near.length;
  let from = seam;
  while (from > 0 && seam - from < least && text[from - 1] === text[from - 1 + period]) from -= 1;
  const right = commonLength(text, seam + period, text, seam, least);
  const to = seam + period + right;
  if (to - from >= least) return 'pattern';
  return to === text.length && last === 'more' ? 'undecided' : 'no_pattern';
}

/**
 * Whether an exact continuation continues the longest pattern that the text ends with, or at least no
 * less than what follows the possible repetition, which ends at `end`.
 */
export function continuesPattern(
  before: string,
  continuation: string,
  end: number,
  last: 'last' | 'more',
): PatternResult {
  const longest = longestPeriod(before);
  if (longest === undefined) return 'pattern';
  const from = before.length - longest;
  const same = commonLength(continuation, 0, before, from, longest);
  if (same === longest) return 'pattern';
  if (same === continuation.length) return last === 'more' ? 'undecided' : 'pattern';
  const again = commonLength(continuation, end, before, from, longest);
  if (again > same) return 'no_pattern';
  return end + again === continuation.length && last === 'more' ? 'undecided' : 'pattern';
}

/** The shortest period that a text is a number of. */
function wholePeriodOf(text: string): number {
  const border = bordersOf(text).at(-1) ?? 0;
  const period = text.length - border;
  return text.length % period === 0 ? period : text.length;
}

/**
 * The longest period of which the end of a text has two, and which is not a number of shorter ones.
 */
function longestPeriod(text: string): number | undefined {
  const reversed = text.slice(-2 * MAX_PERIOD).split('');
  const borders = bordersOf(reversed.toReversed().join(''));
  let longest: number | undefined;
  for (const [at, border] of borders.entries()) if (2 * border === at + 1) longest = border;
  return longest;
}
