import type { Clock } from '#core/clock.ts';
import type { Cancel } from '#core/http.ts';
import type { Id } from '#core/ids.ts';
import type { JobNews } from '#core/jobs.ts';

/** Who wants to hear of jobs, and what they are told. */
export interface News {
  tell(news: JobNews): void;
  onChange(listener: (news: JobNews) => void): () => void;
  /** Resolves at the next change of the status of this job, after `ms`, or when the signal says so. */
  next(id: string, ms: number, signal: Cancel): { readonly came: Promise<void>; dispose(): void };
}

const BETWEEN_PROGRESS_MS = 1000;

export function createNews(clock: Clock): News {
  const listeners = new Set<(news: JobNews) => void>();
  const waiting = new Map<string, Set<() => void>>();
  const toldAt = new Map<Id<'job'>, number>();

  /** Progress comes by the piece of text; nobody wants to hear of each. */
  function isTooSoon({ id, what }: JobNews): boolean {
    if (what === 'status') {
      toldAt.delete(id);
      return false;
    }
    const now = clock.monotonic();
    if (now - (toldAt.get(id) ?? -Infinity) < BETWEEN_PROGRESS_MS) return true;
    toldAt.set(id, now);
    return false;
  }

  return {
    tell(news) {
      if (isTooSoon(news)) return;
      if (news.what === 'status') for (const wake of waiting.get(news.id) ?? []) wake();
      for (const listener of listeners) listener(news);
    },
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    next(id, ms, signal) {
      let dispose = () => {};
      const came = new Promise<void>((resolve) => {
        const those = waiting.get(id) ?? new Set();
        waiting.set(id, those.add(end));
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
          those.delete(end);
          if (those.size === 0 && waiting.get(id) === those) waiting.delete(id);
        };
      });
      return { came, dispose: () => dispose() };
    },
  };
}
