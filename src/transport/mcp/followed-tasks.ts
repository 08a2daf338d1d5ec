import type { Job, JobNews, Jobs } from '#core/jobs.ts';

/** The tasks that the clients of all sessions follow: how many those are, and the looks at them, which are shared. */
export interface FollowedTasks {
  /** False when that would be more than a principal may follow. */
  hasRoomFor(principal: string, count: number): boolean;
  add(principal: string, count: number): void;
  remove(principal: string, count: number): void;
  /** How it stands, not before the last change that was told of. Only for who listens to changes. */
  look(principal: string, id: string): Promise<Job>;
  /** Gives the way to stop listening. */
  onChange(listener: (news: JobNews) => void): () => void;
}

/** Of one principal, over all its sessions and subscriptions: over HTTP each of these is a session of its own. */
export const MAX_TASKS = 256;

export function createFollowedTasks(jobs: Jobs): FollowedTasks {
  const counts = new Map<string, number>();
  const looks = new Map<string, Promise<Job>>();
  const listeners = new Set<(news: JobNews) => void>();
  let stop: (() => void) | undefined;

  const countOf = (principal: string) => counts.get(principal) ?? 0;

  function tell(news: JobNews): void {
    // A look that began before may not have seen it.
    if (news.what === 'status') looks.delete(keyOf(news.principal, news.id));
    for (const listener of listeners) listener(news);
  }

  return {
    hasRoomFor: (principal, count) => countOf(principal) + count <= MAX_TASKS,
    add(principal, count) {
      if (count > 0) counts.set(principal, countOf(principal) + count);
    },
    remove(principal, count) {
      const left = countOf(principal) - count;
      if (left > 0) counts.set(principal, left);
      else counts.delete(principal);
    },
    look(principal, id) {
      const key = keyOf(principal, id);
      const begun = looks.get(key);
      if (begun) return begun;
      const look = jobs.get(principal, id);
      const forget = () => {
        if (looks.get(key) === look) looks.delete(key);
      };
      looks.set(key, look);
      look.then(forget, forget);
      return look;
    },
    onChange(listener) {
      listeners.add(listener);
      stop ??= jobs.onChange(tell);
      return () => {
        listeners.delete(listener);
        if (listeners.size > 0) return;
        stop?.();
        stop = undefined;
        // Nobody hears any more what would make them old.
        looks.clear();
      };
    },
  };
}

/** A principal's name and an id that a client made up may have any character. */
function keyOf(principal: string, id: string): string {
  return JSON.stringify([principal, id]);
}
