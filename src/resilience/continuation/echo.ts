import { commonLength, lastCharacter, runStart } from './code-units.ts';
import { fold, type Folded } from './folded.ts';
import type { HeldBack, Place } from './held-back.ts';
import { isPeriodic } from './overlap.ts';
import { isInCode } from './seam-blanks.ts';
import { weightOf } from './weight.ts';

/** A continuation, and the place from which the rest of the rules take it for new. */
export interface Judged {
  readonly before: string;
  readonly continuation: string;
  readonly from: number;
  /** What the first model wrote after `before`; undefined if nothing was received. */
  readonly known: HeldBack | undefined;
}

/** The end of the text so far is looked for in this much of a continuation. */
const WINDOW_CHARS = 240;
/** A continuation that says this much of the text so far may be saying all of it. */
const LOOKED_AT_CHARS = 10_000;
const MIN_RUN_LETTERS = 40;
/** So many letters of the end of the text are hardly ever said again by chance. */
const MIN_ECHO_WEIGHT = 16;
/** Fewer, where a line begins with them, or the words that were held back follow them. */
const MIN_KNOWN_WEIGHT = 8;
/** Fewer, if a line begins with them, and the held words follow them or they are all of the text. */
const MIN_LINE_WEIGHT = 2;
/** Fewer, if no letter precedes them. */
const MIN_FIRST_WEIGHT = 2;
/** Words to the reader end with a mark or with their line. */
const LEAD = /^[^\n.:!?>\])…—。：！？】）]{1,80}[\n.:!?>\])…—。：！？】）]/u;
/** Less than this is said again by chance after a mark. */
const MIN_LEAD_WORD_WEIGHT = 4;
/** More, where the continuation begins with the words that were held back. */
const MIN_OTHER_FORM_WEIGHT = 16;

/** What proves nothing by itself, and is nothing to continue a text with. */
const DOTS = /^\s*(?:\.{3}|…)/u;
const SENTENCE = /^\s*\p{Lu}/u;
const FENCE = /^\s*```[\w+#-]*\r?\n/u;
const SIGN = /[^\p{L}\p{M}\p{N}]/u;
const OUTSIDE_WORD = /[^\p{L}\p{N}]/u;
const PART_OF_WORD = /[\p{L}\p{M}\p{N}]/u;
/** Marks that come in pairs: the second of one that is removed would remain. */
const PAIRED = /["“”„«»「」『』‘’'*_`()[\]{}（）【】]/u;

/**
 * Looks for an echo: the end of the text so far, said again in a continuation after something that is
 * neither: an ellipsis, a quotation mark, a sentence to the reader, the question. Only letters and digits
 * are compared, so that an echo with other marks, another case or another form of Unicode is one, too.
 *
 * A continuation that begins with the words that were held back is new, unless it is an echo in another
 * form from its first letter on. Any other is new only if it has no echo. Of one with an echo the place is
 * known only where nothing but marks precedes the echo and the held words follow it: else it is `unproven`.
 * `as_judged`: there is none.
 */
export function placeByEcho(
  judged: Judged,
  end: 'last' | 'more',
): Place | 'as_judged' | 'unproven' | 'undecided' {
  const { before, continuation, from, known } = judged;
  const words = known?.words ?? '';
  const rest = continuation.slice(from);
  const said = rest.trimStart();
  if (words !== '' && (said.startsWith(words) || (said !== '' && words.startsWith(said))))
    return echoInOtherForm(before, rest, end);
  if (end === 'more' && rest.length < WINDOW_CHARS) return 'undecided';
  const isFenced =
    FENCE.test(rest) && (isInCode(before) || /[^\s:：.。]/u.test(lastCharacter(before)));
  const fence = isFenced && isInCode(before) ? (FENCE.exec(rest)?.[0].length ?? 0) : 0;
  const skipped = from + fence;
  const found: Search = {
    told: fold(before.slice(-LOOKED_AT_CHARS)),
    said: fold(continuation.slice(skipped)),
    text: continuation.slice(skipped),
    before,
    next: fold(words).letters,
    lastLine: lastLineLetters(before),
    lastWord: fold(lastWordOf(before.slice(-LOOKED_AT_CHARS))).letters.length,
  };
  if (end === 'more' && isTold(found, found.said.letters.slice(-MIN_RUN_LETTERS)))
    return 'unproven';
  // Nothing of the text was found at the start of the continuation.
  const isNew =
    commonEnd(before.slice(-LOOKED_AT_CHARS).trimEnd(), continuation.slice(0, from).trimEnd()) ===
    0;
  const told = before.trim();
  if (found.told.letters.length < MIN_FIRST_WEIGHT && rest.includes(told)) return 'unproven';
  const echoes = echoesIn(found);
  const [echo] = echoes;
  if (echo === undefined) {
    const isAgain = isTold(found, found.said.letters.slice(0, MIN_RUN_LETTERS));
    const isOther = isAgain || DOTS.test(rest) || isFenced || (isNew && isAfterLead(found));
    return isOther ? 'unproven' : 'as_judged';
  }
  if (echoes.length > 1 || !echo.isFirst || !known || words === '') return 'unproven';
  const at = placeAfter(echo, { ...judged, from: skipped, words }, found);
  return at === undefined ? 'unproven' : { from: at, blanks: known.blanks };
}

