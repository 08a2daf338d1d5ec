import type { ErrorClass } from '#core/errors/error-class.ts';
import type { BreakerRules } from './breaker-types.ts';
import {
  countInWindow,
  EMPTY_WINDOW,
  tallyWindow,
  type RollingWindow,
  type WindowTally,
} from './rolling-window.ts';

/** What opened a breaker. */
export interface OpenCause {
  /**
   * Too many failures in the window, or in a row; a failed probe; or one failure of a class that
   * opens at once.
   */
  readonly how: 'window' | 'row' | 'probe' | 'at_once';
  readonly class: ErrorClass;
  /** Counts at the moment it opened. */
  readonly tally: WindowTally;
}

/** A call that tests whether the model works again, identified by a number that is never reused. */
interface Probe {
  readonly number: number;
  readonly leaseEnds: number;
}

export interface Closed {
  readonly is: 'closed';
  readonly window: RollingWindow;
  /** Failures since the last success. */
  readonly inRow: number;
  /** How often it opened in a row; doubles the cool-down each time. */
  readonly trips: number;
  readonly since: number;
  /** The last principals (at most two) with a failure that they may have caused themselves. */
  readonly doubts: readonly Doubt[];
}

interface Doubt {
  readonly by: string;
  readonly at: number;
}

export interface Open {
  readonly is: 'open';
  readonly until: number;
  readonly coolOffMs: number;
  readonly trips: number;
  readonly trouble: OpenCause;
  /** A call that was let through during the cool-down, because no other model was left. */
  readonly forcedProbe?: Probe;
  /** No forced probe before this time. */
  readonly nextForcedAt?: number;
}

export interface HalfOpen {
  readonly is: 'half_open';
  /** Probes under way, oldest first. */
  readonly probes: readonly Probe[];
  /** Drawn in advance, so that a probe without a result reopens the breaker at a known time. */
  readonly nextCoolOffMs: number;
  readonly trips: number;
  readonly trouble: OpenCause;
}

export type BreakerState = Closed | Open | HalfOpen;

/** The effect of a failure on a breaker. */
export type FailureEffect =
  /** Counts in the window; a doubtful one only when another principal has seen one, too. */
  | { readonly is: 'counts'; readonly class: ErrorClass; readonly doubtfulFor?: string | undefined }
  /** Opens for this long; does not lengthen later cool-downs. */
  | { readonly is: 'opens'; readonly class: ErrorClass; readonly coolOffMs: number }
  /** Opens at once, twice as long each time, for at least this long. */
  | { readonly is: 'trips'; readonly class: ErrorClass; readonly atLeastMs: number };

/** A random number in [0, 1). */
export type Draw = () => number;

/** Far more doublings than any cool-down needs. */
export const MAX_TRIPS = 64;
const WINDOWS_TO_FORGIVE = 2;

const NO_DOUBTS: readonly Doubt[] = [];

export function closedState(at: number, trips = 0): Closed {
  return { is: 'closed', window: EMPTY_WINDOW, inRow: 0, trips, since: at, doubts: NO_DOUBTS };
}

/** The state at a time: a probe without a result failed when its lease ended. */
export function expireProbes(state: BreakerState, at: number): BreakerState {
  if (state.is === 'open' && state.forcedProbe && state.forcedProbe.leaseEnds <= at)
    return withoutForced(state, state.forcedProbe.leaseEnds + FORCED_PAUSE_MS);
  if (state.is !== 'half_open') return state;
  const [oldest] = state.probes;
  if (!oldest || oldest.leaseEnds > at) return state;
  return reopen(state, { is: 'counts', class: 'timeout' }, oldest.leaseEnds);
}

/** Time until it admits a call; 0 when it does now. */
export function waitMs(state: BreakerState, at: number, rules: BreakerRules): number {
  switch (state.is) {
    case 'closed':
      return 0;
    case 'open':
      return Math.max(0, state.until - at);
    case 'half_open': {
      const [oldest] = state.probes;
      if (!oldest || state.probes.length < rules.probes) return 0;
      // The end of the probe is unknown; the first cool-down is a fair guess.
      return Math.min(rules.coolOffMs, oldest.leaseEnds - at);
    }
  }
}

