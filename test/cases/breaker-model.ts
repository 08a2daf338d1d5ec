import { ERROR_POLICY, type ErrorClass } from '#core/errors/error-class.ts';
import type { Clock } from '#core/time/clock.ts';
import type { BreakerChange } from '#resilience/breakers.ts';
import { FORCED_PAUSE_MS } from '#resilience/breaker.ts';
import type {
  AcquireMode,
  Acquisition,
  BreakerPermit,
  BreakerRules,
  Breakers,
  BreakerTarget,
} from '#resilience/breaker-types.ts';
import type { SavedBreaker } from '#resilience/serialize-breaker.ts';

type Word = 'success' | 'cancel' | { readonly class: ErrorClass; readonly retryAfterMs?: number };

/** All that ever happened to one breaker, kept as a list and counted anew each time. */
interface History {
  readonly key: string;
  readonly firstRestMs: number;
  answers: { readonly at: number; readonly failed: boolean }[];
  /** Not before this; a probe decides after it. */
  restsUntil: number | undefined;
  /** Probes that are out, with their beginnings; nothing while it is closed or rests. */
  probes: Map<object, number> | undefined;
  trips: number;
  closedSince: number;
  /** Whether one refusal opened it: then nobody is forced through. */
  atOnce: boolean;
  /** The probe that was forced through while it rests, and from when on the next one may be. */
  forced: { readonly permit: object; readonly at: number } | undefined;
  nextForcedAt: number;
}

export interface BreakerModel {
  /** To be told every change. */
  readonly onChange: (change: BreakerChange) => void;
  /**
   * The same breakers, with everything that is asked of them and answered compared to what should
   * be.
   */
  watch(breakers: Breakers): Breakers;
  /** The process died: what was counted and who was out is forgotten, what was saved is not. */
  restart(): void;
  /** Another process begins, with what the one before it had saved. */
  restore(saved: readonly SavedBreaker[]): void;
  /** What was wrong, in sentences. */
  readonly complaints: readonly string[];
}

/**
 * What the breakers should do, told in the plainest way: lists, no buckets of counts, no states.
 * How long a rest is in its bounds is drawn by lot, so that it is taken from the breakers' own
 * word, after the bounds were checked. It forgets nobody, so it holds for as many names as the
 * breakers remember.
 */
