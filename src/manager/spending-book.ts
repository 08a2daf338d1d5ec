import { createBoundedMap } from '#core/bounded-map.ts';
import type { Clock } from '#core/clock.ts';
import { DAY_MS } from '#core/utc-day.ts';

/** What was spent today (UTC), by whom and in all, in micro-dollars. */
export interface SpendingBook {
  all(): number;
  of(name: string): number;
  add(name: string, microUsd: number): void;
}

interface Page {
  all: number;
  readonly by: Map<string, number>;
}

/** More than a clock that is set back and forth needs. */
const MAX_DAYS = 3;

/** A page for each day: a new one starts at 0, and a clock that was set wrong for a moment makes nothing forgotten. */
export function createSpendingBook(clock: Pick<Clock, 'now'>): SpendingBook {
  const pages = createBoundedMap<number, Page>({ maxEntries: MAX_DAYS });
  let day = Number.NaN;
  let page: Page = { all: 0, by: new Map() };

  function today(): Page {
    const now = Math.floor(clock.now() / DAY_MS);
    if (now === day) return page;
    day = now;
    page = pages.get(now) ?? { all: 0, by: new Map() };
    pages.set(now, page);
    return page;
  }

  return {
    all: () => today().all,
    of: (name) => today().by.get(name) ?? 0,
    add(name, microUsd) {
      const { by } = today();
      page.all += microUsd;
      by.set(name, (by.get(name) ?? 0) + microUsd);
    },
  };
}
