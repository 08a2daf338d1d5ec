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

/** What may be done in each turn of the event loop. */
interface TurnBudget {
  /** Whether more than the budget has been spent in this turn, with this. */
  spend(amount: number): boolean;
  /** Whether it was spent already in this turn. */
  isSpent(): boolean;
}

export function createTurnBudget(most: number): TurnBudget {
  let spent = 0;
  return {
    spend(amount) {
      if (spent === 0) setImmediate(() => (spent = 0));
      spent += amount;
      return spent > most;
    },
    isSpent: () => spent > most,
  };
}

/**
 * Limits work that is short but may arrive a thousand times at once: it runs immediately up to
 * `count` times in each turn of the event loop, and then in later turns.
 */
export function createTurnLimit(count: number): (work: () => void) => void {
  const budget = createTurnBudget(count);
  return (work) => {
    if (budget.spend(1)) inOwnTurn(work);
    else work();
  };
}

function runNext(): void {
  const work = waiting.shift();
  isScheduled = waiting.length > 0;
  if (isScheduled) setImmediate(runNext);
  work?.();
}
