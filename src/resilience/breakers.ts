import { ERROR_POLICY } from '#core/errors/error-class.ts';
import type { Json } from '#core/json/json.ts';
import { reason, type Reason } from '#core/messages/reasons.ts';
import type { Random } from '#core/random.ts';
import type { Clock } from '#core/time/clock.ts';
import type {
  BreakerFailure,
  BreakerPermit,
  BreakerRules,
  Breakers,
  BreakerTarget,
} from './breaker-types.ts';
import {
  admit,
  admitForced,
  closedState,
  expireProbes,
  forcedWaitMs,
  isForcible,
  onCancel,
  onFailure,
  onSuccess,
  tripsAt,
  waitMs,
  type BreakerState,
  type FailureEffect,
  type Open,
} from './breaker.ts';
import { createBreakerMap, type BreakerEntry } from './breaker-map.ts';
import { describeOpen, isWorseView, toBreakerView } from './breaker-view.ts';
import { isProvenByKeyTest } from './key-test-proof.ts';
import { restoreBreakers, serializeBreaker, type SavedBreaker } from './serialize-breaker.ts';
import { validRetryAfterMs } from './retry.ts';
import { tallyWindow, type ClassCounts } from './rolling-window.ts';
import { unitRandom } from './random-float.ts';

export interface BreakersOptions {
  readonly clock: Clock;
  readonly random: Random;
  readonly rules: BreakerRules;
  readonly saved?: readonly SavedBreaker[];
  readonly onChange?: (change: BreakerChange) => void;
}

/** Rules that have no setting. */
export const DEFAULT_RULES = {
  failuresInRow: 8,
  keyCoolOffMs: 60_000,
  probes: 1,
  probeLeaseMs: 600_000,
} as const satisfies Partial<BreakerRules>;

/** How many models, and how many accounts, are remembered at once. */
export const MAX_BREAKERS = 512;

// Names come from callers; two that share this many first characters may share a breaker.
const MAX_KEY_CHARS = 256;

const NO_PROBE = 0;

/** Breakers that can be changed from outside. */
export interface ChangeableBreakers extends Breakers {
  /**
   * Closes the breakers of an account that accepts its key again, and those of its models that the
   * test disproves. Returns their keys.
   */
  lift(provider: string): readonly string[];
  /**
   * Removes the breakers of an account whose key or address was replaced. Results of calls that
   * began before say nothing about the new account and are ignored.
   */
  forget(provider: string): void;
  /** Judges every breaker by these rules from now on. */
  changeRules(rules: BreakerRules): void;
}

