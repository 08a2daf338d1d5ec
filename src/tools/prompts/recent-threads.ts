import type { Clock } from '#core/clock.ts';
import type { Threads } from '#core/threads.ts';

export interface RecentThreadsDeps {
  readonly threads: Pick<Threads, 'list'>;
  readonly clock: Pick<Clock, 'after'>;
}

/** As little of a conversation as finding it takes. */
export interface RecentThread {
  readonly id: string;
  readonly title: string;
}

export type RecentThreads = (principal: string) => Promise<readonly RecentThread[]>;

const MAX_LISTED = 200;
/** While somebody types, each letter asks for the same. */
const KEPT_MS = 2_000;
const MAX_KEPT = 64;
/** Whoever types does not wait longer. */
const PATIENCE_MS = 2_000;

/** The last conversations of a principal, newest first; none where they cannot be had in time, as nobody needs an error while typing. */
export function createRecentThreads({ threads, clock }: RecentThreadsDeps): RecentThreads {
  const kept = new Map<string, Promise<readonly RecentThread[]>>();

  async function look(principal: string): Promise<readonly RecentThread[]> {
    const found = await threads.list(principal, MAX_LISTED);
    return found.map(({ id, title }) => ({ id, title }));
  }

  return (principal) => {
    const known = kept.get(principal);
    if (known) return known;
    const found = inTime(clock, look(principal));
    if (kept.size < MAX_KEPT) {
      kept.set(principal, found);
      clock.after(KEPT_MS, () => kept.delete(principal));
    }
    return found;
  };
}

function inTime(
  clock: Pick<Clock, 'after'>,
  work: Promise<readonly RecentThread[]>,
): Promise<readonly RecentThread[]> {
  return new Promise((resolve) => {
    const timer = clock.after(PATIENCE_MS, () => resolve([]));
    const settle = (found: readonly RecentThread[]) => {
      timer.stop();
      resolve(found);
    };
    work.then(settle, () => settle([]));
  });
}
