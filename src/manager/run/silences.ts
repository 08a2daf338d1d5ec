import type { Clock } from '#core/time/clock.ts';
import type { ProviderId } from '#core/llm/provider.ts';

/** The requests of all asks that wait for the first word of their provider. */
export interface Silences {
  /**
   * A request that was just sent; `expectedMs` is how long it may be silent. `measured`: as it usually
   * is, by earlier requests.
   */
  waitFor(provider: ProviderId, expectedMs: number, how: 'measured' | 'assumed'): SilentWait;
  /** A request that waits for a slot of its provider. Its own wait is not counted. */
  queueFor(provider: ProviderId): SilentWait;
  /** Something came from a provider, for any request. */
  heard(provider: ProviderId): void;
}

/** Whose silence is added up: that of requests whose usual time is known, or of all. */
export type SilentRequests = 'measured' | 'all';

export interface SilentWait {
  /** How long nothing came from the provider, for any request, since this one was sent. */
  silentMs(): number;
  /**
   * How long all requests were silent together, added up: those that wait for the same provider for
   * longer than they may, and those that ended so since its last word, a short time ago. Counting ends at
   * `enoughMs`.
   */
  togetherMs(enoughMs: number, whose?: SilentRequests): number;
  /** The answer has begun, or the request has ended. */
  end(): void;
}

interface WaitingRequest {
  readonly sentAt: number;
  readonly expectedMs: number;
  readonly how: 'measured' | 'assumed' | 'queued';
}

interface ProviderState {
  heardAt: number;
  readonly waiting: Set<WaitingRequest>;
  /** The silence of measured requests that have ended since the last word. */
  endedMs: number;
  endedAt: number;
}

/** After this time, the silence of requests that have ended tells nothing about the provider. */
const EVIDENCE_MS = 30_000;

export function createSilences(clock: Clock): Silences {
  const providers = new Map<ProviderId, ProviderState>();

  function stateOf(provider: ProviderId): ProviderState {
    let state = providers.get(provider);
    if (!state) {
      state = { heardAt: -Infinity, waiting: new Set(), endedMs: 0, endedAt: -Infinity };
      providers.set(provider, state);
    }
    return state;
  }

  function start(provider: ProviderId, expectedMs: number, how: WaitingRequest['how']): SilentWait {
    const state = stateOf(provider);
    const own: WaitingRequest = { sentAt: clock.monotonic(), expectedMs, how };
    if (how !== 'queued') state.waiting.add(own);
    const silentSince = (sentAt: number) => clock.monotonic() - Math.max(sentAt, state.heardAt);
    const isLate = (each: WaitingRequest) => clock.monotonic() - each.sentAt >= each.expectedMs;
    const endedMs = () => (clock.monotonic() - state.endedAt < EVIDENCE_MS ? state.endedMs : 0);
    return {
      silentMs: () => silentSince(own.sentAt),
      togetherMs(enoughMs, whose = 'measured') {
        const ownMs = silentSince(own.sentAt);
        const counts = (each: WaitingRequest) => whose === 'all' || each.how === 'measured';
        let sumMs = endedMs() + (how !== 'queued' && counts(own) ? ownMs : 0);
        for (const each of state.waiting) {
          if (sumMs >= enoughMs) break;
          if (each !== own && counts(each) && isLate(each))
            sumMs += Math.min(ownMs, silentSince(each.sentAt));
        }
        return sumMs;
      },
      end() {
        if (!state.waiting.delete(own) || how !== 'measured' || !isLate(own)) return;
        const silentMs = silentSince(own.sentAt);
        if (silentMs < expectedMs) return;
        state.endedMs = endedMs() + silentMs;
        state.endedAt = clock.monotonic();
      },
    };
  }

  return {
    waitFor: start,
    queueFor: (provider) => start(provider, 0, 'queued'),
    heard(provider) {
      const state = stateOf(provider);
      state.heardAt = clock.monotonic();
      state.endedMs = 0;
    },
  };
}