/** Circuit breakers, one per model and one per account; a call needs permission from both. */
export function createBreakers(options: BreakersOptions): ChangeableBreakers {
  const { clock, random, rules, saved = [], onChange } = options;
  const models = createBreakerMap('model', rules, MAX_BREAKERS, forgotten);
  const accounts = createBreakerMap('account', accountRulesOf(rules), MAX_BREAKERS, forgotten);
  /** By account key: how often it was forgotten. */
  const generations = new Map<string, number>();
  let lastNumber = NO_PROBE;
  const draw = () => unitRandom(random);

  function notify(change: BreakerChange): void {
    try {
      onChange?.(change);
    } catch {
      // A failing listener does not affect the breakers.
    }
  }

  /** Sets the state without notifying, so that listeners only see final states. */
  function step(breaker: BreakerEntry, next: BreakerState, at: number): BreakerChange | undefined {
    const { state } = breaker;
    breaker.state = next;
    const isSame = state.is === next.is && !(next.is === 'open' && hasOtherCause(next, state));
    return isSame ? undefined : toBreakerChange(breaker, state.is, at);
  }

  function notifyAll(changes: readonly (BreakerChange | undefined)[]): void {
    for (const change of changes) if (change) notify(change);
  }

  function forgotten(breaker: BreakerEntry, at: number): void {
    const from = breaker.state.is;
    if (from === 'closed') return;
    breaker.state = closedState(at);
    notify({
      ...toBreakerChange(breaker, from, at),
      reason: reason('breaker_changed', { key: breaker.key, to: 'forgotten' }),
    });
  }

  function settle(breaker: BreakerEntry, at: number): BreakerChange | undefined {
    breaker.usedAt = at;
    return step(breaker, expireProbes(breaker.state, at), at);
  }

  /** A permit that takes one result. */
  function createPermit(account: string, model: string, number: number): BreakerPermit {
    let isOut = true;
    const generation = generations.get(account);
    function report(next: (breaker: BreakerEntry, at: number) => BreakerState): void {
      if (!isOut) return;
      isOut = false;
      if (generations.get(account) !== generation) return;
      const at = clock.monotonic();
      // Looked up again, as the entry may have been evicted meanwhile.
      update(models.find(model, at), next, at);
      update(accounts.find(account, at), next, at);
    }
    return {
      success: () =>
        report(({ part, state, rules: own }, at) =>
          // Only refusals open an account's breaker, so its successes need no counting.
          part === 'account' && state.is === 'closed' ? state : onSuccess(state, number, at, own),
        ),
      failure: (error) =>
        report(({ part, state, rules: own }, at) => {
          const effect = failureEffect(part, error, own);
          return effect ? onFailure(state, number, effect, at, own, draw) : onCancel(state, number);
        }),
      cancel: () => report(({ state }) => onCancel(state, number)),
    };
  }

  function update(
    breaker: BreakerEntry,
    next: (breaker: BreakerEntry, at: number) => BreakerState,
    at: number,
  ): void {
    const lapse = settle(breaker, at);
    const change = step(breaker, next(breaker, at), at);
    notifyAll([lapse, change]);
  }

  restoreBreakers(saved, clock, (key) => (key.includes('/') ? models : accounts));

  return {
    tryAcquire(target, mode = 'usual') {
      const at = clock.monotonic();
      const account = accounts.find(accountKey(target), at);
      const model = models.find(modelKey(target), at);
      if (account.state.is === 'closed' && model.state.is === 'closed') {
        account.usedAt = at;
        model.usedAt = at;
        return { is: 'granted', permit: createPermit(account.key, model.key, NO_PROBE) };
      }
      const lapses = [settle(account, at), settle(model, at)];
      const [waitOf, enter] =
        mode === 'forced' ? [forcedWaitOf, admitForced] : [usualWaitOf, admit];
      const refusing = waitOf(account, at) >= waitOf(model, at) ? account : model;
      const leftMs = waitOf(refusing, at);
      if (leftMs > 0 && refusing.state.is !== 'closed') {
        const why = describeOpen(refusing.key, refusing.state, at, refusing.rules);
        notifyAll(lapses);
        const retryInMs = Math.ceil(leftMs);
        return { is: 'refused', reason: why, retryInMs, isForcible: areForcible(account, model) };
      }
      const number = (lastNumber += 1);
      const changes = [account, model].map((breaker) =>
        step(breaker, enter(breaker.state, number, at, breaker.rules, draw), at),
      );
      notifyAll([...lapses, ...changes]);
      return { is: 'granted', permit: createPermit(account.key, model.key, number) };
    },

    look(target) {
      const at = clock.monotonic();
      const entries = [models.get(modelKey(target)), accounts.get(accountKey(target))] as const;
      const model = toBreakerView(entries[0], modelKey(target), at);
      const account = toBreakerView(entries[1], accountKey(target), at);
      const worse = isWorseView(account, model) ? account : model;
      return worse.is === 'open' ? { ...worse, isForcible: areForcible(...entries) } : worse;
    },

    lift(provider) {
      const at = clock.monotonic();
      const lifted = [...accounts.all(), ...models.all()].filter(
        ({ key, state }) =>
          key.split('/', 1)[0] === provider &&
          state.is !== 'closed' &&
          isProvenByKeyTest(state.trouble.class),
      );
      // As after a successful probe: a further failure soon lengthens the next cool-down.
      for (const breaker of lifted)
        update(breaker, ({ state }) => closedState(at, tripsAt(state, at, breaker.rules)), at);
      return lifted.map(({ key }) => key);
    },

    forget(provider) {
      const at = clock.monotonic();
      const account = accountKey({ provider, model: '' });
      generations.set(account, (generations.get(account) ?? 0) + 1);
      for (const map of [accounts, models]) {
        for (const breaker of map.all()) {
          if (breaker.key.split('/', 1)[0] !== provider) continue;
          map.delete(breaker.key);
          forgotten(breaker, at);
        }
      }
    },

    changeRules(next) {
      models.changeRules(next);
      accounts.changeRules(accountRulesOf(next));
    },

    all() {
      const at = clock.monotonic();
      return [...accounts.all(), ...models.all()]
        .map((breaker) => toBreakerView(breaker, breaker.key, at))
        .filter(({ is, failures }) => is !== 'closed' || failures > 0)
        .toSorted((one, other) => (one.key < other.key ? -1 : 1));
    },
  };
}

