import { describeStartProgress, type StartProgress } from '#config/home/start-progress.ts';
import type { Clock } from '#core/time/clock.ts';

/** Some lines a minute, for people and for logs that keep them. */
const BETWEEN_MS = 5000;

/** Sentences about a daemon that upgrades its store, at once and then every 5 seconds. */
export function createStartProgressLines(
  clock: Pick<Clock, 'monotonic'>,
  write: (sentence: string) => void,
): (progress: StartProgress) => void {
  let writtenMs = Number.NEGATIVE_INFINITY;
  return (progress) => {
    const nowMs = clock.monotonic();
    if (nowMs - writtenMs < BETWEEN_MS) return;
    writtenMs = nowMs;
    write(`The daemon is ${describeStartProgress(progress)}.`);
  };
}
