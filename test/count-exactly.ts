import { textPieces } from './text-pieces.ts';

/**
 * What is counted at a time, before others get their turn; garbage has many tokens, and takes
 * longest.
 */
const TURN_UNITS = 65_536;
const TURN_TOKENS = 16_384;
const PIECE_UNITS = 8_192;

/** Marks of the vendor's own protocol are plain text here. */
const AS_TEXT = { disallowedSpecial: new Set<string>() };

/**
 * How many tokens a text has in o200k, which stands for the vocabularies that nobody publishes.
 * Loads that vocabulary on first use. `pause` lets others run; it is called after every 64 KB or
 * earlier, so that a text of 10 MB blocks nobody.
 */
export async function countExactly(text: string, pause: () => Promise<void>): Promise<number> {
  const { countTokens, clearMergeCache } = await import('gpt-tokenizer/encoding/o200k_base');
  let total = 0;
  let units = 0;
  let tokens = 0;
  for (const piece of textPieces(text, PIECE_UNITS)) {
    units += piece.length;
    tokens += countTokens(piece, AS_TEXT);
    if (units < TURN_UNITS && tokens < TURN_TOKENS) continue;
    total += tokens;
    [units, tokens] = [0, 0];
    // Its entries are slices that keep the whole text in memory, and a full one takes long to make
    // room.
    clearMergeCache();
    await pause();
  }
  clearMergeCache();
  return total + tokens;
}
