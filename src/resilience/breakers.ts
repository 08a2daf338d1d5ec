import { ERROR_POLICY, type ErrorClass } from '#core/errors/error-class.ts';
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
  BreakerView,
} from './breaker-types.ts';
import {
  admit,
  closedState,
  expireProbes,
  onCancel,
  onFailure,
  onSuccess,
  tripsAt,
  waitMs,
  type BreakerState,
  type FailureEffect,
  type HalfOpen,
  type Open,
} from './breaker.ts';
import { createBreakerMap, type BreakerEntry } from './breaker-map.ts';
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

/** Breakers whose cool-downs can be ended from outside. */
export interface LiftableBreakers extends Breakers {
  /**
   * Closes the breakers of an account that accepts its key again, and those of its models that the
   * test disproves. Returns their keys.
   */
  lift(provider: string): readonly string[];
}

/** Circuit breakers, one per model and one per account; a call needs permission from both. */
export function createBreakers(options: BreakersOptions): LiftableBreakers {
  const { clock, random, rules, saved = [], onChange } = options;
  const accountRules = { ...rules, coolOffMs: rules.keyCoolOffMs };
  const models = createBreakerMap('model', rules, MAX_BREAKERS, forgotten);
  const accounts = createBreakerMap('account', accountRules, MAX_BREAKERS, forgotten);
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
    const from = breaker.state.is;
    breaker.state = next;
    return from === next.is ? undefined : toBreakerChange(breaker, from, at);
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
    function report(next: (breaker: BreakerEntry, at: number) => BreakerState): void {
      if (!isOut) return;
      isOut = false;
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
    tryAcquire(target) {
      const at = clock.monotonic();
      const account = accounts.find(accountKey(target), at);
      const model = models.find(modelKey(target), at);
      if (account.state.is === 'closed' && model.state.is === 'closed') {
        account.usedAt = at;
        model.usedAt = at;
        return { is: 'granted', permit: createPermit(account.key, model.key, NO_PROBE) };
      }
      const lapses = [settle(account, at), settle(model, at)];
      const refusing = waitOf(account, at) >= waitOf(model, at) ? account : model;
      const leftMs = waitOf(refusing, at);
      if (leftMs > 0 && refusing.state.is !== 'closed') {
        const why = describeOpen(refusing.key, refusing.state, at, refusing.rules);
        notifyAll(lapses);
        return { is: 'refused', reason: why, retryInMs: Math.ceil(leftMs) };
      }
      const number = (lastNumber += 1);
      const changes = [account, model].map((breaker) =>
        step(breaker, admit(breaker.state, number, at, breaker.rules, draw), at),
      );
      notifyAll([...lapses, ...changes]);
      return { is: 'granted', permit: createPermit(account.key, model.key, number) };
    },

    look(target) {
      const at = clock.monotonic();
      const model = toBreakerView(models.get(modelKey(target)), modelKey(target), at);
      const account = toBreakerView(accounts.get(accountKey(target)), accountKey(target), at);
      return isWorseView(account, model) ? account : model;
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

    all() {
      const at = clock.monotonic();
      return [...accounts.all(), ...models.all()]
        .map((breaker) => toBreakerView(breaker, breaker.key, at))
        .filter(({ is, failures }) => is !== 'closed' || failures > 0)
        .toSorted((one, other) => (one.key < other.key ? -1 : 1));
    },
  };
}

function accountKey({ provider }: BreakerTarget): string {
  return provider.length > MAX_KEY_CHARS ? provider.slice(0, MAX_KEY_CHARS) : provider;
}

function modelKey({ provider, model }: BreakerTarget): string {
  const key = `${provider}/${model}`;
  return key.length > MAX_KEY_CHARS ? key.slice(0, MAX_KEY_CHARS) : key;
}

function waitOf({ state, rules }: BreakerEntry, at: number): number {
  return waitMs(state, at, rules);
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

/** Why a breaker is not closed. */
function describeOpen(
  key: string,
  state: Open | HalfOpen,
  at: number,
  rules: BreakerRules,
): Reason {
  const { how, class: errorClass, tally } = state.trouble;
  const isMany = how === 'window' || how === 'row';
  const retryInMs = Math.ceil(waitMs(state, at, rules));
  return reason('breaker_open', {
    key,
    how,
    classes: isMany ? byFrequency(tally.classes) : [errorClass],
    failures: how === 'row' ? rules.failuresInRow : tally.failures,
    calls: tally.calls,
    windowMs: rules.windowMs,
    state: retryInMs === 0 ? 'probe_next' : state.is === 'open' ? 'resting' : 'probing',
    retryInMs,
  });
}

function byFrequency(classes: ClassCounts): readonly ErrorClass[] {
  return Object.entries(classes)
    .toSorted(([, one], [, other]) => other - one)
    .map(([name]) => name as ErrorClass);
}

/**
 * A breaker as reports show it. An open one whose cool-down is over counts as half-open, as it lets
 * a probe through.
 */
function toBreakerView(breaker: BreakerEntry | undefined, key: string, at: number): BreakerView {
  if (!breaker) return { key, is: 'closed', calls: 0, failures: 0 };
  const { rules } = breaker;
  const state = expireProbes(breaker.state, at);
  if (state.is === 'closed') {
    const { calls, failures } = tallyWindow(state.window, at, rules.windowMs);
    return { key, is: 'closed', calls, failures };
  }
  const leftMs = waitMs(state, at, rules);
  const { calls, failures } = state.trouble.tally;
  return {
    key,
    is: state.is === 'open' && leftMs > 0 ? 'open' : 'half_open',
    reason: describeOpen(key, state, at, rules),
    retryInMs: Math.ceil(leftMs),
    calls,
    failures,
  };
}

const BADNESS = { closed: 0, half_open: 1, open: 2 } as const;

function isWorseView(one: BreakerView, other: BreakerView): boolean {
  if (one.is !== other.is) return BADNESS[one.is] > BADNESS[other.is];
  return (one.retryInMs ?? 0) > (other.retryInMs ?? 0);
}
