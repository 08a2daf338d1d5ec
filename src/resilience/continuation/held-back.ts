import { blankPrefix, commonLength, isInsidePair } from './code-units.ts';
import { continuesPattern, isPatternOf } from './ambiguous.ts';
import { afterAnchor, isProof } from './anchor.ts';
import { bordersOf } from './borders.ts';
import { isPeriodic, overlapOf, patternAround, type Repetition } from './overlap.ts';

/** What the first model wrote after the text that was emitted, before it was cut. */
export interface HeldBack {
  /** The white space after the text. */
  readonly blanks: string;
  /** The words after that; empty if only white space was received. */
  readonly words: string;
  /** The white space after them, as far as it is known. */
  readonly after: string;
}

/** Where a continuation is new, and the white space that comes before it. */
export interface Place {
  readonly from: number;
  readonly blanks: string;
}

/** Undefined where nothing is held back. */
export function heldBackOf(text: string): HeldBack | undefined {
  if (text === '') return undefined;
  const count = blankPrefix(text);
  const words = text.slice(count).trimEnd();
  return { blanks: text.slice(0, count), words, after: text.slice(count + words.length) };
}

/** Where a repetition may begin, and where the white space before it begins. */
export interface Start {
  readonly at: number;
  readonly blanks: number;
}

const START: Start = { at: 0, blanks: 0 };
const ALL: Place = { from: 0, blanks: '' };

/** A repetition is looked for in this much of the end of the text so far. */
const LOOKED_AT_CHARS = 10_000;
/** A common start may be a restart from this length on. */
const MIN_RESTART_CHARS = 40;

/**
 * Finds the place from which a continuation is new by the words that were held back: most models
 * continue with the same words. If these come at the start of the continuation, it is exact. If they
 * come after a repetition of the end of `before`, however short, it is new from there. The white space
 * is that of the first model, whatever was added or left out.
 *
 * `ambiguous`: several repetitions are followed by the held words, in a text that repeats itself.
 * Undefined where the held words show nothing: the model continues with other words, or they come both
 * at the start and after a repetition.
 */