/** Whether a continuation repeats the end of the text with other signs, from its first letter on. */
function echoInOtherForm(
  before: string,
  rest: string,
  end: 'last' | 'more',
): 'as_judged' | 'unproven' | 'undecided' {
  const told = fold(before.slice(-2 * WINDOW_CHARS));
  // More letters than the end of the text has are not compared.
  const said = fold(rest.slice(0, LOOKED_AT_CHARS));
  const mayGrow = end === 'more' && rest.length < WINDOW_CHARS;
  const isTold = told.letters.includes(said.letters);
  if (mayGrow && isTold) return 'undecided';
  if (isTold && said.letters.length >= MIN_RUN_LETTERS && !before.includes(rest)) return 'unproven';
  const lead = rest.length - rest.trimStart().length;
  const near = before.slice(-LOOKED_AT_CHARS);
  const signs = near.length - runStart(near, SIGN);
  for (let letters = Math.min(said.letters.length, told.letters.length); letters > 0; letters--) {
    if (!told.letters.endsWith(said.letters.slice(0, letters))) continue;
    const text = rest.slice(lead, (said.ends[letters - 1] ?? 0) + signs);
    const isLong = weightOf(text, MIN_OTHER_FORM_WEIGHT) >= MIN_OTHER_FORM_WEIGHT;
    const isAll = letters === told.letters.length && letters > 1;
    // What is said in the same form is judged by the signs, too.
    if (!(isLong || isAll) || before.includes(text)) continue;
    // In a row of equal signs, the same letters may be those of other rows.
    const isSame = blankless(near).endsWith(blankless(text));
    if (isSame || !isPeriodic(said.letters.slice(0, letters))) return 'unproven';
  }
  return 'as_judged';
}

interface Search {
  readonly told: Folded;
  readonly said: Folded;
  readonly text: string;
  readonly before: string;
  /** The letters of the words that were held back. */
  readonly next: string;
  /** How many letters the last word of the text has. */
  readonly lastWord: number;
  /** How many letters its last line has, if that is two words at least. */
  readonly lastLine: number | undefined;
}

interface Echo {
  /** Where it ends, in letters, and how many it has: none, if only the held words follow marks. */
  readonly end: number;
  readonly letters: number;
  /** Whether no letter precedes it. */
  readonly isFirst: boolean;
}

/** Whether a part of a continuation is what the text said before, at its beginning or later. */
function isTold({ told, before }: Search, run: string): boolean {
  if (run.length < MIN_RUN_LETTERS) return false;
  return told.letters.includes(run) || fold(before.slice(0, WINDOW_CHARS)).letters.includes(run);
}

function echoesIn(found: Search): readonly Echo[] {
  const { told, said, next } = found;
  const echoes: Echo[] = [];
  for (let end = 0; end <= said.letters.length; end++) {
    const letters = commonEnd(said.letters.slice(0, end), told.letters);
    const same = commonLength(said.letters, end, next, 0);
    const isOver = end > 0 && end + same === said.letters.length;
    const isFollowed = next !== '' && (same === next.length || isOver);
    const echo = { end, letters, isFirst: letters === end };
    if (echo.isFirst && isFollowed) echoes.push(echo);
    else if (letters > 0 && isLongEcho(echo, isFollowed, found)) echoes.push(echo);
  }
  return echoes;
}

/** Whether so many letters are an echo, and not chance. */
function isLongEcho({ end, letters, isFirst }: Echo, isFollowed: boolean, found: Search): boolean {
  const { told, said, text, next, lastWord, lastLine } = found;
  const weight = weightOf(said.letters.slice(end - letters, end), MIN_ECHO_WEIGHT);
  const isAll = letters === told.letters.length;
  const isWord = letters >= lastWord;
  const isComplete = next === '' || isWordEnd(said, end);
  if (isFirst && (isAll || (isWord && isComplete)))
    return (
      weight >= MIN_FIRST_WEIGHT ||
      !found.before.includes(text.slice(said.at[0], said.ends[end - 1]))
    );
  const line = weightOf(lineOf(found, end, letters), MIN_ECHO_WEIGHT);
  if (line >= MIN_KNOWN_WEIGHT) return true;
  const isEnough =
    (isAll && (next !== '' || SENTENCE.test(text))) ||
    isFollowed ||
    FENCE.test(text) ||
    line === lastLine;
  if (line >= MIN_LINE_WEIGHT && isEnough) return true;
  if (isAll) return weight >= MIN_KNOWN_WEIGHT;
  // What the text said before returns in it.
  const again = said.letters.slice(end - letters, end);
  if (told.letters.indexOf(again) < told.letters.length - letters && !isFirst) return false;
  if (isWord && isFollowed)
    return weight + weightOf(next, MIN_KNOWN_WEIGHT - 1) >= MIN_KNOWN_WEIGHT;
  return weight >= (isFirst ? MIN_KNOWN_WEIGHT : MIN_ECHO_WEIGHT);
}

