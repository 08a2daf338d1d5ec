import { estimateTokens } from '#models/estimate-tokens.ts';

/** Step sizes of the estimate in characters: coarse first, then finer. */
const STEPS = [512, 64, 8, 1];
/** How far back a better boundary is searched: as a share of the piece, and at most. */
const BACK_SHARE = 0.3;
const MAX_BACK_CHARS = 4_000;

const SENTENCE_ENDS = new Set('.!?;\u2026');
const WIDE_SENTENCE_ENDS = new Set('\u3002\uff01\uff1f\uff1b\n');

/**
 * The position to cut a text between `from` and `to`, so that the piece before it has at most
 * `maxTokens`: after a sentence, else after a word, else anywhere but inside a character. Always at
 * least one character.
 */
export function cutAt(text: string, from: number, to: number, maxTokens: number): number {
  let end = farthest(text, from, to, maxTokens);
  if (end >= to) return to;
  for (;;) {
    const cut = wholeCharacter(text, from, border(text, from, end), to);
    if (cut - from <= 2 || estimateTokens(text.slice(from, cut)) <= maxTokens) return cut;
    // The sum of the steps may be a little less than the tokens of the whole piece.
    end = from + Math.floor((cut - from) * 0.9);
  }
}

function farthest(text: string, from: number, to: number, maxTokens: number): number {
  let at = from;
  let left = maxTokens;
  for (const step of STEPS) {
    while (at < to) {
      const next = Math.min(at + step, to);
      const tokens = estimateTokens(text.slice(at, next));
      if (tokens > left) break;
      left -= tokens;
      at = next;
    }
  }
  return at;
}

function border(text: string, from: number, end: number): number {
  const back = Math.min(MAX_BACK_CHARS, Math.floor((end - from) * BACK_SHARE));
  const lowest = Math.max(from + 1, end - back);
  let afterWord: number | undefined;
  for (let at = end; at >= lowest; at--) {
    const before = text.charAt(at - 1);
    if (WIDE_SENTENCE_ENDS.has(before)) return at;
    if (!isBlank(before)) continue;
    if (SENTENCE_ENDS.has(text.charAt(at - 2))) return at;
    afterWord ??= at;
  }
  return afterWord ?? end;
}

function isBlank(char: string): boolean {
  return char === ' ' || char === '\t' || char === '\r' || char === '\u3000';
}

function wholeCharacter(text: string, from: number, cut: number, to: number): number {
  const at = Math.max(cut, from + 1);
  if (!isPair(text, at - 1)) return Math.min(at, to);
  return at - 1 > from ? at - 1 : Math.min(at + 1, to);
}

/** Whether a position is inside a surrogate pair. */
function isPair(text: string, at: number): boolean {
  const high = text.charCodeAt(at);
  const low = text.charCodeAt(at + 1);
  return high >= 0xd800 && high <= 0xdbff && low >= 0xdc00 && low <= 0xdfff;
}

const CUT_MARK = ' […]';
const CUT_MARK_TOKENS = estimateTokens(CUT_MARK);

/** A text, or as much of its beginning as fits with an ellipsis. Empty when not even that fits. */
export function headWithin(text: string, maxTokens: number): string {
  if (estimateTokens(text) <= maxTokens) return text;
  const room = maxTokens - CUT_MARK_TOKENS - 1;
  if (room < 1) return '';
  const head = text.slice(0, cutAt(text, 0, text.length, room)).trimEnd();
  return head === '' || estimateTokens(head) > room ? '' : head + CUT_MARK;
}

/**
 * Good positions to cut at or before `headEnd`, and at or after `tailStart`: between lines or
 * sentences if possible.
 */
export function cutPositions(
  text: string,
  headEnd: number,
  tailStart: number,
): { headEnd: number; tailStart: number } {
  const head = headEnd <= 0 ? 0 : wholeCharacter(text, 0, border(text, 0, headEnd), text.length);
  const line = text.indexOf('\n', tailStart) + 1;
  const isNear = line > 0 && line - tailStart <= MAX_BACK_CHARS && line < text.length;
  const from = Math.max(head, isNear ? line : tailStart);
  const tail = isPair(text, from - 1) ? from + 1 : from;
  return { headEnd: head, tailStart: tail };
}

/** The head and tail of a text, of at most this many characters each. */
export function splitHeadTail(text: string, chars: number): { headEnd: number; tailStart: number } {
  if (text.length <= chars * 2) return { headEnd: text.length, tailStart: text.length };
  const headEnd = wholeCharacter(text, 0, border(text, 0, chars), text.length);
  const tailStart = wholeCharacter(text, headEnd, text.length - chars, text.length);
  return { headEnd, tailStart };
}
