import type { PatternResult } from './overlap.ts';

/** A pattern with a longer period than this is not looked for. */
const MAX_PERIOD = 400;
/** A pattern is looked for in this much of the end of a text. */
const LOOKED_AT_CHARS = 4000;
/** A shorter one, such as an ellipsis, is continued like other text. */
const MIN_PATTERN_CHARS = 6;
/** Of the first period of a text, the white space may be missing. */
const MAX_MISSING_CHARS = 2;
/** A text is a pattern where it has this many periods. */
const MIN_PERIODS = 2.5;

/** A text says itself again where so many characters are the same. */
const MIN_SAID_CHARS = 6;

/** A place from which a continuation is taken for new. */
export interface NewFrom {
  readonly before: string;
  readonly continuation: string;
  readonly from: number;
  /** White space before it. */
  readonly blanks: string;
  /** What the first model wrote after `before`, and was not emitted. */
  readonly heldBack: string;
}

/**
 * Where the pattern begins that a text ends with; undefined if it ends with none. Of several patterns,
 * the one that begins first.
 */
export function patternStart(text: string): number | undefined {
  const tail = text.slice(-LOOKED_AT_CHARS);
  let longest = 0;
  for (let period = 1; period <= Math.min(MAX_PERIOD, tail.length / MIN_PERIODS); period++) {
    const chars = period + commonEnd(tail.slice(0, -period), tail);
    if (chars >= MIN_PERIODS * period) longest = Math.max(longest, chars);
  }
  return longest < MIN_PATTERN_CHARS ? undefined : text.length - longest;
}

/**
 * Whether a text repeats itself around the place from which its continuation is taken for new, so that
 * the text does not prove the place. In a row of equal sentences the next sentence may be new, or be the
 * last one again; and a repetition of the end of one may be the rest of another, of which the model left
 * out some words.
 *
 * A repetition proves the place where it reaches back before the pattern. A continuation that leaves the
 * pattern within one period is new: it does not repeat a whole one.
 */
export function isUnproven(
  { before: whole, continuation, from, blanks, heldBack }: NewFrom,
  last: 'last' | 'more',
): PatternResult {
  const before = lowerCase(whole.slice(-LOOKED_AT_CHARS));
  const text = lowerCase(before + blanks + continuation.slice(from));
  const removed = commonEnd(before.trimEnd(), lowerCase(continuation.slice(0, from)).trimEnd());
  if (from > 0 && mayLeaveOut(whole, removed, heldBack)) return 'pattern';
  const known = heldBack.trimEnd().length;
  const longest = Math.min(MAX_PERIOD, before.length + MAX_MISSING_CHARS);
  let isOpen = false;
  for (let period = 1; period <= longest; period++) {
    const { left, right } = runAt(text, before.length, period, removed);
    const isToEnd = before.length + right >= text.length;
    if (right === 0 && !isToEnd) continue;
    // A repetition that reaches back before the pattern.
    if (removed > period + left) continue;
    const isOver = isToEnd && last === 'last';
    // The words that were held back come after a repetition.
    const repeated = period + (isOver ? known : 0);
    const mayBeDoubled = right >= repeated && (period <= before.length || from > 0);
    const mayBeLost = removed > 0 && (right >= Math.max(1, known) || isOver);
    const isRun = 1 + (left + right) / period >= MIN_PERIODS;
    if (isRun && (mayBeDoubled || mayBeLost)) return 'pattern';
    isOpen ||= isToEnd && last === 'more';
  }
  return isOpen ? 'undecided' : 'no_pattern';
}

/**
 * Whether a text that has begun to say itself again may continue with what looks like a repetition, but
 * without its next word: with that, the text said before what it ends with now.
 */
export function mayLeaveOut(whole: string, removed: number, heldBack: string): boolean {
  const before = lowerCase(whole.slice(-LOOKED_AT_CHARS));
  const word = lowerCase(heldBack.trim());
  const place = before.trimEnd().length - removed;
  if (word === '' || removed === 0) return false;
  for (let end = place; end > 0; end--) {
    const left = before.slice(end, place).trim();
    if (/\s/u.test(left)) return false;
    const isNext = left !== '' && (left.startsWith(word) || word.startsWith(left));
    if (isNext && commonEnd(before.slice(0, end), before) >= MIN_SAID_CHARS) return true;
  }
  return false;
}

/**
 * How many characters on both sides of a place have this period: to the right of the place, and to the
 * left of the last period before it.
 */
function runAt(
  text: string,
  place: number,
  period: number,
  removed: number,
): { readonly left: number; readonly right: number } {
  const most = Math.ceil(MIN_PERIODS * period) + removed;
  // The first of the two periods may begin with white space that the text does not have.
  const missing = Math.max(0, period - place);
  const end = Math.min(text.length - place, most);
  let right = missing;
  while (right < end && text.charCodeAt(place + right) === text.charCodeAt(place + right - period))
    right += 1;
  const before = text.slice(0, place);
  return { left: commonEnd(before.slice(0, -period), before, most), right };
}

/** Of some letters, the lower case has another length. */
function lowerCase(text: string): string {
  const lower = text.toLowerCase();
  return lower.length === text.length ? lower : text;
}

function commonEnd(text: string, other: string, most: number = Infinity): number {
  const end = Math.min(text.length, other.length, most);
  let same = 0;
  while (
    same < end &&
    text.charCodeAt(text.length - 1 - same) === other.charCodeAt(other.length - 1 - same)
  )
    same += 1;
  return same;
}
