import { isInCode } from './seam-blanks.ts';
import { weightOf } from './weight.ts';

/** An overlap of this weight is hardly ever chance. */
const MIN_CERTAIN_WEIGHT = 24;
/** The minimum for code from a vendor that continues the text itself, as lines of code return. */
const MIN_CODE_CHARS = 80;
/** The minimum weights for prose that begins within a word; a vendor that continues it is trusted more. */
const MIN_PROSE_WEIGHT = { instructed: 12, prefix: 16 } as const;

/**
 * Whether an overlap, the same characters at the end of the text so far (`told`) and at the start of
 * its continuation, is a repetition. In code, the same line or closing tag often comes twice in a row,
 * and the same part of a token, too: `wasm32-unknown-unknown`. In prose a phrase hardly ever does.
 *
 * - All of the text so far is a repetition.
 * - From a model that was asked to continue: 24 characters, 12 of prose, or fewer of prose that begin
 *   with a word.
 * - From a vendor that continues the text itself: 16 characters of prose, or 80 of other text that
 *   begin with a line and have three lines.
 */
export function isRepetition(common: string, told: string, how: 'prefix' | 'instructed'): boolean {
  if (common === told.trimStart()) return true;
  const isLong = weightOf(common, MIN_CERTAIN_WEIGHT) >= MIN_CERTAIN_WEIGHT;
  const isProse = isProseOf(common) && !isInCode(told);
  const least = MIN_PROSE_WEIGHT[how];
  const isLongProse = isProse && weightOf(common, least) >= least;
  if (how === 'instructed')
    return isLong || isLongProse || (isProse && beginsWithWord(common, told));
  if (isProse) return isLongProse;
  const at = told.length - common.length;
  const isAtLine = told.charAt(at - 1) === '\n';
  return common.length >= MIN_CODE_CHARS && isAtLine && /\n.*\S.*\n.*\S/.test(common);
}

const PROSE = /^[\p{L}\p{M}\p{N} ,.;:!?…'’‘"“”«»*_–—，。；：！？、《》「」-]+$/u;
/** Words with a space between them, or characters of a script that needs none. */
const WORDS = /\p{L} +\p{L}|[,.;:!?…—–] +\p{L}|\p{Lo}{2}/u;

/** Whether a text is one line of words, without the signs of code, markup and tables. */
function isProseOf(text: string): boolean {
  return PROSE.test(text) && WORDS.test(text);
}

/** Whether an overlap begins where a word of the text so far does, or with the space before one. */
function beginsWithWord(common: string, told: string): boolean {
  const previous = told.charAt(told.length - common.length - 1);
  if (/^\p{Lo}/u.test(common)) return true;
  if (/^\s/u.test(common)) return !/\s/u.test(previous);
  return /^["“‘'«(]?$|\s/u.test(previous);
}