export function createBreakerModel(rules: BreakerRules, clock: Clock): BreakerModel {
  const histories = new Map<string, History>();
  const complaints: string[] = [];
  let heard: BreakerChange[] = [];

  function historyOf(key: string, firstRestMs: number): History {
    const known = histories.get(key);
    if (known) return known;
    const fresh: History = {
      key,
      firstRestMs,
      answers: [],
      restsUntil: undefined,
      probes: undefined,
      trips: 0,
      closedSince: clock.monotonic(),
      atOnce: false,
      forced: undefined,
      nextForcedAt: 0,
    };
    histories.set(key, fresh);
    return fresh;
  }

  const accountOf = ({ provider }: BreakerTarget) => historyOf(provider, rules.keyCoolOffMs);
  const modelOf = ({ provider, model }: BreakerTarget) =>
    historyOf(`${provider}/${model}`, rules.coolOffMs);

  function take(history: History, to: BreakerChange['to']): BreakerChange | undefined {
    const at = heard.findIndex((change) => change.key === history.key);
    const [change] = at === -1 ? [] : heard.splice(at, 1);
    if (change?.to !== to) complaints.push(`${history.key} should be ${to}, told ${change?.to}`);
    return change;
  }

  /** It opens at `from`; the rest lies between those of its series, or is as long as told. */
  function open(
    history: History,
    from: number,
    series: 'next' | 'same',
    toldMs: number,
    atOnce = false,
  ): void {
    Object.assign(history, { atOnce, forced: undefined, nextForcedAt: 0 });
    if (series === 'next') history.trips += 1;
    const nominal = Math.min(history.firstRestMs * 2 ** (history.trips - 1), rules.maxCoolOffMs);
    const low = series === 'next' ? Math.max(nominal * 0.8, toldMs) : toldMs;
    const high = series === 'next' ? Math.max(nominal * 1.2, toldMs) : toldMs;
    const restMs = take(history, 'open')?.coolOffMs ?? 0;
    if (restMs < Math.floor(low) || restMs > Math.min(Math.ceil(high), rules.maxCoolOffMs))
      complaints.push(`${history.key} rests ${restMs} ms, not ${low} to ${high}`);
    history.restsUntil = from + restMs;
    history.probes = undefined;
  }

  /** A probe that never came back has failed when its time was over. */
  function lapse(history: History, at: number): void {
    const { forced } = history;
    if (forced && forced.at + rules.probeLeaseMs <= at) {
      history.forced = undefined;
      history.nextForcedAt = forced.at + rules.probeLeaseMs + FORCED_PAUSE_MS;
    }
    const begun = Math.min(...(history.probes?.values() ?? []));
    if (begun + rules.probeLeaseMs <= at) open(history, begun + rules.probeLeaseMs, 'next', 0);
  }

  function letsThrough(history: History, at: number): boolean {
    if (history.probes) return history.probes.size < rules.probes;
    return history.restsUntil === undefined || history.restsUntil <= at;
  }

  /** During a rest, one at a time, and not right after the last. */
  function letsForcedThrough(history: History, at: number): boolean {
    if (letsThrough(history, at)) return true;
    if (history.probes || history.atOnce) return false;
    return !history.forced && history.nextForcedAt <= at;
  }

  function enter(history: History, permit: object, at: number): void {
    if (history.restsUntil === undefined) return;
    if (!history.probes && history.restsUntil > at) {
      history.forced = { permit, at };
      return;
    }
    if (!history.probes) {
      history.probes = new Map();
      if (history.forced) history.probes.set(history.forced.permit, history.forced.at);
      history.forced = undefined;
      take(history, 'half_open');
    }
    history.probes.set(permit, at);
  }

  function isOverLimit({ answers }: History, at: number): boolean {
    const tenth = (time: number) => Math.floor((time * 10) / rules.windowMs);
    const recent = answers.filter((answer) => tenth(at) - tenth(answer.at) < 10);
    const failures = recent.filter(({ failed }) => failed).length;
    const inRow = answers.length - 1 - answers.findLastIndex(({ failed }) => !failed);
    return (
      inRow >= rules.failuresInRow ||
      (recent.length >= rules.minCalls && (failures / recent.length) * 100 >= rules.failurePercent)
    );
  }

  function tell(
    history: History,
    part: 'account' | 'model',
    permit: object,
    word: Word,
    at: number,
  ): void {
    lapse(history, at);
    const isResting = history.restsUntil !== undefined;
    const isProbe = history.probes?.has(permit) ?? false;
    const isForced = history.forced?.permit === permit;
    if (isResting && !isProbe && !isForced) return;
    if (!isResting && at - history.closedSince >= 2 * rules.windowMs) history.trips = 0;
    const rule = typeof word === 'string' ? word : ruleFor(part, word.class);
    const told = typeof word === 'string' ? undefined : word.retryAfterMs;
    const restMs = Math.min(told ?? (rule === 'open_key' ? 0 : 1000), rules.maxCoolOffMs);
    history.probes?.delete(permit);
    if (rule === 'success' && (isProbe || isForced)) {
      take(history, 'closed');
      Object.assign(history, {
        answers: [],
        restsUntil: undefined,
        probes: undefined,
        closedSince: at,
        forced: undefined,
      });
    } else if (isForced) {
      // It rests on; what the vendor itself said holds.
      history.forced = undefined;
      const counts = rule !== 'cancel' && rule !== 'ignore';
      history.nextForcedAt = counts ? at + FORCED_PAUSE_MS : 0;
      if (!counts || rule === 'window') return;
      history.atOnce = true;
      const leastMs = rule === 'gone' ? rules.maxCoolOffMs : restMs;
      history.restsUntil = Math.max(history.restsUntil ?? 0, at + leastMs);
      take(history, 'open');
    } else if (rule === 'success') history.answers.push({ at, failed: false });
    else if (rule === 'window') {
      history.answers.push({ at, failed: true });
      if (isProbe || isOverLimit(history, at)) open(history, at, 'next', 0);
    } else if (rule === 'open_key') open(history, at, 'next', restMs, true);
    else if (rule === 'open_until_retry_after')
      open(history, at, isProbe ? 'next' : 'same', restMs, true);
    else if (rule === 'gone')
      open(history, at, isProbe ? 'next' : 'same', rules.maxCoolOffMs, true);
  }

  function settle(what: string): void {
    for (const change of heard) complaints.push(`${what} made ${change.key} ${change.to}`);
    heard = [];
  }

  function watchPermit(asked: BreakerTarget, permit: BreakerPermit): BreakerPermit {
    let isOut = true;
    const say = (word: Word, really: () => void) => {
      really();
      const at = clock.monotonic();
      if (isOut) {
        tell(modelOf(asked), 'model', permit, word, at);
        tell(accountOf(asked), 'account', permit, word, at);
      }
      isOut = false;
      settle(JSON.stringify(word));
    };
    return {
      success: () => say('success', () => permit.success()),
      failure: ({ class: errorClass, retryAfterMs }) => {
        const error = { class: errorClass, ...(retryAfterMs !== undefined && { retryAfterMs }) };
        say(error, () => permit.failure(error));
      },
      cancel: () => say('cancel', () => permit.cancel()),
    };
  }

  function compare(
    asked: BreakerTarget,
    mode: AcquireMode | undefined,
    acquired: Acquisition,
  ): Acquisition {
    const at = clock.monotonic();
    const both = [accountOf(asked), modelOf(asked)];
    for (const history of both) lapse(history, at);
    const lets = mode === 'forced' ? letsForcedThrough : letsThrough;
    const should = both.every((history) => lets(history, at)) ? 'granted' : 'refused';
    if (acquired.is !== should)
      complaints.push(`${asked.provider}/${asked.model} was ${acquired.is}, not ${should}`);
    if (acquired.is === 'refused') {
      if (!(acquired.retryInMs > 0)) complaints.push('refused, and to be asked again at once');
      settle('a refusal');
      return acquired;
    }
    for (const history of both) enter(history, acquired.permit, at);
    settle('a permit');
    return { is: 'granted', permit: watchPermit(asked, acquired.permit) };
  }

  return {
    complaints,
    onChange: (change) => void heard.push(change),
    watch: (breakers) => ({
      tryAcquire: (asked, mode) => compare(asked, mode, breakers.tryAcquire(asked, mode)),
      look(asked) {
        const view = breakers.look(asked);
        settle('a look');
        return view;
      },
      all: () => breakers.all(),
    }),
    restart() {
      for (const history of histories.values()) {
        history.answers = [];
        if (history.probes) history.restsUntil = clock.monotonic();
        Object.assign(history, { probes: undefined, forced: undefined, nextForcedAt: 0 });
      }
    },
    restore(saved) {
      const at = clock.monotonic();
      for (const { key, state, updatedAt } of saved) {
        const saved = state as unknown as SavedState;
        const { is, trips, leftMs = 0, closedForMs = 0 } = saved;
        const history = historyOf(key, key.includes('/') ? rules.coolOffMs : rules.keyCoolOffMs);
        const agoMs = clock.now() - updatedAt;
        history.trips = trips;
        history.atOnce = saved.trouble?.how === 'at_once';
        if (is === 'closed') history.closedSince = at - closedForMs - agoMs;
        else history.restsUntil = at + Math.max(0, leftMs - agoMs);
      }
    },
  };
}

interface SavedState {
  readonly is: BreakerChange['to'];
  readonly trips: number;
  /** Of one that rests. */
  readonly leftMs?: number;
  readonly closedForMs?: number;
  readonly trouble?: { readonly how: string };
}

function ruleFor(part: 'account' | 'model', errorClass: ErrorClass): string {
  const { breaker } = ERROR_POLICY[errorClass];
  if (part === 'account') return breaker === 'open_key' ? breaker : 'ignore';
  if (errorClass === 'not_found') return 'gone';
  return breaker === 'open_key' ? 'ignore' : breaker;
}
