import { setTimeout as pause } from 'node:timers/promises';
import { vi } from 'vitest';

/** Catches what never comes; far longer than anything takes on a busy machine. */
const NEVER_MS = 90_000;
const INTERVAL_MS = 5;

/**
 * Whether something becomes true: true as soon as it is, false when it still is not after 90
 * seconds. For checks that report what is wrong; an assertion that waits is `expect.poll`, whose
 * timeout is set in vitest.config.ts.
 */
export async function eventually(isTrue: () => boolean | Promise<boolean>): Promise<boolean> {
  const giveUpAt = performance.now() + NEVER_MS;
  while (!(await isTrue())) {
    if (performance.now() > giveUpAt) return false;
    await pause(INTERVAL_MS);
  }
  return true;
}

/** What an attempt gives once it no longer throws; after 90 seconds the error of the last one. */
export function retried<T>(attempt: () => Promise<T>): Promise<T> {
  return vi.waitFor(attempt, { timeout: NEVER_MS, interval: INTERVAL_MS });
}
