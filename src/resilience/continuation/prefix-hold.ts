import { endsWithHalfPair } from './code-units.ts';
import { isLongEnough, isPeriodic } from './overlap.ts';
import type { StreamStitcher } from './stitcher.ts';

/** The most that is held back, for a start that is only blanks or one repeated pattern. */
const MAX_PREFIX_CHARS = 400;
/** A longer start that is not recognised is a pattern, and is looked at again when it has grown. */
const PATTERN_CHARS = 64;
const PATTERN_GROWTH = 1.25;

/**
 * Holds back the first characters of an answer until they would be recognised as a repetition. An
 * answer that breaks off before that was never seen by the client, so another model can start
 * afresh; if it had been emitted, it could appear twice. Usually the first piece is enough, else
 * the second.
 */
export function createPrefixHold(): StreamStitcher {
  let held = '';
  let checkedFrom = 0;
  let is: 'holding' | 'passing' = 'holding';

  function end(): string {
    const text = held;
    is = 'passing';
    held = '';
    return text;
  }

  return {
    add(text) {
      if (is === 'passing') return text;
      held += text;
      if (held.length < checkedFrom) return '';
      if (mayBeEmitted(held)) return end();
      if (held.length > PATTERN_CHARS)
        checkedFrom = Math.min(held.length * PATTERN_GROWTH, MAX_PREFIX_CHARS);
      return '';
    },
    end,
  };
}

/** Whether the start of an answer is recognisable, or as long as what is held back at most. */
export function mayBeEmitted(start: string): boolean {
  return start.length >= MAX_PREFIX_CHARS || isRecognisable(start);
}

/**
 * Whether a text is long and varied enough to be detected as a repetition when a model restarts
 * with it.
 */
export function isRecognisable(text: string): boolean {
  return isLongEnough(text.trimStart(), text) && !endsWithHalfPair(text) && !isPeriodic(text);
}