export function placeOfHeldBack(
  before: string,
  continuation: string,
  starts: readonly Start[],
  { blanks, words, after, anchor }: HeldBack & { readonly anchor?: string | undefined },
  last: 'last' | 'more',
): Place | 'undecided' | 'ambiguous' | undefined {
  const tail = before.slice(-LOOKED_AT_CHARS);
  let isOpen = false;
  let isExact = false;
  /** After white space that was added, or a preamble. */
  let added: Place | undefined;
  let loose: Place | undefined;
  let repeated: Repeated | undefined;
  /** The longest end of the text that the continuation begins with. */
  let overlap = { at: 0, blanks: 0, chars: 0 };

  for (const { at: start, blanks: blanksFrom } of starts) {
    if (
      anchor !== undefined &&
      typeof afterAnchor(continuation, start, anchor, before) === 'number' &&
      isProof(before, anchor, blanks + words)
    )
      return placeAt(start + anchor.length);
    const restart = restartFrom(start);
    if (restart === 'restart') return undefined;
    const { chars, mayGrow } = overlapOf(continuation, start, tail);
    isOpen ||= mayGrow || restart === 'open';
    if (chars > overlap.chars) overlap = { at: start, blanks: blanksFrom, chars };
    const found = repeatedFrom(start, blanksFrom, chars);
    if (found && found.chars > (repeated?.chars ?? 0)) repeated = found;
    const agreed = agreement(start);
    if (agreed === 'open') isOpen = true;
    // The preamble itself begins with the held letters, or the text looks like one.
    else if (agreed !== 'none' && blanksFrom > 0 && isExact && !/^[^\S\n]/u.test(blanks))
      return 'ambiguous';
    else if (agreed === 'exact' && start === 0) isExact = true;
    else if (agreed !== 'none' && start + blankPrefix(continuation, start) > 0)
      added ??= newFrom(start);
    else if (agreed !== 'none') loose ??= newFrom(start);
  }
  if (isOpen && last === 'more') return 'undecided';
  // The held word may be the start of another word, with which the text so far ends.
  const isLonger = overlap.chars > blanks.length + words.length;
  if (isExact) {
    if (repeated) return exactOr(repeated);
    return isLonger ? patternOr(overlap, ALL) : ALL;
  }
  const other = added ?? loose;
  // The letters are those of a preamble.
  if (other && starts.some(({ at, blanks: from }) => from > 0 && other.from < at))
    return 'ambiguous';
  if (!repeated && other && overlap.chars >= words.length)
    return losesLineBreak(other) ? 'ambiguous' : patternOr(overlap, other);
  if (added) return repeated ? addedOr(added, repeated) : added;
  if (repeated)
    return repeated.is === 'ambiguous' || loose ? 'ambiguous' : { from: repeated.end, blanks: '' };
  return loose;

  /** The place of a continuation that is exact, unless it begins with a repetition. */
  function exactOr({ chars, end, blanksFrom }: Repeated): Place | 'undecided' | 'ambiguous' {
    const start = end - chars;
    const repetition = repetitionOf({ at: start, blanks: blanksFrom }, chars);
    const pattern = patternAround(repetition, last);
    if (pattern === 'undecided' && last === 'more') return pattern;
    // Both may be: a line of code comes twice.
    if (pattern === 'no_pattern') return 'ambiguous';
    return patternOr({ at: start, blanks: blanksFrom, chars }, ALL);
  }

  /**
   * The place of a continuation that is exact but for white space, if the text repeats itself. Else nothing tells if it is exact: the words
   * after a repetition may be the same by chance.
   */
  function patternOr(
    found: Start & { chars: number },
    place: Place,
  ): Place | 'undecided' | 'ambiguous' {
    const is = isPatternOf(repetitionOf(found, found.chars), last);
    if (is === 'undecided' && last === 'more') return is;
    return is === 'pattern' ? place : 'ambiguous';
  }

  function repetitionOf({ at, blanks: blanksFrom }: Start, chars: number): Repetition {
    return { before, end: before.length, continuation, blanks: blanksFrom, start: at, chars };
  }

  /** The same, where white space was added or a preamble precedes: without them. */
  function addedOr(
    place: Place,
    { chars, end, blanksFrom }: Repeated,
  ): ReturnType<typeof placeOfHeldBack> {
    const rest = blanks + continuation.slice(place.from);
    const found = placeOfHeldBack(before, rest, [START], { blanks, words, after: '' }, last);
    if (typeof found !== 'object') return found;
    const moved = place.from - blanks.length;
    if (found.from > 0) return { ...found, from: moved + found.from };
    const is = continuesPattern(before, rest, end - moved, last);
    if (is !== 'pattern') return is === 'undecided' ? is : 'ambiguous';
    return patternOr({ at: end - chars, blanks: blanksFrom, chars }, place);
  }

  /** The longest repetition from this start that the held words follow. */
  function repeatedFrom(start: number, blanksFrom: number, longest: number): Repeated | undefined {
    const borders = bordersOf(continuation.slice(start, start + longest));
    let first: Repeated | undefined;
    for (let chars = longest; chars > 0; chars = borders[chars - 1] ?? 0) {
      const end = start + chars;
      if (isInsidePair(continuation, end)) continue;
      const agreed = agreement(end);
      if (agreed === 'open') isOpen = true;
      else if (agreed === 'loose') loose ??= newFrom(end);
      if (agreed !== 'exact') continue;
      if (first) return { ...first, is: 'ambiguous' };
      // Words within a longer repetition are those of the text so far.
      const isWithin = end + blanks.length + words.length <= start + longest;
      first = { chars, end, blanksFrom, is: isWithin ? 'ambiguous' : 'certain' };
    }
    return first;
  }

  /** Whether a continuation follows the text from its beginning, and not to its end. */
  function restartFrom(start: number): 'restart' | 'open' | 'none' {
    const first = blankPrefix(before);
    const same = commonLength(continuation, start, before, first);
    if (first + same >= before.trimEnd().length) return 'none';
    if (start + same === continuation.length) return 'open';
    return same >= MIN_RESTART_CHARS && !isPeriodic(before) ? 'restart' : 'none';
  }

  /** Whether the held words come at this place, and with the same white space before them. */
  function agreement(at: number): 'exact' | 'loose' | 'open' | 'none' {
    const count = blankPrefix(continuation, at);
    const same = commonLength(continuation, at + count, words, 0);
    const isEnd = at + count + same === continuation.length;
    if (isEnd && same < words.length && last === 'more') return 'open';
    if (same < words.length && !(isEnd && same > 0)) return 'none';
    const end = at + count + same;
    const isSame = continuation.slice(at, at + count) === blanks;
    return isSame && after.startsWith(continuation.slice(end, end + after.length))
      ? 'exact'
      : 'loose';
  }

  /** Whether only a space comes where the first model began a line: more of the last line, perhaps. */
  function losesLineBreak({ from }: Place): boolean {
    return blanks.includes('\n') && !continuation.slice(0, from).includes('\n');
  }

  function placeAt(at: number): Place | 'undecided' | undefined {
    const agreed = agreement(at);
    if (agreed === 'open') return 'undecided';
    if (agreed === 'none') return undefined;
    return agreed === 'exact' ? { from: at, blanks: '' } : newFrom(at);
  }

  function newFrom(at: number): Place {
    return { from: at + blankPrefix(continuation, at), blanks };
  }
}

interface Repeated {
  readonly chars: number;
  readonly end: number;
  /** Where the white space before it begins. */
  readonly blanksFrom: number;
  readonly is: 'certain' | 'ambiguous';
}
