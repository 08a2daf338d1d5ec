import type { Clock } from '#core/clock.ts';
import { reason } from '#core/messages/reasons.ts';
import type { Random } from '#core/random.ts';
import { blowOf } from './breaker-blow.ts';
import { changeOf, type BreakerChange } from './breaker-change.ts';
import { openReason } from './breaker-reason.ts';
import type { BreakerRules } from './breaker-rules.ts';
import { isWorse, viewOf } from './breaker-view.ts';
import type { Asked, BreakerPermit, Breakers } from './breaker-words.ts';
import {
  cancelled,
  closedAt,
  entered,
  failed,
  settled,
  succeeded,
  waitMs,
  type BreakerState,
} from './breaker.ts';
import { createKept, type KeptBreaker } from './kept-breakers.ts';
import { restoreBreakers, type SavedBreaker } from './restore-breakers.ts';
import { unitRandom } from './unit-random.ts';

export interface BreakersOptions {
  readonly clock: Clock;
  readonly random: Random;
  readonly rules: BreakerRules;
  readonly saved?: readonly SavedBreaker[];
  readonly onChange?: (change: BreakerChange) => void;
}

/** For what nobody needs to set. */
export const DEFAULT_RULES = {
  failuresInRow: 8,
  keyCoolOffMs: 60_000,
  probes: 1,
  probeLeaseMs: 600_000,
} as const satisfies Partial<BreakerRules>;

/** How many models, and how many accounts, are remembered at once. */
export const MAX_BREAKERS = 512;

// Names come from callers; two that begin alike for so long may share a breaker.
const MAX_KEY_CHARS = 256;

const NO_PROBE = 0;

/** A breaker before each model and one before each account; whoever asks needs leave of both. */
export function createBreakers(options: BreakersOptions): Breakers {
  const { clock, random, rules, saved = [], onChange } = options;
  const accountRules = { ...rules, coolOffMs: rules.keyCoolOffMs };
  const models = createKept('model', rules, MAX_BREAKERS, forgotten);
  const accounts = createKept('account', accountRules, MAX_BREAKERS, forgotten);
  let lastNumber = NO_PROBE;
  const draw = () => unitRandom(random);

  function tell(change: BreakerChange): void {
    try {
      onChange?.(change);
    } catch {
      // Whoever listens may fail; what the breakers know does not depend on it.
    }
  }

  /** Sets the state; tells nobody yet, so that a listener finds everything as it will stay. */
  function step(breaker: KeptBreaker, next: BreakerState, at: number): BreakerChange | undefined {
    const from = breaker.state.is;
    breaker.state = next;
    return from === next.is ? undefined : changeOf(breaker, from, at);
  }

  function tellAll(changes: readonly (BreakerChange | undefined)[]): void {
    for (const change of changes) if (change) tell(change);
  }

  function forgotten(breaker: KeptBreaker, at: number): void {
    const from = breaker.state.is;
    if (from === 'closed') return;
    breaker.state = closedAt(at);
    tell({
      ...changeOf(breaker, from, at),
      reason: reason('breaker_changed', { key: breaker.key, to: 'forgotten' }),
    });
  }

  function settle(breaker: KeptBreaker, at: number): BreakerChange | undefined {
    breaker.usedAt = at;
    return step(breaker, settled(breaker.state, at), at);
  }

  /** Hears how it went, once. */
  function createPermit(account: string, model: string, number: number): BreakerPermit {
    let isOut = true;
    function hear(next: (breaker: KeptBreaker, at: number) => BreakerState): void {
      if (!isOut) return;
      isOut = false;
      const at = clock.monotonic();
      // Found again, as it may have made room for others meanwhile.
      hearAt(models.find(model, at), next, at);
      hearAt(accounts.find(account, at), next, at);
    }
    return {
      success: () =>
        hear(({ part, state, rules: own }, at) =>
          // An account is judged by its refusals alone, so its successes need no counting.
          part === 'account' && state.is === 'closed' ? state : succeeded(state, number, at, own),
        ),
      failure: (error) =>
        hear(({ part, state, rules: own }, at) => {
          const blow = blowOf(part, error, own);
          return blow ? failed(state, number, blow, at, own, draw) : cancelled(state, number);
        }),
      cancel: () => hear(({ state }) => cancelled(state, number)),
    };
  }

  function hearAt(
    breaker: KeptBreaker,
    next: (breaker: KeptBreaker, at: number) => BreakerState,
    at: number,
  ): void {
    const lapse = settle(breaker, at);
    const change = step(breaker, next(breaker, at), at);
    tellAll([lapse, change]);
  }

  restoreBreakers(saved, clock, (key) => (key.includes('/') ? models : accounts));

  return {
    tryAcquire(asked) {
      const at = clock.monotonic();
      const account = accounts.find(accountKey(asked), at);
      const model = models.find(modelKey(asked), at);
      if (account.state.is === 'closed' && model.state.is === 'closed') {
        account.usedAt = at;
        model.usedAt = at;
        return { is: 'granted', permit: createPermit(account.key, model.key, NO_PROBE) };
      }
      const lapses = [settle(account, at), settle(model, at)];
      const refusing = waitOf(account, at) >= waitOf(model, at) ? account : model;
      const leftMs = waitOf(refusing, at);
      if (leftMs > 0 && refusing.state.is !== 'closed') {
        const why = openReason(refusing.key, refusing.state, at, refusing.rules);
        tellAll(lapses);
        return { is: 'refused', reason: why, retryInMs: Math.ceil(leftMs) };
      }
      const number = (lastNumber += 1);
      const changes = [account, model].map((breaker) =>
        step(breaker, entered(breaker.state, number, at, breaker.rules, draw), at),
      );
      tellAll([...lapses, ...changes]);
      return { is: 'granted', permit: createPermit(account.key, model.key, number) };
    },

    look(asked) {
      const at = clock.monotonic();
      const model = viewOf(models.get(modelKey(asked)), modelKey(asked), at);
      const account = viewOf(accounts.get(accountKey(asked)), accountKey(asked), at);
      return isWorse(account, model) ? account : model;
    },

    all() {
      const at = clock.monotonic();
      return [...accounts.all(), ...models.all()]
        .map((breaker) => viewOf(breaker, breaker.key, at))
        .filter(({ is, failures }) => is !== 'closed' || failures > 0)
        .toSorted((one, other) => (one.key < other.key ? -1 : 1));
    },
  };
}

function accountKey({ provider }: Asked): string {
  return provider.length > MAX_KEY_CHARS ? provider.slice(0, MAX_KEY_CHARS) : provider;
}

function modelKey({ provider, model }: Asked): string {
  const key = `${provider}/${model}`;
  return key.length > MAX_KEY_CHARS ? key.slice(0, MAX_KEY_CHARS) : key;
}

function waitOf({ state, rules }: KeptBreaker, at: number): number {
  return waitMs(state, at, rules);
}
