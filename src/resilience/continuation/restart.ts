import { commonLength, isHighSurrogate, isLowSurrogate } from './code-units.ts';
import { afterKnownBlanks } from './seam-blanks.ts';

/** A continuation that says a part of the text so far again, up to its end, and is followed without a buffer. */
export interface Restart {
  /**
   * The text to emit when the restart is over. `rewritten`: it became a different answer. `unproven`: the part was
   * said yet again, so that nothing shows what of it is new.
   */
  add(text: string): { readonly text: string } | 'following' | 'rewritten' | 'unproven';
  /** The text to emit when the continuation ends here; undefined where nothing tells whether it is new. */
  end(): string | undefined;
}

/**
 * Follows a restart that begins at this position of `before`. After its end the part may be said yet again,
 * for half of its length: then it is a pattern.
 */
export function createRestart(before: string, start: number): Restart {
  const end = before.trimEnd().length;
  const part = before.slice(start);
  let followed = start;
  /** What comes after the last word, until its white space is known. */
  let blanks = '';
  let isPastBlanks = false;
  /** How far the part was followed once more. */
  let again = 0;

  function addAfter(text: string): ReturnType<Restart['add']> {
    let rest = text;
    if (!isPastBlanks) {
      blanks += text;
      const after = afterKnownBlanks(blanks, 0, before);
      if (after === 'undecided') return 'following';
      rest = blanks.slice(after);
      isPastBlanks = true;
    }
    const more = commonLength(rest, 0, part, again);
    again += more;
    if (2 * again >= part.length) return 'unproven';
    const next = rest.slice(more);
    return next === '' ? 'following' : { text: withWholePair(part.slice(0, again), next) };
  }

  /** The last half of a pair that `before` was cut in is emitted as the whole pair. */
  function withWholePair(known: string, next: string): string {
    const previous = before.charCodeAt(before.length - 1);
    const isSplit = known === '' && isHighSurrogate(previous) && isLowSurrogate(next.charCodeAt(0));
    return isSplit ? String.fromCharCode(previous) + next : known + next;
  }

  return {
    add(text) {
      const same = commonLength(text, 0, before, followed, end - followed);
      followed += same;
      if (followed === end) return addAfter(text.slice(same));
      return same === text.length ? 'following' : 'rewritten';
    },
    end: () => (followed === end ? part.slice(0, again) : undefined),
  };
}
