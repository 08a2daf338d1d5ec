import { createBoundedMap } from '#core/bounded-map.ts';
import type { Clock } from '#core/clock.ts';
import type { Lesson } from './refused-field.ts';

/** What was learned about models by asking them, each thing for a while: a server may be mistaken, or set up anew. */
export interface Lessons {
  of(model: string): readonly Lesson[];
  learn(model: string, lesson: Lesson): void;
  /** The window that a refusal named. */
  window(model: string): number | undefined;
  /** Taken for true only if it can be: see `isPlausible`. */
  learnWindow(model: string, refusal: RefusedPrompt): void;
}

/** What a server said when it refused a prompt as too long. */
export interface RefusedPrompt {
  /** The window that it named. */
  readonly tokens: number;
  /** What the window was taken for before. */
  readonly knownTokens: number;
  /** About what was asked for: the prompt, and the longest answer that was allowed. */
  readonly askedTokens: number;
}

const MAX_MODELS = 256;
const MAX_LESSONS = 32;
const KEPT_MS = 600_000;

/** No server of use has less room. */
const LEAST_TOKENS = 512;
/** Servers at home run models of a million tokens with a window of four thousand, and not with less. */
const LEAST_SHARE = 1 / 256;
/** Our count of tokens may be this far off. */
const COUNTED_SHARE = 0.5;

interface Known {
  readonly lessons: readonly { readonly lesson: Lesson; readonly at: number }[];
  readonly window?: { readonly tokens: number; readonly at: number };
}

const NOTHING: Known = { lessons: [] };

export function createLessons(clock: Pick<Clock, 'monotonic'>): Lessons {
  const known = createBoundedMap<string, Known>({ maxEntries: MAX_MODELS });
  const isFresh = ({ at }: { readonly at: number }) => clock.monotonic() - at < KEPT_MS;

  function get(model: string): Known {
    const all = known.get(model);
    if (!all) return NOTHING;
    const { window } = all;
    return { lessons: all.lessons.filter(isFresh), ...(window && isFresh(window) && { window }) };
  }

  return {
    of: (model) => get(model).lessons.map(({ lesson }) => lesson),
    learn(model, lesson) {
      const before = get(model);
      if (before.lessons.some((each) => each.lesson === lesson)) return;
      if (before.lessons.length >= MAX_LESSONS) return;
      const lessons = [...before.lessons, { lesson, at: clock.monotonic() }];
      known.set(model, { ...before, lessons });
    },
    window: (model) => get(model).window?.tokens,
    learnWindow(model, refusal) {
      if (!isPlausible(refusal)) return;
      known.set(model, {
        ...get(model),
        window: { tokens: refusal.tokens, at: clock.monotonic() },
      });
    },
  };
}

/** A window has a size of use, and what was refused does not fit into it. */
function isPlausible({ tokens, knownTokens, askedTokens }: RefusedPrompt): boolean {
  const least = Math.max(LEAST_TOKENS, knownTokens * LEAST_SHARE);
  return tokens >= least && askedTokens >= tokens * COUNTED_SHARE;
}
