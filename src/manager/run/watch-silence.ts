import type { ProviderId } from '#core/llm/provider.ts';
import type { Clock, Timer } from '#core/time/clock.ts';
import { hedgeAfterMs, LEAST_SILENCE_MS, LEAST_SHARED_SHARE, sharedAfterMs } from './hedging.ts';
import type { Silences, SilentWait } from './silences.ts';

/** How often it is looked whether other requests are silent, too. */
const LOOK_AGAIN_MS = 250;
/** A timer that is later than this tells that the daemon was busy. */
const LATE_MS = 250;

/** A request whose silence is watched. */
export interface WatchedRequest {
  readonly provider: ProviderId;
  /** Its usual time to the first token; undefined if not known yet. */
  readonly usualMs: number | undefined;
  /** The limit of its first token. */
  readonly firstTokenMs: number;
}

/** Tells when another provider is to be asked beside the newest request of an attempt. */
export interface SilenceWatch {
  /** The request waits for a slot of its provider; `isBeside`: others of the attempt were sent. */
  queued(request: WatchedRequest, place: 'first' | 'beside'): SilentWait | undefined;
  /** The request was just sent. */
  sent(request: WatchedRequest): SilentWait | undefined;
  /** Looks again after a time, whatever is silent. */
  again(ms: number): void;
  stop(): void;
}

export interface SilenceWatchOptions {
  readonly clock: Clock;
  readonly silences: Silences | undefined;
  readonly leastMs: number | undefined;
  readonly onDue: () => void;
}

export function createSilenceWatch(options: SilenceWatchOptions): SilenceWatch {
  const { clock, silences, leastMs = LEAST_SILENCE_MS, onDue } = options;
  let timer: Timer | undefined;

  function lookIn(ms: number, look: (dueAt: number) => void): void {
    timer?.stop();
    const dueAt = clock.monotonic() + ms;
    timer = clock.after(ms, () => look(dueAt));
  }

  /** Looks until the provider is silent as a whole, at most for `aloneMs`. */
  function follow(isShared: () => boolean, firstLookMs: number, aloneMs: number): void {
    const startedAt = clock.monotonic();
    const look = (dueAt: number) => {
      const now = clock.monotonic();
      const leftMs = aloneMs - (now - startedAt);
      // Where the timer was late, words may have come that were not read yet.
      if (leftMs <= 0 || (now - dueAt < LATE_MS && isShared())) onDue();
      else lookIn(Math.min(LOOK_AGAIN_MS, leftMs), look);
    };
    lookIn(Math.min(firstLookMs, aloneMs), look);
  }

  const leastShareMs = leastMs * LEAST_SHARED_SHARE;
  /** Measured requests to the provider are silent for long enough together. */
  const isSilentFor = (wait: SilentWait) =>
    wait.silentMs() >= leastShareMs && wait.togetherMs(leastMs) >= leastMs;

  return {
    queued({ provider }, place) {
      const wait = silences?.queueFor(provider);
      const aloneMs = place === 'first' ? Infinity : leastMs;
      if (wait) follow(() => isSilentFor(wait), leastShareMs, aloneMs);
      else if (place === 'beside') lookIn(aloneMs, onDue);
      return wait;
    },
    sent({ provider, usualMs, firstTokenMs }) {
      const aloneMs = hedgeAfterMs(usualMs, firstTokenMs, leastMs);
      if (usualMs === undefined) {
        const wait = silences?.waitFor(provider, leastMs, 'assumed');
        if (!wait) lookIn(aloneMs, onDue);
        else {
          const isSilentForAll = () =>
            wait.silentMs() >= leastMs && wait.togetherMs(aloneMs, 'all') >= aloneMs;
          follow(() => isSilentFor(wait) || isSilentForAll(), leastShareMs, aloneMs);
        }
        return wait;
      }
      const sharedMs = sharedAfterMs(usualMs, leastMs);
      const wait =
        sharedMs === undefined ? undefined : silences?.waitFor(provider, sharedMs, 'measured');
      if (!wait || sharedMs === undefined) lookIn(aloneMs, onDue);
      else
        follow(
          () => wait.silentMs() >= sharedMs && wait.togetherMs(leastMs) >= leastMs,
          sharedMs,
          aloneMs,
        );
      return wait;
    },
    again: (ms) => lookIn(ms, onDue),
    stop: () => timer?.stop(),
  };
}
