import { estimatePaced, charsWithin, type YieldPoint } from './yield-to-event-loop.ts';
import { cutPositions } from './cut-text.ts';
import { formatCount } from './prompt-room.ts';

/** A shortened text: head and tail unchanged, with a summary between them. */
interface HeadAndTail {
  readonly before: string;
  readonly middle: string;
  readonly after: string;
  /** Approximate tokens of the summarised middle. */
  readonly middleTokens: number;
  /** Maximum tokens of the summary. */
  readonly summaryTokens: number;
}

/** Tokens of the lines around a summary. */
const MARKS_TOKENS = 64;
/** The minimum size of head and tail together. */
const WORTH_KEEPING = 512;
/** The head gets more than the tail, as it says what a text is about. */
const HEAD_SHARE = 2 / 3;
/** Safety factor, as the sum of the slices may be less than the tokens of the whole. */
const SLACK = 0.99;

/**
 * Keeps as much of head and tail unchanged as fits beside a summary of the middle. Undefined when
 * there is only room for a summary.
 */
export async function keepHeadAndTail(
  text: string,
  tokens: number,
  maxTokens: number,
  pause: YieldPoint,
): Promise<HeadAndTail | undefined> {
  const keptTokens = tokens - middleFor(tokens, maxTokens);
  if (keptTokens < WORTH_KEEPING) return undefined;
  const headTokens = Math.floor(keptTokens * HEAD_SHARE);
  const headChars = await charsWithin(text, 'beginning', headTokens * SLACK, pause);
  const tailChars = await charsWithin(text, 'end', (keptTokens - headTokens) * SLACK, pause);
  const { headEnd, tailStart } = cutPositions(text, headChars, text.length - tailChars);
  const middle = text.slice(headEnd, tailStart);
  // Counted after the cut, as word and line boundaries move it.
  const middleTokens = await estimatePaced(middle, pause);
  const before = `${text.slice(0, headEnd)}\n\n[The next ${formatCount(middleTokens)} tokens or so are summarised here:]\n`;
  const after = `\n[The summary ends here; the rest is word for word.]\n\n${text.slice(tailStart)}`;
  const room = maxTokens - MARKS_TOKENS - keptTokens;
  return {
    before,
    middle,
    after,
    middleTokens,
    summaryTokens: Math.min(MAX_SUMMARY_TOKENS, room),
  };
}

/** The minimum number of tokens to summarise; all of them if a summary takes the whole room. */
function middleFor(tokens: number, maxTokens: number): number {
  if (maxTokens <= Math.min(MAX_SUMMARY_TOKENS, tokens * LONGEST_SHARE)) return tokens;
  const over = tokens - maxTokens + MARKS_TOKENS;
  const share = over / (1 - LONGEST_SHARE);
  const wanted = Math.min(share, over + MAX_SUMMARY_TOKENS);
  return Math.min(tokens, roundUp(Math.max(wanted, 1)));
}

/**
 * Rounds up to five binary digits, so that the same middle is summarised when the room differs a
 * little.
 */
function roundUp(tokens: number): number {
  const step = 2 ** Math.max(0, Math.floor(Math.log2(tokens)) - 4);
  return Math.ceil(tokens / step) * step;
}

/** Size of one summarised part: small enough for every model, large enough for context. */
export const PART_TOKENS = 12_000;
export const MAX_PARTS = 96;
/** Longer texts cannot be summarised. */
export const MAX_SUMMARISED_TOKENS = PART_TOKENS * MAX_PARTS;
/** Maximum size of a summary: with more room, more of the text itself is kept. */
export const MAX_SUMMARY_TOKENS = 16_000;
/** Maximum size of a summary relative to its text. */
const LONGEST_SHARE = 1 / 5;
