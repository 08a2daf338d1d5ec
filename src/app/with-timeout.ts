import type { Clock } from '#core/time/clock.ts';

/** The result of the work, or `late` after the time limit; the work itself continues unobserved. */
export async function withTimeout<T>(
  clock: Clock,
  ms: number,
  work: Promise<T>,
): Promise<T | 'late'> {
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
