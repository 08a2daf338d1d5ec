import type { Clock } from '#core/time/clock.ts';

const MAX_NAMES = 8;
/** A call that has just ended may be what kept the daemon busy. */
const RECENT_MS = 1000;

/** Creates a record of the tools whose calls run or have just ended. */
export function createRecentTools(clock: Pick<Clock, 'monotonic'>) {
  const running = new Map<string, number>();
  const ended: { readonly tool: string; readonly at: number }[] = [];
  return {
    started(tool: string): void {
      running.set(tool, (running.get(tool) ?? 0) + 1);
    },
    ended(tool: string): void {
      const left = (running.get(tool) ?? 0) - 1;
      if (left > 0) running.set(tool, left);
      else running.delete(tool);
      ended.push({ tool, at: clock.monotonic() });
      if (ended.length > MAX_NAMES) ended.shift();
    },
    /** Distinct names, those of running calls first. */
    names(): readonly string[] {
      const since = clock.monotonic() - RECENT_MS;
      const recent = ended.filter(({ at }) => at >= since).map(({ tool }) => tool);
      return [...new Set([...running.keys(), ...recent])].slice(0, MAX_NAMES);
    },
  };
}
