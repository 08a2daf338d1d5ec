import type { Clock } from '#core/clock.ts';

/** The outcome of the work, or `late` once the time is over; the work itself goes on unwatched. */
export async function bounded<T>(clock: Clock, ms: number, work: Promise<T>): Promise<T | 'late'> {
  let timer: { stop(): void } | undefined;
  const late = new Promise<'late'>((resolve) => {
    timer = clock.after(ms, () => resolve('late'));
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    timer?.stop();
  }
}
