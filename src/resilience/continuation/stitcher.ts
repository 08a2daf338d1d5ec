import { addedAfterFirstPiece, mayBeOneWord, mayRepeat } from './ambiguous.ts';
import { afterAnchor, isProof } from './anchor.ts';
import { blankPrefix, commonLength, endsWithHalfPair, isInsidePair } from './code-units.ts';
import { knownBlanksBefore, repeatedBeforeBlanks } from './known-blanks.ts';
import { isLongEnough, isPeriodic, isVaried, overlapOf, patternAround } from './overlap.ts';
import { isRepetition } from './overlap-kinds.ts';
import { preambleOf, type Preamble } from './preamble.ts';
import { heldBackOf, placeOfHeldBack, type Start } from './held-back.ts';
import { placeByEcho } from './echo.ts';
import { isUnproven, mayLeaveOut } from './unproven.ts';
import { repeatedWords } from './repeated-words.ts';
import { createRestart, type Restart } from './restart.ts';
import {
  addedLineBreaks,
  afterKnownBlanks,
  afterPreamble,
  endsWithinSentence,
} from './seam-blanks.ts';

/** A filter of streamed text: takes a piece, returns the part of it to emit. */
export interface StreamStitcher {
  add(text: string): string;
  /** The text that is still held back. */
  end(): string;
}

export interface ContinuationStitcher extends StreamStitcher {
  /** Why none of the continuation is emitted: nothing of it can be joined to the text so far. */
  readonly refused: RefusedContinuation | undefined;
}

/**
 * `rewritten`: the model wrote the answer again, in other words or so that its continuation cannot be
 * found. `unproven`: the text repeats itself, and nothing shows where the continuation is new.
 */
export type RefusedContinuation = 'rewritten' | 'unproven';

/** How a model was asked to continue. */
export interface ContinuationOptions {
  /** The last words of the text, which the model was asked to repeat first. */
  readonly anchor?: string | undefined;
  /** `prefix`: the vendor itself continues the text, so that a repetition is improbable. */
  readonly how?: 'prefix' | 'instructed';
  /** What the first model wrote after `before` and was not emitted: its last word. */
  readonly heldBack?: string | undefined;
}

const MAX_HELD_CHARS = 400;
/** A repetition is looked for in this much of the end of the text, if the caller holds words back. */
const LOOKED_AT_CHARS = 10_000;
/** A shorter common start may be chance. */
const MIN_RESTART_CHARS = 40;
/** A longer piece of a continuation is judged in parts, as it would be if it came in several pieces. */
const PART_CHARS = 4000;

/**
 * Joins an interrupted text (`before`) and its continuation, by another model or another attempt.
 * Models are asked to continue exactly, or to repeat an anchor first (anchor.ts), and many do neither.
 * If it continues with the word that was held back, that word shows where it is new (held-back.ts).
 * Otherwise this is removed from its start, in this order:
 *
 * 1. The anchor, if it was asked for.
 * 2. A restart: the continuation is `before` again, from its first character on. If it differs from
 *    `before` after 40 characters or more, the model writes another answer; see `refused`.
 * 3. The longest end of `before`, up to 400 characters, or 10,000 if the caller holds words back. How many it takes depends on the kind of text
 *    and on how the model was asked (overlap-kinds.ts). If that is all of `before`, 4 are enough with a
 *    letter or three different characters, else 12.
 * 4. The end of `before`, where white space is known to follow it (known-blanks.ts).
 * 5. The last word or two of `before`, said again (repeated-words.ts).
 * 6. White space that was added or left out (known-blanks.ts, seam-blanks.ts).
 *
 * A preamble (preamble.ts) and white space before any of these are removed with it.
 *
 * Text that is new must never be lost, and text that repeats itself looks like a repetition. So 2 and 3
 * do not count where the text around the seam is a pattern (`patternAround`): rows of a table, a
 * sentence that is said over and over. There, everything is kept if it continues where the pattern was
 * cut, and nothing if it does not: it was begun again, from an unknown row. If the caller holds words back,
 * nothing is kept either of a continuation that may have repeated whole periods of the pattern, or left
 * out words of it (unproven.ts).
 * What remains is a text of which a part, long enough for 3 or 4, is said exactly twice in a row, cut
 * exactly between the two: that cannot be told from a repetition, is far rarer, and is taken for one.
 *
 * What is shorter than that may be a repetition: nothing of it is emitted, if the caller holds words back
 * (ambiguous.ts). A line break stays that was added within a word, or where no space shows it
 * (seam-blanks.ts).
 *
 * At most 400 characters are held back while a decision is open; a longer repetition is followed like a
 * restart, which needs no buffer because its text is in `before`.
 */
