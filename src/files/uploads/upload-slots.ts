import { CallError } from '#core/errors/call-error.ts';
import type { AbortSignalLike } from '#core/net/abort.ts';

/** Limits uploads to each provider at the same time; the others wait in order. */
export interface UploadSlots {
  /** Throws the signal's reason. */
  run<T>(provider: string, signal: AbortSignalLike, work: () => Promise<T>): Promise<T>;
}

export function createUploadSlots(maxOf: (provider: string) => number): UploadSlots {
  const running = new Map<string, number>();
  const waiting = new Map<string, (() => void)[]>();

  function acquire(provider: string, signal: AbortSignalLike): Promise<void> {
    const used = running.get(provider) ?? 0;
    if (used < maxOf(provider)) {
      running.set(provider, used + 1);
      return Promise.resolve();
    }
    const queue = waiting.get(provider) ?? [];
    waiting.set(provider, queue);
    return new Promise((resolve, reject) => {
      const begin = () => {
        signal.removeEventListener('abort', onAbort);
        resolve();
      };
      const onAbort = () => {
        queue.splice(queue.indexOf(begin), 1);
        reject(CallError.from(signal.reason));
      };
      queue.push(begin);
      signal.addEventListener('abort', onAbort, { once: true });
    });
  }

  function release(provider: string): void {
    const next = waiting.get(provider)?.shift();
    // The slot is passed on directly, without being free in between.
    if (next) return next();
    const used = (running.get(provider) ?? 1) - 1;
    if (used === 0) running.delete(provider);
    else running.set(provider, used);
  }

  return {
    async run(provider, signal, work) {
      signal.throwIfAborted();
      await acquire(provider, signal);
      try {
        return await work();
      } finally {
        release(provider);
      }
    },
  };
}
