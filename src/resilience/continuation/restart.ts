import { blankPrefix, commonLength, isHighSurrogate, isLowSurrogate } from './code-units.ts';
import { afterKnownBlanks } from './seam-blanks.ts';

/** `pattern`: the whole text was said yet again, so that nothing shows what of it is new. */
interface NewText {
  readonly is: 'new' | 'pattern';
  readonly text: string;
}

/** A continuation that began with the start of the text so far, and is followed without a buffer. */
export interface Restart {
  /** The text to emit when the restart is over. `rewritten`: it became a different answer. */
  add(text: string): NewText | 'following' | 'rewritten';
  /** The text to emit when the continuation ends here; undefined where nothing tells whether it is new. */
  end(): string | undefined;
}

/**
 * Follows a restart from this position of `before` to its end. It began at `start`: at its first character,
 * or in the middle of it. After that the text may be said yet
 * again, for half of its length: then it is a pattern, and what looked like a restart is new text.
 */
export function createRestart(before: string, from: number, start = blankPrefix(before)): Restart {
  const isPart = start > blankPrefix(before);
  const end = before.trimEnd().length;
  const whole = before.slice(start);
  let followed = from;
  /** What comes after the last word, until its white space is known. */
  let blanks = '';
  let isPastBlanks = false;
  /** How far the whole text was followed once more. */
  let again = 0;

  function addAfter(text: string): NewText | 'following' {
    let rest = text;
    if (!isPastBlanks) {
      blanks += text;
      const after = afterKnownBlanks(blanks, 0, before);
      if (after === 'undecided') return 'following';
      rest = blanks.slice(after);
      isPastBlanks = true;
    }
    const more = commonLength(rest, 0, whole, again);
    again += more;
    const next = rest.slice(more);
    if (2 * again >= whole.length) {
      return { is: 'pattern', text: whole + whole.slice(0, again) + next };
    }
    if (next === '') return 'following';
    return { is: 'new', text: withWholePair(whole.slice(0, again), next) };
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
    end() {
      if (followed === end) return whole.slice(0, again);
      // A model that restarts does not stop in the middle of it, so this is a part that returns.
      return isPart ? undefined : before.slice(start, followed);
    },
  };
}
