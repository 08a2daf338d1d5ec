/**
 * Turns of the event loop for work that takes milliseconds. One such piece of work runs in each
 * turn, first come, first served, so that ten large requests at once hold up the others no longer
 * than one does.
 */
const waiting: (() => void)[] = [];
let isScheduled = false;

/** Runs `work` in its own turn. It must not throw. */
export function inOwnTurn(work: () => void): void {
  waiting.push(work);
  if (isScheduled) return;
  isScheduled = true;
  setImmediate(runNext);
}

/** Resolves in its own turn, after other work of the event loop. */
export function pause(): Promise<void> {
  return new Promise(inOwnTurn);
}

/**
 * Limits work that is short but may arrive a thousand times at once: it runs immediately up to
 * `count` times in each turn of the event loop, and then in later turns.
 */
export function createTurnLimit(count: number): (work: () => void) => void {
  let started = 0;
  return (work) => {
    if (started === 0) setImmediate(() => (started = 0));
    started += 1;
    if (started <= count) work();
    else inOwnTurn(work);
  };
}

function runNext(): void {
  const work = waiting.shift();
  isScheduled = waiting.length > 0;
  if (isScheduled) setImmediate(runNext);
  work?.();
}
