import type { Lesson } from './refused-field.ts';

/** What was learned about models by asking them, for as long as the daemon runs. */
export interface Lessons {
  of(model: string): readonly Lesson[];
  learn(model: string, lesson: Lesson): void;
  /** The window that a refusal named. */
  window(model: string): number | undefined;
  learnWindow(model: string, tokens: number): void;
}

const MAX_MODELS = 256;
const MAX_LESSONS = 32;

interface Known {
  readonly lessons: readonly Lesson[];
  readonly window?: number;
}

export function createLessons(): Lessons {
  const known = new Map<string, Known>();

  function put(model: string, what: Known): void {
    known.delete(model);
    known.set(model, what);
    const [oldest] = known.keys();
    if (known.size > MAX_MODELS && oldest !== undefined) known.delete(oldest);
  }

  const get = (model: string): Known => known.get(model) ?? { lessons: [] };
  return {
    of: (model) => get(model).lessons,
    learn(model, lesson) {
      const before = get(model);
      if (before.lessons.includes(lesson) || before.lessons.length >= MAX_LESSONS) return;
      put(model, { ...before, lessons: [...before.lessons, lesson] });
    },
    window: (model) => get(model).window,
    learnWindow(model, window) {
      put(model, { ...get(model), window });
    },
  };
}
