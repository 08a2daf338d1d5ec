import { bordersOf } from '#resilience/continuation/borders.ts';

/** Ends a streamed text before the first stop text in it. */
export interface StopMatcher {
  /** Takes added text and returns the part of it that may be emitted. */
  add(text: string): string;
  /**
   * The text that was held back because it might have begun a stop text. Text that is added
   * afterwards does not complete it.
   */
  flush(): string;
  /** The stop text that ended the text; undefined while there is none. */
  readonly matched: string | undefined;
}

interface Pattern {
  readonly text: string;
  /** For each length, the longest proper prefix that is also a suffix (Knuth-Morris-Pratt). */
  readonly borders: Uint32Array;
  /** How much of it the end of the text matches. */
  length: number;
}

/** Matches nothing and holds nothing back. */
const NO_STOPS: StopMatcher = { add: (text) => text, flush: () => '', matched: undefined };

/**
 * Searches for several stop texts at once, in time linear in the text. The one that is complete
 * first counts, as at the vendors, and of those the longest. An end of the text that may begin a
 * stop text is held back. `before` is text that was emitted earlier: a stop text that begins in it
 * ends the answer, too.
 */
export function createStopMatcher(stops: readonly string[], before = ''): StopMatcher {
  if (stops.length === 0) return NO_STOPS;
  const patterns = stops.map((text): Pattern => ({ text, borders: bordersOf(text), length: 0 }));
  const longest = Math.max(...stops.map(({ length }) => length));
  /** Text that is held back. */
  let held = '';
  let matched: string | undefined;

  /** Takes one character; returns the longest stop text that it completes. */
  function take(code: number): string | undefined {
    let complete: string | undefined;
    for (const pattern of patterns) {
      advance(pattern, code);
      const { text, length } = pattern;
      if (length === text.length && length > (complete?.length ?? 0)) complete = text;
    }
    return complete;
  }

  /** The length of the longest end of the text that may begin a stop text. */
  function possible(): number {
    return Math.max(...patterns.map(({ length }) => length));
  }

  // A complete stop text in emitted text cannot be taken back.
  const tail = before.slice(-longest);
  for (let at = 0; at < tail.length; at++) take(tail.charCodeAt(at));

  return {
    add(text) {
      if (matched !== undefined) return '';
      held += text;
      const start = held.length - text.length;
      for (let at = 0; at < text.length && matched === undefined; at++) {
        matched = take(text.charCodeAt(at));
        if (matched !== undefined) held = held.slice(0, start + at + 1);
      }
      const kept = Math.min(held.length, matched?.length ?? possible());
      const passed = held.slice(0, held.length - kept);
      held = matched === undefined ? held.slice(passed.length) : '';
      return passed;
    },
    flush() {
      const rest = held;
      held = '';
      for (const pattern of patterns) pattern.length = 0;
      return rest;
    },
    get matched() {
      return matched;
    },
  };
}

function advance(pattern: Pattern, code: number): void {
  const { text, borders } = pattern;
  while (pattern.length > 0 && text.charCodeAt(pattern.length) !== code) {
    pattern.length = borders[pattern.length - 1] ?? 0;
  }
  if (text.charCodeAt(pattern.length) === code) pattern.length += 1;
}

/** The text up to the first stop text in it. */
export function textBeforeStop(text: string, stops: readonly string[]): string {
  const matcher = createStopMatcher(stops);
  return matcher.add(text) + matcher.flush();
}
