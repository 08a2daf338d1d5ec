import type { Clock } from '#core/time/clock.ts';
import type { AbortSignalLike } from '#core/net/abort.ts';
import type { Id } from '#core/ids.ts';
import type { JobEvent } from '#core/calls/jobs.ts';

/** Event bus for changes of jobs. */
export interface JobEvents {
  notify(change: JobEvent): void;
  onChange(listener: (change: JobEvent) => void): () => void;
  /** Resolves at the next status change of this job, after `ms`, or when the signal aborts. */
  next(
    id: string,
    ms: number,
    signal: AbortSignalLike,
  ): { readonly came: Promise<void>; dispose(): void };
}

const BETWEEN_PROGRESS_MS = 1000;

export function createJobEvents(clock: Clock): JobEvents {
  const listeners = new Set<(change: JobEvent) => void>();
  const waiting = new Map<string, Set<() => void>>();
  const notifiedAt = new Map<Id<'job'>, number>();

  /** Throttles progress events, which come with every piece of text. */
  function isTooSoon({ id, what }: JobEvent): boolean {
    if (what === 'status') {
      notifiedAt.delete(id);
      return false;
    }
    const now = clock.monotonic();
    if (now - (notifiedAt.get(id) ?? -Infinity) < BETWEEN_PROGRESS_MS) return true;
    notifiedAt.set(id, now);
    return false;
  }

  return {
    notify(change) {
      if (isTooSoon(change)) return;
      if (change.what === 'status') for (const wake of waiting.get(change.id) ?? []) wake();
      for (const listener of listeners) listener(change);
    },
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    next(id, ms, signal) {
      let dispose = () => {};
      const came = new Promise<void>((resolve) => {
        const waiters = waiting.get(id) ?? new Set();
        waiting.set(id, waiters.add(end));
        const timer = clock.after(ms, end);
        signal.addEventListener('abort', end);
        if (signal.aborted) end();
        function end(): void {
          dispose();
          resolve();
        }
        dispose = () => {
          timer.stop();
          signal.removeEventListener('abort', end);
          waiters.delete(end);
          if (waiters.size === 0 && waiting.get(id) === waiters) waiting.delete(id);
        };
      });
      return { came, dispose: () => dispose() };
    },
  };
}
