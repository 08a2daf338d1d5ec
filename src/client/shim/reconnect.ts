import { CallError } from '#core/errors/call-error.ts';
import type { Random } from '#core/random.ts';
import { sleep, type Clock } from '#core/time/clock.ts';
import type { Link } from '../link/link.ts';
import { isStartRefusal } from '../start-failure.ts';

/**
 * `never`: no request waits, so a stopped daemon is not started again; one that another program
 * starts is found.
 */
export type StartMode = 'if_needed' | 'never';

export type Connect = (start: StartMode) => Promise<Link>;

interface ReconnectOptions {
  readonly clock: Clock;
  readonly random: Random;
  readonly connect: Connect;
  /** Whether a request waits for a daemon now. */
  readonly isNeeded: () => boolean;
  readonly onFound: (link: Link) => void;
  /** An attempt failed while a request waited. Attempts continue. */
  readonly onConnectFailed: (error: CallError) => void;
}

interface Reconnector {
  /**
   * Tries until a daemon is found. The first attempt `at once` may start one, for a client that has
   * just connected.
   */
  begin(first: 'at once' | 'after a pause'): void;
  /** A request needs a daemon now: ends the pause between two idle attempts. */
  retryNow(): void;
  stop(): void;
}

/** Reconnects to a daemon with growing pauses, and starts one only while a request needs it. */
export function createReconnector(options: ReconnectOptions): Reconnector {
  const { clock, random, isNeeded } = options;
  let state: 'on' | 'over' = 'on';
  let pausing: AbortController | undefined;
  let canRetryNow = false;
  let refusals = 0;
  let startNotBeforeMs = 0;

  async function search(first: 'at once' | 'after a pause'): Promise<void> {
    for (let tries = first === 'at once' ? 0 : 1; ;) {
      const wasNeeded = isNeeded();
      if (tries > 0 || startNotBeforeMs > 0) await pause(tries);
      if (isOver()) return;
      const start = tries === 0 || isNeeded() ? 'if_needed' : 'never';
      try {
        return found(await options.connect(start));
      } catch (thrown) {
        const error = CallError.from(thrown);
        if (start === 'if_needed') connectFailed(error);
      }
      // A request that came during an idle attempt gets its own attempt at once, then short pauses.
      if (start === 'never') tries = isNeeded() ? 0 : tries + 1;
      else tries = wasNeeded ? tries + 1 : 1;
    }
  }

  async function pause(tries: number): Promise<void> {
    canRetryNow = !isNeeded();
    if (tries > 0) await rest(backoffMs(tries, random));
    canRetryNow = false;
    const leftMs = startNotBeforeMs - clock.monotonic();
    if (isNeeded() && leftMs > 0) await rest(leftMs);
  }

  async function rest(ms: number): Promise<void> {
    if (isOver()) return;
    pausing = new AbortController();
    await sleep(clock, ms, pausing.signal);
  }

  /** A function, because the compiler does not know that the state changes during an await. */
  function isOver(): boolean {
    return state === 'over';
  }

  function found(link: Link): void {
    refusals = 0;
    startNotBeforeMs = 0;
    if (isOver()) link.close();
    else options.onFound(link);
  }

  function connectFailed(error: CallError): void {
    if (isStartRefusal(error)) {
      refusals += 1;
      startNotBeforeMs = clock.monotonic() + refusedMs(refusals);
    }
    if (!isOver()) options.onConnectFailed(error);
  }

  return {
    begin: (first) => void search(first),
    retryNow() {
      if (canRetryNow) pausing?.abort();
    },
    stop() {
      state = 'over';
      pausing?.abort();
    },
  };
}

const FIRST_MS = 50;
const FACTOR = 1.5;
const MOST_MS = 2000;
const FIRST_REFUSED_MS = 500;
const MOST_REFUSED_MS = 5000;

/**
 * The pause before the nth attempt, from 1: exponential, with jitter between half and all of it.
 */
function backoffMs(tries: number, random: Random): number {
  const span = Math.min(MOST_MS, FIRST_MS * FACTOR ** (tries - 1));
  return span * (0.5 + (random(1)[0] ?? 0) / 510);
}

/** How long no daemon is started after the nth failed start in a row, from 1. */
function refusedMs(refusals: number): number {
  return Math.min(MOST_REFUSED_MS, FIRST_REFUSED_MS * 2 ** (refusals - 1));
}