export function createContinuationStitcher(
  before: string,
  options: ContinuationOptions = {},
): ContinuationStitcher {
  let held = '';
  let is: 'deciding' | 'passing' | RefusedContinuation | Restart = 'deciding';

  function pass(text: string): string {
    is = 'passing';
    held = '';
    return text;
  }

  function decide(last: 'last' | 'more'): string {
    const decision = judge(before, held, options, last);
    switch (decision.is) {
      case 'undecided':
        return '';
      case 'kept':
        return pass(
          (decision.blanks ?? '') +
            held.slice(decision.from - (isInsidePair(held, decision.from) ? 1 : 0)),
        );
      case 'restart':
        return follow(
          createRestart(before, decision.followed, decision.start),
          held.slice(decision.from),
        );
      case 'rewritten':
      case 'unproven':
        is = decision.is;
        held = '';
        return '';
    }
  }

  function follow(restart: Restart, text: string): string {
    const found = restart.add(text);
    held = '';
    if (typeof found === 'string') {
      is = found === 'following' ? restart : found;
      return '';
    }
    // Callers that hold nothing back keep what may be new.
    if (found.is === 'pattern' && options.heldBack !== undefined) {
      is = 'unproven';
      return '';
    }
    return pass(found.text);
  }

  function add(text: string): string {
    if (is === 'passing') return text;
    if (is === 'rewritten' || is === 'unproven') return '';
    if (is !== 'deciding') return follow(is, text);
    held += text;
    return decide('more');
  }

  return {
    add(text) {
      let passed = '';
      let from = 0;
      // What is still undecided is judged again when it is twice as long.
      for (let chars = PART_CHARS; is === 'deciding' && text.length - from > chars; chars *= 2) {
        passed += add(text.slice(from, from + chars));
        from += chars;
      }
      return passed + add(text.slice(from));
    },
    end() {
      if (is === 'deciding') return held === '' ? '' : decide('last');
      if (typeof is === 'string') return '';
      const rest = is.end();
      if (rest !== undefined) return pass(rest);
      is = 'unproven';
      return '';
    },
    get refused() {
      return is === 'rewritten' || is === 'unproven' ? is : undefined;
    },
  };
}

type Decision =
  | { readonly is: 'undecided' }
  /** The continuation is kept from this position on. */
  | { readonly is: 'kept'; readonly from: number; readonly blanks?: string }
  /** It follows `before` from `start`, else its beginning, up to `followed`: more than what is held back. */
  | {
      readonly is: 'restart';
      readonly start?: number;
      readonly followed: number;
      readonly from: number;
    }
  | { readonly is: RefusedContinuation };

const UNDECIDED: Decision = { is: 'undecided' };

/** Decides where the new text of a continuation begins, from what came of it so far. */
function judge(
  before: string,
  held: string,
  options: ContinuationOptions,
  last: 'last' | 'more',
): Decision {
  const end = held.length >= MAX_HELD_CHARS ? 'last' : last;
  const preamble = preambleOf(held, end);
  if (preamble === 'undecided') return UNDECIDED;
  const decision = placeOfNew(before, held, preamble, options, { last, end });
  const { heldBack, anchor } = options;
  // Callers that hold nothing back keep what may be new.
  if (decision.is !== 'kept' || heldBack === undefined) return decision;
  const { from, blanks = '' } = decision;
  const isAsAsked = ({ at }: Start) =>
    anchor !== undefined &&
    held.startsWith(anchor, at) &&
    at + anchor.length <= from &&
    isProof(before, anchor, heldBack) &&
    !mayLeaveOut(before, anchor.length, heldBack) &&
    // Else it may be the whole text again.
    !before.trimStart().startsWith(anchor);
  if (startsOf(held, preamble).some(isAsAsked)) return decision;
  const known = heldBackOf(heldBack);
  // It ends before it says the words that came after the text.
  const isOver = last === 'last' && from > 0 && held.slice(from).trim() === '';
  if (isOver && known !== undefined && known.words !== '') return { is: 'unproven' };
  // The text so far may be the beginning of what looks like a preamble.
  const isOfPreamble =
    preamble && from < preamble.end && held.trimStart().startsWith(before.trim());
  if (isOfPreamble) return { is: 'unproven' };
  const place = placeByEcho({ before, continuation: held, from, known }, end);
  if (place === 'undecided') return UNDECIDED;
  if (place === 'unproven') return { is: 'unproven' };
  const proved = place === 'as_judged' ? { from, blanks } : place;
  const found = isUnproven({ before, continuation: held, ...proved, heldBack }, end);
  if (found === 'undecided') return UNDECIDED;
  return found === 'no_pattern' ? { is: 'kept', ...proved } : { is: 'unproven' };
}