function accountRulesOf(rules: BreakerRules): BreakerRules {
  return { ...rules, coolOffMs: rules.keyCoolOffMs };
}

function accountKey({ provider }: BreakerTarget): string {
  return provider.length > MAX_KEY_CHARS ? provider.slice(0, MAX_KEY_CHARS) : provider;
}

function modelKey({ provider, model }: BreakerTarget): string {
  const key = `${provider}/${model}`;
  return key.length > MAX_KEY_CHARS ? key.slice(0, MAX_KEY_CHARS) : key;
}

function usualWaitOf({ state, rules }: BreakerEntry, at: number): number {
  return waitMs(state, at, rules);
}

function forcedWaitOf({ state, rules }: BreakerEntry, at: number): number {
  return forcedWaitMs(state, at, rules);
}

/** Whether the vendor refused a forced probe for another reason than the one that opened it. */
function hasOtherCause({ trouble }: Open, before: BreakerState): boolean {
  return before.is === 'open' && before.trouble !== trouble;
}

function areForcible(...breakers: readonly (BreakerEntry | undefined)[]): boolean {
  return breakers.every((each) => !each || each.state.is === 'closed' || isForcible(each.state));
}

/** The cool-down after a rate limit without Retry-After. */
const DEFAULT_RETRY_AFTER_MS = 1000;

/**
 * The effect of a failure on the breaker of the model or the account; undefined when it says
 * nothing about it.
 */
export function failureEffect(
  part: 'account' | 'model',
  error: BreakerFailure,
  { maxCoolOffMs }: BreakerRules,
): FailureEffect | undefined {
  if (error.dueTo === 'request') return undefined;
  const rule = ERROR_POLICY[error.class].breaker;
  const retryAfterMs = validRetryAfterMs(error.retryAfterMs);
  if (part === 'account') {
    if (rule !== 'open_key') return undefined;
    return {
      is: 'trips',
      class: error.class,
      atLeastMs: Math.min(retryAfterMs ?? 0, maxCoolOffMs),
    };
  }
  // A model that the vendor no longer has will not be back soon.
  if (error.class === 'not_found')
    return { is: 'opens', class: error.class, coolOffMs: maxCoolOffMs };
  if (rule === 'open_until_retry_after') {
    const coolOffMs = Math.min(retryAfterMs ?? DEFAULT_RETRY_AFTER_MS, maxCoolOffMs);
    return { is: 'opens', class: error.class, coolOffMs };
  }
  if (rule !== 'window') return undefined;
  return { is: 'counts', class: error.class, doubtfulFor: error.doubtfulFor };
}

/** A state change of a breaker: it opened, let a probe through, closed, or opened again. */
export interface BreakerChange {
  readonly key: string;
  readonly from: BreakerState['is'];
  readonly to: BreakerState['is'];
  readonly reason: Reason;
  /** Counts at the moment it opened. */
  readonly calls: number;
  readonly failures: number;
  readonly classes: ClassCounts;
  /** The cool-down; only of an open breaker. */
  readonly coolOffMs?: number;
  /** The serialised state, as the option `saved` takes it. */
  readonly state: Json;
}

function toBreakerChange(
  { key, state, rules }: BreakerEntry,
  from: BreakerState['is'],
  at: number,
): BreakerChange {
  const { calls, failures, classes } =
    state.is === 'closed' ? tallyWindow(state.window, at, rules.windowMs) : state.trouble.tally;
  return {
    key,
    from,
    to: state.is,
    reason:
      state.is === 'open'
        ? describeOpen(key, state, at, rules)
        : reason('breaker_changed', { key, to: state.is }),
    calls,
    failures,
    classes,
    ...(state.is === 'open' && { coolOffMs: state.coolOffMs }),
    state: serializeBreaker(state, at),
  };
}