/** Admits a call, after `waitMs` returned 0. */
export function admit(
  state: BreakerState,
  number: number,
  at: number,
  rules: BreakerRules,
  draw: Draw,
): BreakerState {
  if (state.is === 'closed') return state;
  const probe = { number, leaseEnds: at + rules.probeLeaseMs };
  if (state.is === 'half_open') return { ...state, probes: [...state.probes, probe] };
  const { trips, trouble, forcedProbe } = state;
  const nextCoolOffMs = coolOffMs(trips + 1, rules, draw);
  const probes = forcedProbe ? [forcedProbe, probe] : [probe];
  return { is: 'half_open', probes, nextCoolOffMs, trips, trouble };
}

/** The pause between two forced probes of a breaker. */
export const FORCED_PAUSE_MS = 1000;

/**
 * Whether calls may be forced through a breaker that is not closed. One that a single refusal
 * opened stays shut: the vendor said why, and often for how long.
 */
export function isForcible({ trouble }: Open | HalfOpen): boolean {
  return trouble.how !== 'at_once';
}

/** Time until it admits a forced probe; 0 when it does now. */
export function forcedWaitMs(state: BreakerState, at: number, rules: BreakerRules): number {
  const usualMs = waitMs(state, at, rules);
  if (state.is !== 'open' || !isForcible(state)) return usualMs;
  const { forcedProbe, nextForcedAt = at } = state;
  const forcedMs = forcedProbe ? FORCED_PAUSE_MS : Math.max(0, nextForcedAt - at);
  return Math.min(usualMs, forcedMs);
}

/** Admits a forced probe during a cool-down, after `forcedWaitMs` returned 0. */
export function admitForced(
  state: BreakerState,
  number: number,
  at: number,
  rules: BreakerRules,
  draw: Draw,
): BreakerState {
  if (waitMs(state, at, rules) === 0 || state.is !== 'open')
    return admit(state, number, at, rules, draw);
  return { ...state, forcedProbe: { number, leaseEnds: at + rules.probeLeaseMs } };
}

function withoutForced(state: Open, nextForcedAt: number): Open {
  const { forcedProbe: _, ...rest } = state;
  return { ...rest, nextForcedAt };
}

function isForcedProbe(state: BreakerState, number: number): state is Open {
  return state.is === 'open' && state.forcedProbe?.number === number;
}

/** Only a current probe closes it: a call from before it opened says nothing about now. */
export function onSuccess(
  state: BreakerState,
  number: number,
  at: number,
  rules: BreakerRules,
): BreakerState {
  if (state.is === 'closed')
    return withCounts(state, countInWindow(state.window, at, rules.windowMs), 0);
  const isOfProbe = isProbe(state, number) || isForcedProbe(state, number);
  return isOfProbe ? closedState(at, state.trips) : state;
}

export function onFailure(
  state: BreakerState,
  number: number,
  effect: FailureEffect,
  at: number,
  rules: BreakerRules,
  draw: Draw,
): BreakerState {
  const doubtfulFor = effect.is === 'counts' ? effect.doubtfulFor : undefined;
  // It was forced through, so its failure does not lengthen the cool-down.
  if (isForcedProbe(state, number)) return afterForcedFailure(state, effect, at);
  if (state.is !== 'closed') {
    // A doubtful probe says nothing.
    if (doubtfulFor !== undefined) return onCancel(state, number);
    return isProbe(state, number) ? reopen(state, effect, at) : state;
  }
  if (doubtfulFor === undefined) return applyEffect(state, effect, at, rules, draw);
  const others = state.doubts.filter(
    (doubt) => doubt.by !== doubtfulFor && at - doubt.at <= rules.windowMs,
  );
  const doubts = [...others.slice(-1), { by: doubtfulFor, at }];
  const doubted = { ...state, doubts };
  return others.length === 0 ? doubted : applyEffect(doubted, effect, at, rules, draw);
}

