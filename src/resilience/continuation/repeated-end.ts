import { blankPrefix, lastCharacter } from './code-units.ts';
import type { HeldBack } from './held-back.ts';
import { isLongEnough, overlapOf, patternAround } from './overlap.ts';
import { weightOf } from './weight.ts';

/** A continuation, and a position in it where a repetition may begin. */
export interface PossibleRepetition {
  readonly before: string;
  readonly continuation: string;
  readonly start: number;
  /** What the first model wrote after `before`; undefined if nothing was received. */
  readonly known: HeldBack | undefined;
}

/** A repetition is looked for in this much of the end of the text. */
const LOOKED_AT_CHARS = 10_000;
/** So much of the end of a text is hardly ever said again by chance. */
const MIN_CERTAIN_WEIGHT = 16;
/** Less may be a word that is said twice. */
const MIN_PHRASE_WEIGHT = 8;
const PART_OF_WORD = /^[\p{L}\p{M}\p{N}_]/u;

/** Short words that do not make another word when they are joined to what precedes, unlike "ma" or "can". */
const SHORT_WORDS: ReadonlySet<string> = new Set(
  (
    'a i in is it of to or on an as at by he we my me if be us up so the and but for not are was its ' +
    'his her you has had all any one our out who how why did get may new now old see two way ' +
    'der die das und ist ein den dem des mit von zu im es er wir sie le la les un une et du de que ' +
    'el los las una con por il di che'
  ).split(' '),
);

/**
 * How many characters of a continuation, from `start` on, say the end of the text again. An exact
 * continuation begins with the words that were held back, so one that begins with the end of the text
 * instead repeats it, be it short: white space is known to follow the text, and it repeats whole words.
 *
 * `ambiguous`: a short word, of which the space may have been left out ("the pizza" + "a day"), a
 * number, a sign, or a text that repeats itself. Nothing tells a repetition from new text.
 */
export function repeatedEnd(
  { before, continuation, start, known }: PossibleRepetition,
  last: 'last' | 'more',
): number | 'undecided' | 'ambiguous' {
  const { chars, mayGrow } = overlapOf(continuation, start, before.slice(-LOOKED_AT_CHARS));
  const isOpen = mayGrow || start + chars === continuation.length;
  if (isOpen && last === 'more') return 'undecided';
  const said = continuation.slice(start, start + chars);
  const next = continuation.slice(start + chars, start + chars + 2);
  if (said === before.trimStart() && isLongEnough(said, before)) return chars;
  const isInWord = PART_OF_WORD.test(said.slice(-1)) && PART_OF_WORD.test(next);
  if (chars === 0 || isInWord || known === undefined) return 0;
  if (weightOf(said, MIN_CERTAIN_WEIGHT) >= MIN_CERTAIN_WEIGHT) {
    const found = { before, end: before.length, continuation, blanks: start, start, chars };
    const pattern = patternAround(found, last);
    if (pattern === 'undecided' && last === 'more') return pattern;
    return pattern === 'pattern' || pattern === 'out_of_phase' ? 'ambiguous' : chars;
  }
  if (known.blanks === '' || blankPrefix(said) > 0 || /\s/u.test(lastCharacter(before))) return 0;
  // After white space, a word may be said twice on purpose: "very" + " very long".
  const isShort = weightOf(said, MIN_PHRASE_WEIGHT) < MIN_PHRASE_WEIGHT;
  if (isShort && start > 0 && start === blankPrefix(continuation)) return 0;
  const earlier = before.slice(0, -chars);
  const after = continuation.slice(start + chars).trimStart();
  const isSaidOver = [earlier.trimEnd().slice(-chars), after, known.words].some((text) =>
    isSame(text.slice(0, chars), said),
  );
  if (isSaidOver) return 'ambiguous';
  if (!/\p{L}/u.test(said)) return /^[,;:.!?]$/.test(said) ? chars : 'ambiguous';
  const isFragment = /[\p{L}\p{N}]/u.test(lastCharacter(earlier));
  return isFragment && SHORT_WORDS.has(said.toLowerCase()) ? 'ambiguous' : chars;
}

function isSame(text: string, other: string): boolean {
  return text.toLowerCase() === other.toLowerCase();
}
