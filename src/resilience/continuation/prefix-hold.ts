import { endsWithHalfPair } from './code-units.ts';
import { isLongEnough } from './overlap.ts';
import { createContinuationStitcher, type StreamStitcher } from './stitcher.ts';

/** The most that is held back, for a start that is only blanks or one repeated pattern. */
const MAX_PREFIX_CHARS = 400;

/**
 * Holds back the first characters of an answer until they would be recognised as a repetition. An
 * answer that breaks off before that was never seen by the client, so another model can start
 * afresh; if it had been emitted, it could appear twice. Usually the first piece is enough, else
 * the second.
 */
export function createPrefixHold(): StreamStitcher {
  let held = '';
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
      return held.length >= MAX_PREFIX_CHARS || isRecognisable(held) ? end() : '';
    },
    end,
  };
}

/**
 * Whether a text is long and varied enough to be detected as a repetition when a model restarts
 * with it.
 */
export function isRecognisable(text: string): boolean {
  if (!isLongEnough(text.trimStart(), text) || endsWithHalfPair(text)) return false;
  const stitcher = createContinuationStitcher(text);
  return stitcher.add(text + NEW_TEXT) + stitcher.end() === NEW_TEXT;
}

/** A character that no answer repeats. */
const NEW_TEXT = '\uFFFF';
