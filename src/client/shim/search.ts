import { CallError } from '#core/call-error.ts';
import { sleep, type Clock } from '#core/clock.ts';
import type { Random } from '#core/random.ts';
import { backoffMs, refusedMs } from './backoff.ts';
import type { Link } from '../link/link.ts';
import { isStartRefusal } from '../start-refusal.ts';

/** `never`: nobody waits for a daemon, so one that was stopped is left so; one that somebody else starts is found. */
export type Starting = 'if_needed' | 'never';

export type Connect = (start: Starting) => Promise<Link>;

export interface SearchOptions {
  readonly clock: Clock;
  readonly random: Random;
  readonly connect: Connect;
  /** Whether anything waits for a daemon at this moment. */
  readonly isNeeded: () => boolean;
  readonly onFound: (link: Link) => void;
  /** An attempt failed that somebody waited for. The search goes on. */
  readonly onMissed: (error: CallError) => void;
}

export interface Search {
  /** Looks until one is found. The very first attempt, at once, is made for a client that has just come. */
  begin(first: 'at once' | 'after a pause'): void;
  /** Somebody needs a daemon now, and waits for no pause between two looks around. */
  hurry(): void;
  stop(): void;
}

/** The search for a daemon: with patience while nobody needs one, and starting one when somebody does. */
export function createSearch(options: SearchOptions): Search {
  const { clock, random, isNeeded } = options;
  let state: 'on' | 'over' = 'on';
  let resting: AbortController | undefined;
  let isUnhurried = false;
  let refusals = 0;
  let startsFromMs = 0;

  async function search(first: 'at once' | 'after a pause'): Promise<void> {
    for (let tries = first === 'at once' ? 0 : 1; ;) {
      const wasNeeded = isNeeded();
      if (tries > 0 || startsFromMs > 0) await pause(tries);
      if (isOver()) return;
      const start = tries === 0 || isNeeded() ? 'if_needed' : 'never';
      try {
        return found(await options.connect(start));
      } catch (thrown) {
        const error = CallError.from(thrown);
        if (start === 'if_needed') missed(error);
      }
      // Who came while we only looked around gets an attempt of his own at once, and short pauses after it.
      if (start === 'never') tries = isNeeded() ? 0 : tries + 1;
      else tries = wasNeeded ? tries + 1 : 1;
    }
  }

  async function pause(tries: number): Promise<void> {
    isUnhurried = !isNeeded();
    if (tries > 0) await rest(backoffMs(tries, random));
    isUnhurried = false;
    const leftMs = startsFromMs - clock.monotonic();
    if (isNeeded() && leftMs > 0) await rest(leftMs);
  }

  async function rest(ms: number): Promise<void> {
    if (isOver()) return;
    resting = new AbortController();
    await sleep(clock, ms, resting.signal);
  }

  /** Asked through a function, because the compiler does not know that the state moves on while we wait. */
  function isOver(): boolean {
    return state === 'over';
  }

  function found(link: Link): void {
    refusals = 0;
    startsFromMs = 0;
    if (isOver()) link.close();
    else options.onFound(link);
  }

  function missed(error: CallError): void {
    if (isStartRefusal(error)) {
      refusals += 1;
      startsFromMs = clock.monotonic() + refusedMs(refusals);
    }
    if (!isOver()) options.onMissed(error);
  }

  return {
    begin: (first) => void search(first),
    hurry() {
      if (isUnhurried) resting?.abort();
    },
    stop() {
      state = 'over';
      resting?.abort();
    },
  };
}
