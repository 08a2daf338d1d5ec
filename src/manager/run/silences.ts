import type { Clock } from '#core/time/clock.ts';
import type { ProviderId } from '#core/llm/provider.ts';

/** The requests of all asks that wait for the first word of their provider. */
export interface Silences {
  /** A request that was just sent; `expectedMs` is how long it may be silent as usual. */
  waitFor(provider: ProviderId, expectedMs: number): SilentWait;
  /** Something came from a provider, for any request. */
  heard(provider: ProviderId): void;
}

export interface SilentWait {
  /** How long nothing came from the provider, for any request, since this one was sent. */
  silentMs(): number;
  /**
   * How long all requests were silent together, added up: this one, and those that wait for the same
   * provider for longer than usual. Counting ends at `enoughMs`.
   */
  togetherMs(enoughMs: number): number;
  /** The answer has begun, or the request has ended. */
  end(): void;
}

interface WaitingRequest {
  readonly sentAt: number;
  readonly expectedMs: number;
}

interface ProviderState {
  heardAt: number;
  readonly waiting: Set<WaitingRequest>;
}

export function createSilences(clock: Clock): Silences {
  const providers = new Map<ProviderId, ProviderState>();

  function stateOf(provider: ProviderId): ProviderState {
    let state = providers.get(provider);
    if (!state) {
      state = { heardAt: -Infinity, waiting: new Set() };
      providers.set(provider, state);
    }
    return state;
  }

  return {
    waitFor(provider, expectedMs) {
      const state = stateOf(provider);
      const own = { sentAt: clock.monotonic(), expectedMs };
      state.waiting.add(own);
      const silentSince = (sentAt: number) => clock.monotonic() - Math.max(sentAt, state.heardAt);
      return {
        silentMs: () => silentSince(own.sentAt),
        togetherMs(enoughMs) {
          const ownMs = silentSince(own.sentAt);
          let sumMs = ownMs;
          for (const each of state.waiting) {
            if (sumMs >= enoughMs) break;
            const isLate = clock.monotonic() - each.sentAt >= each.expectedMs;
            if (each !== own && isLate) sumMs += Math.min(ownMs, silentSince(each.sentAt));
          }
          return sumMs;
        },
        end: () => void state.waiting.delete(own),
      };
    },
    heard(provider) {
      stateOf(provider).heardAt = clock.monotonic();
    },
  };
}
