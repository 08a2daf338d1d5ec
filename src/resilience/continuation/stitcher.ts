import { addedAfterFirstPiece, mayBeOneWord, mayRepeat } from './ambiguous.ts';
import { isProof } from './anchor.ts';
import { blankPrefix, endsWithHalfPair, isInsidePair } from './code-units.ts';
import { placeByEcho } from './echo.ts';
import { heldBackOf, placeOfHeldBack, type HeldBack, type Start } from './held-back.ts';
import { knownBlanksBefore } from './known-blanks.ts';
import { isPeriodic, isVaried } from './overlap.ts';
import { preambleOf, type Preamble } from './preamble.ts';
import { repeatedEnd } from './repeated-end.ts';
import { createRestart, type Restart } from './restart.ts';
import { afterPreamble, endsWithinSentence } from './seam-blanks.ts';
import { isUnproven, mayLeaveOut } from './unproven.ts';

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

/** How a model was asked to continue, and what is known of the text. */
export interface ContinuationOptions {
  /** The last words of the text, which the model was asked to repeat first. */
  readonly anchor?: string | undefined;
  /** What the first model wrote after `before` and was not emitted: its last word. Empty if nothing. */
  readonly heldBack: string;
}

const MAX_HELD_CHARS = 400;
/** A longer piece of a continuation is judged in parts, as it would be if it came in several pieces. */
const PART_CHARS = 4000;

/**
 * Joins an interrupted text (`before`) and its continuation, by another model or another attempt.
 * Models are asked to continue exactly, or to repeat an anchor first (anchor.ts), and many do neither:
 * they begin again, repeat the end of the text, or say something before it.
 *
 * The place from which a continuation is new is looked for in this order:
 *
 * 1. After a repetition of more than 400 characters, which is followed without a buffer (restart.ts).
 * 2. At the word that was held back: most models continue with it (held-back.ts).
 * 3. After the end of the text, said again (repeated-end.ts). What is too short to tell is refused (ambiguous.ts).
 * 4. After a preamble (preamble.ts), with the white space that is known to come there (known-blanks.ts).
 *
 * Then the place must be proved, as nothing new may be lost and nothing be said twice: by the echo of
 * the end of the text in the continuation (echo.ts), and where the text repeats itself, by more (unproven.ts).
 * A continuation whose place is not proved is refused.
 */
export function createContinuationStitcher(
  before: string,
  options: ContinuationOptions,
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
        return follow(createRestart(before, decision.start), held.slice(decision.from));
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
      if (rest === undefined) is = 'unproven';
      return rest === undefined ? '' : pass(rest);
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
  /** From `from` on, it follows `before` from `start` on: more of it than what is held back. */
  | { readonly is: 'restart'; readonly start: number; readonly from: number }
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
  const decision = placeOfNew(before, held, preamble, options, end);
  const { heldBack, anchor } = options;
  if (decision.is !== 'kept') return decision;
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
  if (place === 'as_judged' && isSpoken(before, held, { from, preamble, known }))
    return { is: 'unproven' };
  const proved = place === 'as_judged' ? { from, blanks } : place;
  const found = isUnproven({ before, continuation: held, ...proved, heldBack }, end);
  if (found === 'undecided') return UNDECIDED;
  return found === 'no_pattern' ? { is: 'kept', ...proved } : { is: 'unproven' };
}

/**
 * Whether a continuation begins with words to the reader: a preamble that is not removed, or a capital letter or a
 * mark where the sentence of the text continues after a space. The words that were held back are the text's own.
 */
function isSpoken(
  before: string,
  held: string,
  {
    from,
    preamble,
    known,
  }: { from: number; preamble: Preamble | undefined; known?: HeldBack | undefined },
): boolean {
  const rest = held.slice(from);
  const isKnown = known !== undefined && known.words !== '';
  if (isKnown && rest.trimStart().startsWith(known.words)) return false;
  if (preamble && from < preamble.end) return true;
  if (!isKnown || known.blanks === '' || (from > 0 && !preamble)) return false;
  return endsWithinSentence(before) && SENTENCE_START.test(preamble ? rest.trimStart() : rest);
}

const SENTENCE_START = /^[^\s\p{Ll}\p{Lo}\p{N}]/u;

function placeOfNew(
  before: string,
  held: string,
  preamble: Preamble | undefined,
  { anchor, heldBack }: ContinuationOptions,
  end: 'last' | 'more',
): Decision {
  const blanks = blankPrefix(held);
  const starts = startsOf(held, preamble);
  const known = heldBackOf(heldBack);
  const hasHeldWords = known !== undefined && known.words !== '';
  for (const { at } of starts) {
    const part = longPartAt(at, before, held);
    if (part) return part;
  }
  if (hasHeldWords) {
    const place = placeOfHeldBack(before, held, starts, { ...known, anchor }, end);
    if (place === 'undecided') return UNDECIDED;
    if (place === 'ambiguous') return { is: 'rewritten' };
    if (place) return { is: 'kept', ...place };
  }
  const isCut = endsWithHalfPair(held) || blanks === held.length;
  if (isCut && end === 'more') return UNDECIDED;
  let from = 0;
  for (const { at } of starts) {
    const again = repeatedEnd({ before, continuation: held, start: at, known }, end);
    if (again === 'undecided') return UNDECIDED;
    if (again === 'ambiguous') return { is: 'rewritten' };
    if (again > 0) from = Math.max(from, at + again);
  }
  if (from > 0) return { is: 'kept', from };
  if (mayRepeat(before, held, starts, hasHeldWords)) return { is: 'rewritten' };
  const start = preamble && isForeign(before, preamble, blanks) ? startAfter(held, preamble) : 0;
  const place = known && knownBlanksBefore(before, held, start, known, start > 0);
  if (place) return { is: 'kept', ...place };
  if (!preamble) return { is: 'kept', from: addedAfterFirstPiece(before, held) };
  if (start === 0) return { is: 'kept', from: 0 };
  if (!hasHeldWords && mayBeOneWord(before, held, start)) return { is: 'rewritten' };
  return { is: 'kept', from: afterPreamble(before, held, preamble.end) };
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

/** Whether a continuation repeats more of `before` than is held back. */
function longPartAt(start: number, before: string, held: string): Decision | undefined {
  if (held.length < MAX_HELD_CHARS) return undefined;
  const text = held.slice(start);
  const at = before.indexOf(text);
  if (at === -1 || !isVaried(text)) return undefined;
  if (before.includes(text, at + 1) || isPeriodic(before.slice(at))) return { is: 'unproven' };
  return { is: 'restart', start: at, from: start };
}

/** Whether a preamble cannot be part of the answer. */
function isForeign(before: string, { is }: Preamble, blanks: number): boolean {
  return is === 'certain' || (blanks === 0 && endsWithinSentence(before));
}

function startAfter(held: string, { end }: Preamble): number {
  return end + blankPrefix(held, end);
}
