import { isDeepStrictEqual } from 'node:util';
import type { AskReport } from '#core/llm/ask.ts';
import type { CallResult } from '#core/calls/calls.ts';
import type { CallRecord, CallStore } from '#core/stores/calls.ts';
import type { Disk } from './disk.ts';
import { usageFault } from './usage-fault.ts';
import type { VendorBook } from './vendor-book.ts';
import type { Simulation } from './simulation.ts';

/** An asking, as far as its cost is concerned. */
interface SpentAsk {
  readonly name: string;
  /** Absent until its attempts and its usage were given to the store. */
  readonly report: AskReport | undefined;
  readonly state: 'open' | 'over';
}

/** Looks whether what asking took is on disk when it must be. */
export interface SpendWatch {
  spend: CallStore['recordUsage'];
  /**
   * The audit row of a call is given to the store: what was given before it must not come after it.
   */
  recorded(row: CallRecord): void;
  answered(reqId: string, answer: CallResult): void;
  /** An asking for this call is over. */
  over(reqId: string): void;
  /** What was given and neither stored nor refused. */
  readonly pending: number;
}

export interface SpendWatchOptions {
  readonly simulation: Simulation;
  readonly disk: Disk;
  readonly book: VendorBook;
  readonly store: CallStore;
  /** Calls of whose attempts and usage a full disk refused some. */
  readonly unspent: ReadonlySet<string>;
  readonly asksOf: (reqId: string) => readonly SpentAsk[];
}

export function createSpendWatch(options: SpendWatchOptions): SpendWatch {
  const { simulation, disk, book, store, unspent, asksOf } = options;
  /** By the call that was recorded: what was asked for it by then, and for whom. */
  const owed = new Map<string, { readonly asker: string; readonly asks: readonly SpentAsk[] }>();
  const waiting = new Map<string, number>();
  let pending = 0;

  function wait(reqId: string, by: 1 | -1): void {
    pending += by;
    waiting.set(reqId, (waiting.get(reqId) ?? 0) + by);
  }

  function check(reqId: string, asks: readonly SpentAsk[], extent: 'exactly' | 'at_least'): void {
    if (unspent.has(reqId)) return;
    const fault = usageFault(
      disk.usage.filter((row) => row.reqId === reqId),
      asks.flatMap(({ name }) => book.ofAsk(name)),
      extent,
    );
    if (fault !== undefined) simulation.violate('usage', `${reqId}: ${fault}`);
    const stored = disk.attempts
      .filter((row) => row.reqId === reqId)
      .map(({ attempt }) => attempt)
      .toSorted((a, b) => a - b);
    const told = asks
      .flatMap(({ report }) => report?.attempts.map(({ attempt }) => attempt) ?? [])
      .toSorted((a, b) => a - b);
    const isThere =
      extent === 'exactly'
        ? isDeepStrictEqual(stored, told)
        : told.every((attempt) => stored.includes(attempt));
    if (!isThere)
      simulation.violate(
        'attempts',
        `${reqId} has attempts ${stored.join(' ')} on disk, not ${told.join(' ')}`,
      );
    const count = Array.from({ length: told.length }, (_, at) => at + 1);
    if (extent === 'exactly' && !isDeepStrictEqual(told, count))
      simulation.violate('attempts', `${reqId} numbers its attempts ${told.join(' ')}`);
  }

  /**
   * Of all that is asked for one call, the last looks whether everything is there, and nothing
   * else.
   */
  function settle(reqId: string): void {
    const asks = asksOf(reqId);
    if ((waiting.get(reqId) ?? 0) > 0 || asks.some(({ state }) => state === 'open')) return;
    check(reqId, asks, 'exactly');
  }

  return {
    spend(attempts, usage) {
      const reqId = attempts[0]?.reqId ?? usage[0]?.reqId ?? '';
      wait(reqId, 1);
      const settled = () => {
        wait(reqId, -1);
        settle(reqId);
      };
      const kept = store.recordUsage(attempts, usage);
      kept.then(settled, settled);
      return kept;
    },
    recorded({ reqId, sharedWith: asker = reqId }) {
      const asks = asksOf(asker).filter(({ report }) => report !== undefined);
      // What ends later is not its record's to wait for.
      if (asks.length > 0) owed.set(reqId, { asker, asks });
    },
    answered(reqId, { error }) {
      const { asker, asks } = owed.get(reqId) ?? {};
      // A failure is told while the disk still holds it.
      const isHeld = error && disk.wasUnwellAt > 0 && (waiting.get(asker ?? '') ?? 0) > 0;
      if (asker !== undefined && asks && !isHeld) check(asker, asks, 'at_least');
    },
    over: settle,
    get pending() {
      return pending;
    },
  };
}