/** The vendor's own time limit holds; other failures change nothing. */
function afterForcedFailure(state: Open, effect: FailureEffect, at: number): Open {
  const rest = withoutForced(state, at + FORCED_PAUSE_MS);
  const leastMs =
    effect.is === 'opens' ? effect.coolOffMs : effect.is === 'trips' ? effect.atLeastMs : 0;
  if (effect.is === 'counts') return rest;
  const trouble = singleFailure('at_once', effect.class);
  const until = Math.max(state.until, at + Math.ceil(leastMs));
  return { ...rest, until, coolOffMs: Math.ceil(until - at), trouble };
}

function applyEffect(
  state: Closed,
  effect: FailureEffect,
  at: number,
  rules: BreakerRules,
  draw: Draw,
): BreakerState {
  const trips = tripsAt(state, at, rules);
  switch (effect.is) {
    case 'counts': {
      const window = countInWindow(state.window, at, rules.windowMs, effect.class);
      const tally = tallyWindow(window, at, rules.windowMs);
      const inRow = state.inRow + 1;
      const isShare =
        tally.calls >= rules.minCalls && tally.failures * 100 >= rules.failurePercent * tally.calls;
      // After many good answers the share alone would notice an outage late.
      if (!isShare && inRow < rules.failuresInRow) return withCounts(state, window, inRow);
      const how = isShare ? 'window' : 'row';
      const trouble = { how, class: effect.class, tally } as const;
      return open(at, coolOffMs(trips + 1, rules, draw), trips + 1, trouble);
    }
    case 'opens':
      return open(at, effect.coolOffMs, trips, singleFailure('at_once', effect.class));
    case 'trips': {
      const durationMs = Math.max(coolOffMs(trips + 1, rules, draw), effect.atLeastMs);
      return open(at, durationMs, trips + 1, singleFailure('at_once', effect.class));
    }
  }
}

/** Frees a probe's slot; changes nothing for other calls. */
export function onCancel(state: BreakerState, number: number): BreakerState {
  if (isForcedProbe(state, number)) return withoutForced(state, 0);
  if (state.is !== 'half_open' || !isProbe(state, number)) return state;
  return { ...state, probes: state.probes.filter((probe) => probe.number !== number) };
}

/** How often it opened in a row; reset after two quiet windows. */
export function tripsAt(state: BreakerState, at: number, rules: BreakerRules): number {
  if (state.is !== 'closed') return state.trips;
  return at - state.since >= WINDOWS_TO_FORGIVE * rules.windowMs ? 0 : state.trips;
}

// Every successful request passes here; this is much cheaper than a spread.
function withCounts(
  { trips, since, doubts }: Closed,
  window: RollingWindow,
  inRow: number,
): Closed {
  return { is: 'closed', window, inRow, trips, since, doubts };
}

function isProbe(state: Open | HalfOpen, number: number): state is HalfOpen {
  return state.is === 'half_open' && state.probes.some((probe) => probe.number === number);
}

function reopen({ nextCoolOffMs, trips }: HalfOpen, effect: FailureEffect, at: number): Open {
  const leastMs =
    effect.is === 'opens' ? effect.coolOffMs : effect.is === 'trips' ? effect.atLeastMs : 0;
  const trouble = singleFailure(effect.is === 'counts' ? 'probe' : 'at_once', effect.class);
  return open(at, Math.max(nextCoolOffMs, leastMs), trips + 1, trouble);
}

function open(at: number, durationMs: number, trips: number, trouble: OpenCause): Open {
  const wholeMs = Math.ceil(durationMs);
  const bounded = Math.min(trips, MAX_TRIPS);
  return { is: 'open', until: at + wholeMs, coolOffMs: wholeMs, trips: bounded, trouble };
}

function singleFailure(how: OpenCause['how'], errorClass: ErrorClass): OpenCause {
  return { how, class: errorClass, tally: { calls: 1, failures: 1, classes: { [errorClass]: 1 } } };
}

/** The cool-down with ±20 % jitter, so that daemons that saw one outage do not probe in step. */
function coolOffMs(trips: number, rules: BreakerRules, draw: Draw): number {
  const doubledMs = Math.min(rules.coolOffMs * 2 ** (trips - 1), rules.maxCoolOffMs);
  return Math.min(Math.round(doubledMs * (0.8 + 0.4 * draw())), rules.maxCoolOffMs);
}