function placeOfNew(
  before: string,
  held: string,
  preamble: Preamble | undefined,
  options: ContinuationOptions,
  { last, end }: Record<'last' | 'end', 'last' | 'more'>,
): Decision {
  const blanks = blankPrefix(held);
  const { how = 'instructed' } = options;
  const starts = startsOf(held, preamble);
  const known = heldBackOf(options.heldBack ?? '');
  const hasHeldWords = known !== undefined && known.words !== '';
  // Callers that hold nothing back keep what may be new.
  for (const { at } of options.heldBack === undefined ? [] : starts) {
    const part = longPartAt(at, before, held);
    if (part) return part;
  }
  if (hasHeldWords) {
    const place = placeOfHeldBack(before, held, starts, { ...known, anchor: options.anchor }, end);
    if (place === 'undecided') return UNDECIDED;
    if (place === 'ambiguous') return { is: 'rewritten' };
    if (place) return { is: 'kept', ...place };
  }
  let isOpen = endsWithHalfPair(held) || blanks === held.length;
  let from = 0;
  for (const start of starts) {
    const found = repetitionAt(start, before, held, options, { last, end });
    if (found === 'pattern_undecided') return UNDECIDED;
    if (typeof found === 'number') from = Math.max(from, found);
    else if (found.is === 'undecided') isOpen = true;
    else return found;
  }
  if (isOpen && end === 'more') return UNDECIDED;
  if (from > 0) return { is: 'kept', from };
  const start = preamble && isForeign(before, preamble, blanks) ? startAfter(held, preamble) : 0;
  const again = known ? repeatedBeforeBlanks(before, held, start, known, end) : 0;
  if (again === 'undecided') return UNDECIDED;
  if (again === 'ambiguous') return { is: 'rewritten' };
  if (again > 0) return { is: 'kept', from: start + again };
  const words = preamble ? 0 : repeatedWords(before, held, end);
  if (words === 'undecided') return UNDECIDED;
  // Callers that hold nothing back keep what may be new.
  const isStrict = options.heldBack !== undefined;
  if (isStrict && mayRepeat(before, held, starts, { hasHeldWords, removed: words }))
    return { is: 'rewritten' };
  if (words > 0) return { is: 'kept', from: words };
  const isAfter = start > 0 ? 'preamble' : how;
  const place = known && knownBlanksBefore(before, held, start, known, isAfter);
  if (place) return { is: 'kept', ...place };
  if (isStrict && !hasHeldWords && start > 0 && mayBeOneWord(before, held, start))
    return { is: 'rewritten' };
  if (start > 0 && preamble) return { is: 'kept', from: afterPreamble(before, held, preamble.end) };
  if (preamble) return { is: 'kept', from: 0 };
  const added = isStrict ? addedAfterFirstPiece(before, held) : 0;
  return { is: 'kept', from: Math.max(added, addedLineBreaks(before, held)) };
}

/** Where the new text of a continuation, or a repetition, may begin. */
function startsOf(held: string, preamble: Preamble | undefined): readonly Start[] {
  const blanks = blankPrefix(held);
  return [
    { at: 0, blanks: 0 },
    ...(blanks === 0 ? [] : [{ at: blanks, blanks: 0 }]),
    ...(preamble ? [{ at: startAfter(held, preamble), blanks: preamble.end }] : []),
  ];
}

