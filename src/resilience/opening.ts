import { isRecognisable, type Seam } from './overlap.ts';

/** A row of blanks or of one sign says nothing however long it is, and is not kept for ever. */
const MAX_HELD_CHARS = 400;

/**
 * The beginning of an answer, of which nothing is let out before it is enough to be known again. What broke off earlier
 * has no reader, so another can begin anew; let out, it would stand there twice as soon as another began anew.
 * Mostly that is the first piece, else the second.
 */
export function createOpening(): Seam {
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
      return held.length >= MAX_HELD_CHARS || isRecognisable(held) ? end() : '';
    },
    end,
  };
}
