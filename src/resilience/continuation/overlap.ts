import { bordersOf } from './borders.ts';
import { commonLength, isInsidePair } from './code-units.ts';
import { weightOf } from './weight.ts';

/** A shorter overlap may be chance. */
const MIN_OVERLAP_CHARS = 8;
/** The minimum where the whole text so far is repeated, which is a repetition although it is short. */
const MIN_WHOLE_CHARS = 4;
/** The minimum without a letter, as brackets, bars and digits repeat in tables and code. */
const MIN_WORDLESS_CHARS = 16;
const MIN_WORDLESS_WHOLE_CHARS = 12;
/** This many different characters count as much as a word where they are the whole text so far. */
const MIN_SIGNS = 3;

/** The longest end of the text so far that a continuation begins with. */
export interface Overlap {
  readonly chars: number;
  /** Whether it may become longer, or another, when the continuation grows. */
  readonly mayGrow: boolean;
}

/**
 * A Knuth-Morris-Pratt search for the continuation (`head`, without its first `skipped` characters)
 * in the end of the text so far: the match length at the end of `tail` is the answer.
 */
export function overlapOf(head: string, skipped: number, tail: string): Overlap {
  const length = head.length - skipped;
  if (length <= 0) return { chars: 0, mayGrow: true };
  const borders = bordersOf(head.slice(skipped));
  let matched = 0;
  let mayGrow = false;
  for (let at = 0; at < tail.length; at++) {
    const code = tail.charCodeAt(at);
    if (matched === length) matched = borders[matched - 1] ?? 0;
    while (matched > 0 && head.charCodeAt(skipped + matched) !== code)
      matched = borders[matched - 1] ?? 0;
    if (head.charCodeAt(skipped + matched) === code) matched += 1;
    if (matched === length) mayGrow = true;
  }
  while (matched > 0 && isInsidePair(head, skipped + matched)) matched = borders[matched - 1] ?? 0;
  return { chars: matched, mayGrow };
}

/** Of a longer text its start and its end are looked for first, which takes far less time. */
const LONG_CHARS = 10_000;
const LOOKED_FOR_CHARS = 64;
const MAX_COMPARED = 8;

/** Whether a text consists of one pattern, of which it has at least one and a half. */
export function isPeriodic(text: string): boolean {
  if (text.length > LONG_CHARS) {
    const end = text.slice(-LOOKED_FOR_CHARS);
    if (text.indexOf(end) === text.length - LOOKED_FOR_CHARS) return false;
    const start = text.slice(0, LOOKED_FOR_CHARS);
    let compared = 0;
    for (let at = text.indexOf(start, 1); ; at = text.indexOf(start, at + 1)) {
      if (at === -1 || text.length - at < Math.floor(at / 2)) return false;
      if (text.slice(at) === text.slice(0, -at)) return true;
      if (++compared === MAX_COMPARED) break;
    }
  }
  const border = bordersOf(text).at(-1) ?? 0;
  return border > 0 && border >= Math.floor((text.length - border) / 2);
}

/** Whether this much of a text is enough to be a repetition and not chance. */
export function isLongEnough(common: string, before: string): boolean {
  return weightOf(common, MIN_WORDLESS_CHARS) >= leastOf(common, before) && isVaried(common);
}

/** A possible repetition: the same characters at the end of the text so far and in its continuation. */
export interface Repetition {
  /** The text so far, and where the repeated characters end in it: white space may follow them. */
  readonly before: string;
  readonly end: number;
  readonly continuation: string;
  /** White space of the continuation from here to `start`, where the repeated characters begin. */
  readonly blanks: number;
  readonly start: number;
  readonly chars: number;
}

/**
 * Whether the text around a seam repeats itself, so that an overlap proves nothing: a correct
 * continuation of the pattern looks exactly like a repetition.
 *
 * Two kinds of periods are possible. The distance from the repeated characters to their repetition, if
 * the continuation is exact: then the pattern covers both, and must cover another half of a period,
 * to the left in `before` or to the right in the continuation. And the periods of the overlap itself:
 * then it may be shorter by any number of them, if one side has one and a half.
 *
 * Of one sentence that is said ten times, at every cut at least one side has eight periods more.
 *
 * A correct continuation begins where the pattern was cut, so the overlap is a number of whole periods.
 * `out_of_phase`: it is not. Some of the continuation is a repetition, and how much cannot be told.
 *
 * `undecided`: the continuation ends while it still follows the pattern.
 */