/** The end of the repetition that begins here; 0 for none. */
function repetitionAt(
  { at: start, blanks }: Start,
  before: string,
  held: string,
  { anchor, how = 'instructed', heldBack }: ContinuationOptions,
  { last, end }: Record<'last' | 'end', 'last' | 'more'>,
): number | Decision | 'pattern_undecided' {
  if (anchor !== undefined) {
    const after = afterAnchor(held, start, anchor, before);
    if (typeof after === 'number') return after;
    if (after === 'undecided' && last === 'more') return UNDECIDED;
  }
  const restart = restartAt(start, before, held, last);
  if (restart) return restart;
  const lookedAt = heldBack === undefined ? MAX_HELD_CHARS : LOOKED_AT_CHARS;
  // Models leave out the white space at the end of what they repeat.
  const words = before.trimEnd();
  for (const told of words === before ? [before] : [before, words]) {
    const tail = told.slice(-Math.max(lookedAt, held.length));
    const { chars, mayGrow } = overlapOf(held, start, tail);
    if (mayGrow && end === 'more') return UNDECIDED;
    const common = held.slice(start, start + chars);
    if (!isLongEnough(common, told) || !isRepetition(common, told, how)) continue;
    const repetition = { before, end: told.length, continuation: held, blanks, start, chars };
    const pattern = patternAround(repetition, last);
    if (pattern === 'undecided' && last === 'more') return 'pattern_undecided';
    if (pattern === 'pattern') return 0;
    if (pattern === 'out_of_phase') return { is: 'rewritten' };
    const after = told === before ? start + chars : afterKnownBlanks(held, start + chars, before);
    if (after === 'undecided' && last === 'more') return 'pattern_undecided';
    return after === 'undecided' ? held.length : after;
  }
  return 0;
}

/**
 * Whether a continuation that follows `before` from its first character is a restart. One that
 * follows it to its end is an overlap like any other.
 */
function restartAt(
  start: number,
  before: string,
  held: string,
  last: 'last' | 'more',
): Decision | undefined {
  const first = blankPrefix(before);
  const end = before.trimEnd().length;
  const same = commonLength(held, start, before, first, end - first);
  if (same === 0 || (first + same === end && end - first < MAX_HELD_CHARS)) return undefined;
  const isFollowing = start + same === held.length || first + same === end;
  if (isFollowing && held.length < MAX_HELD_CHARS) return last === 'more' ? UNDECIDED : undefined;
  const common = before.slice(first, first + same);
  if (same < MIN_RESTART_CHARS || !isVaried(common)) return undefined;
  // A start that the text itself says again, such as that of a line of a log, may return.
  const head = common.slice(0, isFollowing ? MAX_HELD_CHARS : MIN_RESTART_CHARS);
  if (before.includes(head, first + 1) || isPeriodic(before.slice(first))) return undefined;
  if (isFollowing) return { is: 'restart', followed: first + same, from: start + same };
  return isMoreThanOneLine(common) ? { is: 'rewritten' } : undefined;
}

/** Whether a continuation repeats more of the end of `before` than is held back. */
function longPartAt(start: number, before: string, held: string): Decision | undefined {
  if (held.length < MAX_HELD_CHARS) return undefined;
  const text = held.slice(start);
  const at = before.indexOf(text, before.length - LOOKED_AT_CHARS);
  if (at === -1 || !isVaried(text)) return undefined;
  if (before.includes(text, at + 1) || isPeriodic(before.slice(at))) return { is: 'unproven' };
  return { is: 'restart', start: at, followed: at + text.length, from: held.length };
}

/** Lines of a list or a log often begin alike; two lines or two sentences hardly ever do. */
function isMoreThanOneLine(common: string): boolean {
  return /\n\s*\S|[.!?。！？]["')\]]?\s*\S/u.test(common.trim());
}

/** Whether a preamble cannot be part of the answer. */
function isForeign(before: string, { is }: Preamble, blanks: number): boolean {
  return is === 'certain' || (blanks === 0 && endsWithinSentence(before));
}

function startAfter(held: string, { end }: Preamble): number {
  return end + blankPrefix(held, end);
}
