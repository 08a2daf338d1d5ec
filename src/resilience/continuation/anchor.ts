import { bordersOf } from './borders.ts';
import { blankPrefix, commonLength, endsWithHalfPair, isInsidePair } from './code-units.ts';
import { afterKnownBlanks } from './seam-blanks.ts';
import { patternStart } from './unproven.ts';
import { weightOf } from './weight.ts';

/**
 * The anchor: the last words of an interrupted answer, which a model that continues it is asked to
 * repeat first.
 *
 * Models obey "repeat these words, then continue" better than "continue from the very last
 * character": they write whole words, drop a leading space, and often begin with some of the text
 * anyway. A repetition that was asked for is known in advance, so it can be removed exactly, and the
 * white space at the seam is the model's own. A continuation without the anchor is judged like one
 * that was not asked to repeat.
 */
const MIN_WEIGHT = 24;
const MAX_CHARS = 160;
/** A pattern with a longer period than this is not looked for. */
const MAX_PERIOD = 400;

/** An anchor from before a pattern is longer. */
const MAX_PROVING_CHARS = 2000;

/**
 * The anchor of a text that ends with a pattern: it begins before the pattern, so that it proves which
 * part of the pattern is new. Undefined where nothing distinct precedes it, or too far back.
 */
export function provingAnchorOf(before: string): string | undefined {
  const pattern = endsWithHalfPair(before) ? undefined : patternStart(before);
  if (pattern === undefined) return undefined;
  const end = before.trimEnd().length;
  const first = Math.max(blankPrefix(before), end - MAX_PROVING_CHARS);
  for (let at = pattern - 1; at >= first; at--) {
    if (!isStart(before, at) || /\S/u.test(before.charAt(at - 1))) continue;
    const anchor = before.slice(at, end);
    const isDistinct =
      /\p{L}/u.test(before.slice(at, pattern)) &&
      weightOf(anchor, MIN_WEIGHT) >= MIN_WEIGHT &&
      before.indexOf(anchor.slice(0, pattern - at + MIN_WEIGHT)) === at;
    if (isDistinct) return anchor;
  }
  return undefined;
}

/** Undefined where the end of the text has no words that are distinct enough. */
export function anchorOf(before: string): string | undefined {
  if (endsWithHalfPair(before)) return undefined;
  const beforePattern = provingAnchorOf(before);
  if (beforePattern !== undefined) return beforePattern;
  const end = before.trimEnd().length;
  const first = Math.max(1 + blankPrefix(before), end - MAX_CHARS);
  const periods = patternsOf(before);
  const starts: number[] = [];
  const words = before.slice(0, end);
  for (let at = end - MIN_WEIGHT / 2; at >= first; at--)
    if (isStart(before, at) && weightOf(words, MIN_WEIGHT, at) >= MIN_WEIGHT) starts.push(at);
  const isGood = (at: number) => {
    const anchor = before.slice(at, end);
    return /\p{L}/u.test(anchor) && !periods.some((p) => beginsNextPeriod(before, p, anchor));
  };
  const good = starts.filter(isGood);
  const atWord = good.filter((at) => /\s/u.test(before.charAt(at - 1)));
  const single = atWord.filter((at) => isOnlyOnce(before, before.slice(at, end)));
  const proving = single.find((at) => !beginsAgain(before.slice(at, end)));
  const at = proving ?? single[0] ?? atWord[0] ?? good[0];
  return at === undefined ? undefined : before.slice(at, end);
}

/**
 * Whether an anchor proves that what follows it is new. It does not where the text has it twice, as a longer
 * repetition may begin with it, nor where it begins again within itself as the text would continue: then it
 * may be the last few words of the text and what follows them.
 */
export function isProof(before: string, anchor: string, heldBack: string): boolean {
  if (!isOnlyOnce(before, anchor)) return false;
  const borders = bordersOf(anchor);
  for (let border = borders.at(-1) ?? 0; border > 0; border = borders[border - 1] ?? 0) {
    const next = anchor.slice(border);
    if (next.startsWith(heldBack) || heldBack.startsWith(next)) return false;
  }
  return true;
}

/** Whether an anchor ends with its own beginning, and not by chance. */
function beginsAgain(anchor: string): boolean {
  return (bordersOf(anchor).at(-1) ?? 0) >= MIN_BORDER_CHARS;
}

/** A shorter one may be the end of one word and the beginning of another. */
const MIN_BORDER_CHARS = 4;

/** A repetition of more than this is not looked for. */
const LOOKED_AT_CHARS = 4000;

function isOnlyOnce(before: string, anchor: string): boolean {
  const near = before.slice(-LOOKED_AT_CHARS);
  return near.indexOf(anchor) === near.lastIndexOf(anchor);
}

/** What follows an anchor at this position of a continuation: undefined if it is not there. */
export function afterAnchor(
  continuation: string,
  from: number,
  anchor: string,
  before: string,
): number | 'undecided' | undefined {
  const same = commonLength(continuation, from, anchor, 0);
  if (same < anchor.length) return from + same === continuation.length ? 'undecided' : undefined;
  const end = from + anchor.length;
  // The text repeats itself with exactly this period, so the anchor may be the continuation.
  const needed = Math.floor(anchor.length / 2);
  const again = commonLength(continuation, end, anchor, 0, needed);
  if (again >= needed) return undefined;
  if (again > 0 && end + again === continuation.length) return 'undecided';
  return afterKnownBlanks(continuation, end, before);
}

/** Lengths with which the end of a text repeats itself at least one and a half times. */
function patternsOf(before: string): readonly number[] {
  const found: number[] = [];
  const last = before.length - 1;
  for (let period = 1; period <= MAX_PERIOD && period <= last; period++) {
    const needed = Math.ceil(period / 2);
    let same = 0;
    while (
      same < needed &&
      last - period - same >= 0 &&
      before.charCodeAt(last - same) === before.charCodeAt(last - period - same)
    )
      same += 1;
    if (same === needed) found.push(period);
  }
  return found;
}

/** Whether a text that continues with this period begins with the anchor. */
function beginsNextPeriod(before: string, period: number, anchor: string): boolean {
  const pattern = before.slice(-period);
  const next = pattern.repeat(Math.ceil((2 * anchor.length + period) / period)).trimStart();
  return next.startsWith(anchor);
}

function isStart(text: string, at: number): boolean {
  return !isInsidePair(text, at) && /\S/u.test(text.charAt(at));
}