export function patternAround(
  found: Repetition,
  last: 'last' | 'more',
): PatternResult | 'out_of_phase' {
  const { before, end, continuation, start, chars } = found;
  const overlap = continuation.slice(start, start + chars);
  const told = before.slice(0, end);
  let isOpen = false;
  let isOutOfPhase = false;
  for (const period of periodsOf(overlap)) {
    const needed = Math.floor(period / 2);
    const run = commonLength(continuation, start + period, continuation, start, needed);
    if (commonEnd(told, period, needed) >= needed || run >= needed) {
      if (isWholePeriods(found, period)) return 'pattern';
      isOutOfPhase = true;
    } else isOpen ||= start + period + run >= continuation.length;
  }
  const across = patternAcross(found);
  if (across === 'pattern') return across;
  const isUndecided = isOpen || across === 'undecided';
  if (isOutOfPhase && (last === 'last' || !isUndecided)) return 'out_of_phase';
  return isUndecided ? 'undecided' : across;
}

export type PatternResult = 'pattern' | 'no_pattern' | 'undecided';

/** Whether the distance from the overlap to its repetition is a number of whole periods. */
function isWholePeriods(
  { before, end, start, blanks, chars }: Repetition,
  period: number,
): boolean {
  const after = before.length - end;
  // Of the white space between them, some may be added or left out.
  for (let distance = chars; distance <= chars + after + start - blanks; distance++)
    if (distance % period === 0) return true;
  return false;
}

/**
 * Whether the distance from the repeated characters to their repetition is the period of a pattern,
 * of which there is half a period more than the two.
 */
function patternAcross(found: Repetition): PatternResult {
  const { before, end, continuation, start, chars } = found;
  let isOpen = false;
  // Of the white space between them, some may be added.
  for (let gap = found.blanks; gap <= start; gap++) {
    const period = before.length - end + start - gap + chars;
    const near = before.slice(-3 * period);
    const seam = end - (before.length - near.length);
    const text = near + continuation.slice(gap);
    const needed = Math.floor(period / 2) + period - chars;
    const left = commonEnd(text.slice(0, seam + period - chars), period, needed);
    const right = commonLength(text, seam + period, text, seam, needed - left);
    if (left + right >= needed) return 'pattern';
    isOpen ||= seam + period + right >= text.length;
  }
  return isOpen ? 'undecided' : 'no_pattern';
}

/** The periods of a text that are shorter than the text. */
function periodsOf(text: string): readonly number[] {
  const borders = bordersOf(text);
  const periods: number[] = [];
  for (let border = borders.at(-1) ?? 0; border > 0; border = borders[border - 1] ?? 0)
    periods.push(text.length - border);
  return periods;
}

/** How far the end of a text, without its last `period` characters, equals the end of the text. */
function commonEnd(text: string, period: number, most: number): number {
  let same = 0;
  while (
    same < most &&
    same + period < text.length &&
    text.charCodeAt(text.length - 1 - same) === text.charCodeAt(text.length - 1 - period - same)
  )
    same += 1;
  return same;
}

/** The minimum overlap that counts as a repetition. */
function leastOf(common: string, before: string): number {
  const isWhole = common === before.trimStart();
  if (/\p{L}/u.test(common)) return isWhole ? MIN_WHOLE_CHARS : MIN_OVERLAP_CHARS;
  if (!isWhole) return MIN_WORDLESS_CHARS;
  const signs = new Set(common.replaceAll(/\s/gu, ''));
  return signs.size >= MIN_SIGNS ? MIN_WHOLE_CHARS : MIN_WORDLESS_WHOLE_CHARS;
}

/** Whether a text is more than white space and more than one repeated character. */
export function isVaried(text: string): boolean {
  const [first = ''] = text;
  return text.trim() !== '' && text.replaceAll(first, '') !== '';
}
