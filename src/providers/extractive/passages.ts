import { endOfPlaceMark } from '#core/extract/document-text.ts';

/** A range of a text, from one sentence end to another. */
export interface Passage {
  readonly from: number;
  readonly to: number;
}

/** Sentences are joined until a passage has this many characters. */
const ENOUGH_CHARS = 160;
/** A shorter paragraph, such as a title, is joined with the next. */
const SHORT_PARAGRAPH_CHARS = 60;
/** A longer passage without a sentence end is cut between words. */
const MAX_CHARS = 480;

/**
 * Visits the passages of a text, each a few sentences long. The mark of a page or another place
 * ends a passage, and is in none; so does a line with … alone.
 */
export function forEachPassage(
  text: string,
  from: number,
  to: number,
  visit: (from: number, to: number) => void,
): void {
  let start = skipMarks(text, from, to);
  let at = start;
  while (at < to) {
    const end = sentenceEnd(text, at, to, start + MAX_CHARS);
    const gap = skipSpace(text, end, to);
    const next = skipMarks(text, gap, to);
    const length = end - start;
    const isEnough =
      next > gap ||
      length >= ENOUGH_CHARS ||
      next >= to ||
      next - start >= MAX_CHARS ||
      (length >= SHORT_PARAGRAPH_CHARS && hasBlankLine(text, end, next));
    if (isEnough) {
      if (end > start) visit(start, end);
      start = next;
    }
    at = next;
  }
}

/** Splits a short text into sentences. */
export function splitSentences(text: string): readonly string[] {
  const sentences: string[] = [];
  let at = skipSpace(text, 0, text.length);
  while (at < text.length) {
    const end = sentenceEnd(text, at, text.length, text.length);
    sentences.push(text.slice(at, end));
    at = skipSpace(text, end, text.length);
  }
  return sentences;
}

/** The end of the sentence that begins here, at `most` at the latest. */
function sentenceEnd(text: string, from: number, to: number, most: number): number {
  const limit = Math.min(to, Math.max(most, from + 1));
  let lastSpace = -1;
  for (let at = from; at < limit; at += 1) {
    const code = text.charCodeAt(at);
    if (code === 0x0a && endsParagraph(text, at, to)) return at;
    if (code <= 0x20) {
      lastSpace = at;
    } else if (isWideEnd(code)) {
      return skipClosers(text, at + 1, limit);
    } else if (code === 0x2e || code === 0x21 || code === 0x3f || code === 0x2026) {
      const after = skipClosers(text, at + 1, limit);
      if (after >= to) return after;
      if (text.charCodeAt(after) <= 0x20 && !goesOn(text, at, after, to)) return after;
    }
  }
  if (limit === to) return to;
  const cut = lastSpace > from ? lastSpace : limit;
  // Not between two surrogates.
  return isLowHalf(text.charCodeAt(cut)) ? cut + 1 : cut;
}

/** Full-width punctuation (。！？；) ends a sentence whatever follows. */
function isWideEnd(code: number): boolean {
  return code === 0x3002 || code === 0xff01 || code === 0xff1f || code === 0xff1b;
}

function isLowHalf(code: number): boolean {
  return code >= 0xdc00 && code <= 0xdfff;
}

/** Closing quotes, brackets and further punctuation belong to the sentence before them. */
function skipClosers(text: string, from: number, to: number): number {
  let at = from;
  while (at < to && '.!?…"\')]}”’»」』）】。！？'.includes(text.charAt(at))) at += 1;
  return at;
}

/** A dot before a lower-case letter or after a single letter is an abbreviation. */
function goesOn(text: string, dot: number, after: number, to: number): boolean {
  if (text.charCodeAt(dot) !== 0x2e) return false;
  const next = text.charCodeAt(skipSpace(text, after, Math.min(to, after + 8)));
  if (next >= 0x61 && next <= 0x7a) return true;
  return dot >= 2 && /[A-Za-z]/.test(text.charAt(dot - 1)) && /[\s.]/.test(text.charAt(dot - 2));
}

/** A blank line, or the beginning of a list item, a title or a table row. */
function endsParagraph(text: string, newline: number, to: number): boolean {
  const next = newline + 1;
  if (next >= to) return true;
  return '\n\r#-*|>•'.includes(text.charAt(next)) || endOfMark(text, next) !== undefined;
}

function hasBlankLine(text: string, from: number, to: number): boolean {
  let lines = 0;
  for (let at = from; at < to && lines < 2; at += 1) if (text.charCodeAt(at) === 0x0a) lines += 1;
  return lines === 2;
}

/** Skips spaces, marks of places and of what is left out. */
function skipMarks(text: string, from: number, to: number): number {
  let at = skipSpace(text, from, to);
  for (let end = endOfMark(text, at); end !== undefined; end = endOfMark(text, at)) {
    at = skipSpace(text, end, Math.max(end, to));
  }
  return at;
}

function endOfMark(text: string, at: number): number | undefined {
  return endOfPlaceMark(text, at) ?? endOfOmission(text, at);
}

/** The end of a line with … alone: what stands before and behind it is not adjacent. */
function endOfOmission(text: string, at: number): number | undefined {
  const isLine =
    text.charCodeAt(at) === 0x2026 &&
    (at === 0 || text.charCodeAt(at - 1) === 0x0a) &&
    (at + 1 >= text.length || text.charCodeAt(at + 1) === 0x0a);
  return isLine ? at + 1 : undefined;
}

function skipSpace(text: string, from: number, to: number): number {
  let at = from;
  while (at < to && isSpace(text.charCodeAt(at))) at += 1;
  return at;
}

function isSpace(code: number): boolean {
  return code <= 0x20 || code === 0xa0 || code === 0x3000 || code === 0xfeff;
}
