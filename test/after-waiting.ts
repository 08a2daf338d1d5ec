import type { FakeClock } from './fake-clock.ts';

/** The outcome of work that waits for time to pass on a fake clock, which moves on meanwhile. */
export async function afterWaiting<T>(clock: FakeClock, work: Promise<T>): Promise<T> {
  let isOver = false;
  const ended = work.finally(() => (isOver = true));
  ended.catch(() => undefined);
  while (!isOver) {
    await Promise.race([ended.catch(() => undefined), clock.untilWaiting()]);
    clock.advance(500);
    await new Promise((resolve) => setImmediate(resolve));
  }
  return ended;
}