/**
 * Whether a continuation begins with what looks like words to the reader, a line or a sentence, and
 * then says the last word of the text again, or the words that were held back.
 */
function isAfterLead({ told, said, text, next, lastWord }: Search): boolean {
  const lead = LEAD.exec(text)?.[0].length ?? 0;
  const start = said.at.findIndex((at) => at >= lead);
  if (lead === 0 || start <= 0 || (next === '' && !SENTENCE.test(text))) return false;
  const rest = said.letters.slice(start);
  if (weightOf(next, MIN_LINE_WEIGHT) >= MIN_LINE_WEIGHT && rest.startsWith(next)) return true;
  for (
    let letters = Math.min(rest.length, told.letters.length, WINDOW_CHARS);
    letters > 0;
    letters--
  ) {
    if (!told.letters.endsWith(rest.slice(0, letters))) continue;
    const isFollowed = next !== '' && rest.startsWith(next, letters);
    const weight = weightOf(rest.slice(0, letters), MIN_KNOWN_WEIGHT);
    if (isFollowed || (letters >= lastWord && weight >= MIN_LEAD_WORD_WEIGHT)) return true;
  }
  return false;
}

/** How many letters the last line of a text has; undefined where it is one word, or very long. */
function lastLineLetters(before: string): number | undefined {
  const near = before.slice(-LOOKED_AT_CHARS).trimEnd();
  const start = near.lastIndexOf('\n') + 1;
  if (start === 0 && before.length > LOOKED_AT_CHARS) return undefined;
  const line = near.slice(start);
  const isWords = /[\p{L}\p{N}][^\p{L}\p{N}]+[\p{L}\p{N}]/u.test(line);
  return isWords ? fold(line).letters.length : undefined;
}

/** The letters of an echo from the first line on that begins in it, if that has its last word. */
function lineOf({ said, text, lastWord }: Search, end: number, letters: number): string {
  for (let start = end - letters; start <= end - lastWord && start < end; start++)
    if (text.slice(said.ends[start - 1] ?? 0, said.at[start]).includes('\n'))
      return said.letters.slice(start, end);
  return '';
}

/** Whether something comes between two letters. */
function isWordEnd({ at, ends }: Folded, end: number): boolean {
  return end === at.length || at[end] !== ends[end - 1];
}

/**
 * Where the held words begin after an echo. The signs that the text ends with come first, and further
 * signs may come between: those that close what precedes the echo.
 */
function placeAfter(
  { end, letters }: Echo,
  { before, continuation, from, words }: Omit<Judged, 'known'> & { readonly words: string },
  { said, next }: Search,
): number | undefined {
  const echoEnd = from + (letters === 0 ? 0 : (said.ends[end - 1] ?? 0));
  const lead = continuation.slice(from, from + (said.at[end - letters] ?? 0));
  const nextLetter = from + (said.at[end] ?? continuation.length - from);
  const told = before.slice(-LOOKED_AT_CHARS).trimEnd();
  const signs = letters === 0 ? '' : told.slice(runStart(told, SIGN));
  if (!continuation.startsWith(signs, echoEnd)) return undefined;
  // A repetition without marks is found by other rules, unless the text repeats itself.
  const repeated = continuation.slice(from + lead.length, echoEnd);
  if (letters > 0 && lead.trim() === '' && before.includes(repeated)) return undefined;
  const first = echoEnd + signs.length;
  // The words in another form, or others after an echo that is too long for chance.
  const repeatedWeight = weightOf(said.letters.slice(end - letters, end), MIN_KNOWN_WEIGHT);
  const isKnownNext =
    letters > 0 &&
    /^[\p{L}\p{N}]/u.test(words) &&
    (said.letters.startsWith(next, end) || repeatedWeight >= MIN_KNOWN_WEIGHT);
  for (let at = first; at <= nextLetter; at++) {
    if (!continuation.startsWith(words, at) && !(isKnownNext && at === nextLetter)) continue;
    const closed = continuation.slice(first, at);
    const open = lead.replaceAll(/[^"“”„«»「」『』‘’'*_`()[\]{}（）【】]/gu, '');
    const isClosed = closed.trim().length === open.length;
    return (PAIRED.test(lead) ? isClosed : closed.trim() === '' || letters === 0) ? at : undefined;
  }
  return undefined;
}

/** The last word, with the signs after it. */
function lastWordOf(text: string): string {
  const end = runStart(text, OUTSIDE_WORD);
  return text.slice(runStart(text, PART_OF_WORD, end));
}

function blankless(text: string): string {
  return text.replaceAll(/\s/gu, '');
}

function commonEnd(text: string, other: string): number {
  const most = Math.min(text.length, other.length);
  let same = 0;
  while (same < most && text[text.length - 1 - same] === other[other.length - 1 - same]) same += 1;
  return same;
}
