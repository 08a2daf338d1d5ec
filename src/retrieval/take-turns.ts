import { CallError } from '#core/errors/call-error.ts';
import type { AbortSignalLike } from '#core/net/abort.ts';

/** Runs work of one key one after the other, and little of all keys at once. */
export interface Turns {
  take<T>(key: string, signal: AbortSignalLike, work: () => Promise<T>): Promise<T>;
}

/** Each has a thread. */
const MAX_RUNNING = 2;

interface WaitingTurn {
  readonly key: string;
  start(): void;
}

export function createTurns(): Turns {
  const running = new Set<string>();
  const waiting: WaitingTurn[] = [];

  function next(): void {
    for (const turn of waiting.slice()) {
      if (running.size >= MAX_RUNNING) return;
      if (running.has(turn.key)) continue;
      waiting.splice(waiting.indexOf(turn), 1);
      running.add(turn.key);
      turn.start();
    }
  }

  function wait(key: string, signal: AbortSignalLike): Promise<void> {
    return new Promise((resolve, reject) => {
      const onAbort = () => {
        const at = waiting.indexOf(turn);
        if (at === -1) return;
        waiting.splice(at, 1);
        reject(CallError.from(signal.reason));
      };
      const turn: WaitingTurn = {
        key,
        start() {
          signal.removeEventListener('abort', onAbort);
          resolve();
        },
      };
      if (signal.aborted) {
        reject(CallError.from(signal.reason));
        return;
      }
      signal.addEventListener('abort', onAbort, { once: true });
      waiting.push(turn);
      next();
    });
  }

  return {
    async take(key, signal, work) {
      await wait(key, signal);
      try {
        return await work();
      } finally {
        running.delete(key);
        next();
      }
    },
  };
}
