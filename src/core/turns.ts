/**
 * Turns of the event loop for work that takes milliseconds. One such piece of work runs in each
 * turn, first come, first served, so that ten large requests at once hold up the others no longer
 * than one does.
 */
const waiting: (() => void)[] = [];
let isScheduled = false;

/** Runs `work` in a turn of its own. It must not throw. */
export function inOwnTurn(work: () => void): void {
  waiting.push(work);
  if (isScheduled) return;
  isScheduled = true;
  setImmediate(runNext);
}

/** Resolves in a turn of its own, after other work of the event loop. */
export function pause(): Promise<void> {
  return new Promise(inOwnTurn);
}

function runNext(): void {
  const work = waiting.shift();
  isScheduled = waiting.length > 0;
  if (isScheduled) setImmediate(runNext);
  work?.();
}
