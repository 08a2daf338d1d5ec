import { placesAround } from './cut-text.ts';
import { estimatePaced, reach, type Pause } from './paced.ts';
import { inWords } from './room.ts';
import { LONGEST_SHARE, MAX_SUMMARY_TOKENS } from './summary-limits.ts';

/** How a text becomes shorter: with both ends word for word and a summary between them. */
export interface KeptEnds {
  readonly before: string;
  readonly middle: string;
  readonly after: string;
  /** Of what is summarised, roughly. */
  readonly middleTokens: number;
  /** Of the summary, at most. */
  readonly summaryTokens: number;
}

/** Of the lines around a summary. */
const MARKS_TOKENS = 64;
/** Shorter ends say nothing that a summary does not. */
const WORTH_KEEPING = 512;
/** The beginning says what a text is about, so more of it stays than of the end. */
const HEAD_SHARE = 2 / 3;
/** Slices are counted one by one; in one piece they may come to a little more. */
const SLACK = 0.99;

/**
 * Keeps as much of a text word for word as fits beside a summary of the rest. Nothing where there is room for a summary
 * alone, or for less.
 */
export async function keepEnds(
  text: string,
  tokens: number,
  maxTokens: number,
  pause: Pause,
): Promise<KeptEnds | undefined> {
  const keptTokens = tokens - middleFor(tokens, maxTokens);
  if (keptTokens < WORTH_KEEPING) return undefined;
  const headTokens = Math.floor(keptTokens * HEAD_SHARE);
  const headChars = await reach(text, 'beginning', headTokens * SLACK, pause);
  const tailChars = await reach(text, 'end', (keptTokens - headTokens) * SLACK, pause);
  const { headEnd, tailStart } = placesAround(text, headChars, text.length - tailChars);
  const middle = text.slice(headEnd, tailStart);
  // As it was cut: borders of words and lines move the places.
  const middleTokens = await estimatePaced(middle, pause);
  const before = `${text.slice(0, headEnd)}\n\n[The next ${inWords(middleTokens)} tokens or so are summarised here:]\n`;
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

/** How much has to be summarised, as little as can be; all of it where a summary takes the whole room. */
function middleFor(tokens: number, maxTokens: number): number {
  if (maxTokens <= Math.min(MAX_SUMMARY_TOKENS, tokens * LONGEST_SHARE)) return tokens;
  const over = tokens - maxTokens + MARKS_TOKENS;
  const share = over / (1 - LONGEST_SHARE);
  const wanted = Math.min(share, over + MAX_SUMMARY_TOKENS);
  return Math.min(tokens, roundUp(Math.max(wanted, 1)));
}

/** Up to five binary digits, so that the same part is summarised when the room is a little different next time. */
function roundUp(tokens: number): number {
  const step = 2 ** Math.max(0, Math.floor(Math.log2(tokens)) - 4);
  return Math.ceil(tokens / step) * step;
}
