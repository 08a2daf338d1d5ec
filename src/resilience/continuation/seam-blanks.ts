import { blankPrefix, lastCharacter } from './code-units.ts';

/** Whether a text ends within a sentence of prose, so that the next character belongs to it. */
export function endsWithinSentence(before: string): boolean {
  return /[\p{Ll}\p{Lo}\p{Lm}\p{N},;，；、] ?$/u.test(before.slice(-2)) && !isInCode(before);
}

const FENCE = '```';

/** Whether a text ends within a fenced block of code. */
export function isInCode(text: string): boolean {
  let fences = 0;
  for (let at = text.indexOf(FENCE); at !== -1; at = text.indexOf(FENCE, at + FENCE.length))
    fences += 1;
  return fences % 2 === 1;
}

/**
 * The position from which the text after a preamble is kept. A preamble ends with a space or with one
 * or two line breaks, and the rest of the white space belongs to the answer.
 */
export function afterPreamble(before: string, continuation: string, end: number): number {
  const count = blankPrefix(continuation, end);
  const blanks = continuation.slice(end, end + count);
  const next = continuation.slice(end + count, end + count + 2);
  const isSeparated = /\s/u.test(lastCharacter(before));
  const lastBreak = blanks.lastIndexOf('\n');
  if (lastBreak === -1) {
    if (isSeparated) return end + count;
    // One space ends the preamble, unless two words would be joined without it.
    const isWithin =
      /^[\p{L}\p{N}]/u.test(next) && /[\p{L}\p{N},;:.!?)]/u.test(lastCharacter(before));
    return count <= 1 && !isWithin ? end + count : end + Math.max(0, count - 1);
  }
  // A sentence that is over and the next one are not joined without white space.
  if (
    !isSeparated &&
    /[.!?:。！？：]/u.test(lastCharacter(before)) &&
    /^\p{Lu}/u.test(next) &&
    lastBreak === count - 1
  )
    return end;
  const indent = blanks.slice(lastBreak + 1);
  const breaks = blanks.split('\n').length - 1;
  const isLine = beginsLine(before, indent, continuation.slice(end + count));
  return end + count - indent.length - Math.max(breaks - 2, isLine ? 1 : 0);
}

/** What only a line begins with: an item of a list, a heading, a fence. */
const LINE_START = /^(?:[-*+] |#|\d{1,3}[.)] |```)/;

/** Whether the text after a preamble is the next line of a table, of a list or of code. */
function beginsLine(before: string, indent: string, next: string): boolean {
  const isIndented = indent.length > 1 || indent === '\t';
  if (before.endsWith('|')) return indent === '' && next.startsWith('|');
  if (/[{};,:()[\]]/.test(lastCharacter(before))) return isIndented || /^[}\]]/.test(next);
  return !/\s/u.test(lastCharacter(before)) && indent === '' && LINE_START.test(next);
}

/** White space that the text so far ends with is not repeated either. */
export function afterKnownBlanks(
  continuation: string,
  from: number,
  before: string,
): number | 'undecided' {
  const known = before.slice(before.trimEnd().length);
  if (known === '') return from;
  const count = blankPrefix(continuation, from);
  if (from + count === continuation.length) return 'undecided';
  const blanks = continuation.slice(from, from + count);
  if (blanks.startsWith(known)) return from + known.length;
  return known.startsWith(blanks) ? from + count : from;
}
