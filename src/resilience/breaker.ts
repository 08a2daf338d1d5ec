import type { ErrorClass } from '#core/error-class.ts';
import type { BreakerRules } from './breaker-rules.ts';
import {
  counted,
  EMPTY_WINDOW,
  tallyOf,
  type RollingWindow,
  type Tally,
} from './rolling-window.ts';

/** Why a breaker is not closed. */
export interface Trouble {
  /** Too many of the window failed, or too many in a row; it failed when tried again; one answer of its class is enough. */
  readonly how: 'window' | 'row' | 'probe' | 'at_once';
  readonly class: ErrorClass;
  /** What was seen when it opened. */
  readonly tally: Tally;
}

/** Leave to try whether it works again; told apart by its number, which is never used twice. */
interface Probe {
  readonly number: number;
  readonly leaseEnds: number;
}

export interface Closed {
  readonly is: 'closed';
  readonly window: RollingWindow;
  /** Failures since the last success. */
  readonly inRow: number;
  /** How often it opened in a row, which doubles the rest each time. */
  readonly trips: number;
  readonly since: number;
  /** Who last saw a failure that may have been its own doing: two principals at most. */
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
  readonly trouble: Trouble;
}

export interface HalfOpen {
  readonly is: 'half_open';
  /** Those out, oldest first. */
  readonly probes: readonly Probe[];
  /** Drawn beforehand, so that a probe that is never heard of reopens it at a known time. */
  readonly nextCoolOffMs: number;
  readonly trips: number;
  readonly trouble: Trouble;
}

export type BreakerState = Closed | Open | HalfOpen;

/** What a failure means for a breaker. */
export type Blow =
  /** One more of the window; if it may be the doing of who saw it, only when another has seen such a failure, too. */
  | { readonly is: 'counts'; readonly class: ErrorClass; readonly doubtfulFor?: string | undefined }
  /** It rests for so long, and the next rest is no longer for it. */
  | { readonly is: 'rests'; readonly class: ErrorClass; readonly restMs: number }
  /** It rests at once, twice as long each time, and at least so long. */
  | { readonly is: 'trips'; readonly class: ErrorClass; readonly atLeastMs: number };

/** Draws from 0 to 1, without 1. */
export type Draw = () => number;

/** Far more doublings than any rest needs. */
export const MAX_TRIPS = 64;
const WINDOWS_TO_FORGIVE = 2;

const NO_DOUBTS: readonly Doubt[] = [];

export function closedAt(at: number, trips = 0): Closed {
  return { is: 'closed', window: EMPTY_WINDOW, inRow: 0, trips, since: at, doubts: NO_DOUBTS };
}

/** The state as it is by now: a probe that was never heard of has failed when its lease ended. */
export function settled(state: BreakerState, at: number): BreakerState {
  if (state.is !== 'half_open') return state;
  const [oldest] = state.probes;
  if (!oldest || oldest.leaseEnds > at) return state;
  return reopened(state, { is: 'counts', class: 'timeout' }, oldest.leaseEnds);
}

/** How long until it lets somebody through; 0 when it does now. */
export function waitMs(state: BreakerState, at: number, rules: BreakerRules): number {
  switch (state.is) {
    case 'closed':
      return 0;
    case 'open':
      return Math.max(0, state.until - at);
    case 'half_open': {
      const [oldest] = state.probes;
      if (!oldest || state.probes.length < rules.probes) return 0;
      // Nobody knows when the probe comes back; the first rest is as good a guess as any.
      return Math.min(rules.coolOffMs, oldest.leaseEnds - at);
    }
  }
}

/** Lets somebody through, which `waitMs` said that it does. */
export function entered(
  state: BreakerState,
  number: number,
  at: number,
  rules: BreakerRules,
  draw: Draw,
): BreakerState {
  if (state.is === 'closed') return state;
  const probe = { number, leaseEnds: at + rules.probeLeaseMs };
  if (state.is === 'half_open') return { ...state, probes: [...state.probes, probe] };
  const { trips, trouble } = state;
  const nextCoolOffMs = coolOffMs(trips + 1, rules, draw);
  return { is: 'half_open', probes: [probe], nextCoolOffMs, trips, trouble };
}

/** Only a probe that is still out closes it: what was asked before it opened says nothing about now. */
export function succeeded(
  state: BreakerState,
  number: number,
  at: number,
  rules: BreakerRules,
): BreakerState {
  if (state.is === 'closed') return recounted(state, counted(state.window, at, rules.windowMs), 0);
  return isOut(state, number) ? closedAt(at, state.trips) : state;
}

export function failed(
  state: BreakerState,
  number: number,
  blow: Blow,
  at: number,
  rules: BreakerRules,
  draw: Draw,
): BreakerState {
  const doubtfulFor = blow.is === 'counts' ? blow.doubtfulFor : undefined;
  if (state.is !== 'closed') {
    // A probe of which nobody else knows whether it failed by itself says nothing.
    if (doubtfulFor !== undefined) return cancelled(state, number);
    return isOut(state, number) ? reopened(state, blow, at) : state;
  }
  if (doubtfulFor === undefined) return struck(state, blow, at, rules, draw);
  const others = state.doubts.filter(
    (doubt) => doubt.by !== doubtfulFor && at - doubt.at <= rules.windowMs,
  );
  const doubts = [...others.slice(-1), { by: doubtfulFor, at }];
  const doubted = { ...state, doubts };
  return others.length === 0 ? doubted : struck(doubted, blow, at, rules, draw);
}

function struck(
  state: Closed,
  blow: Blow,
  at: number,
  rules: BreakerRules,
  draw: Draw,
): BreakerState {
  const trips = tripsBy(state, at, rules);
  switch (blow.is) {
    case 'counts': {
      const window = counted(state.window, at, rules.windowMs, blow.class);
      const tally = tallyOf(window, at, rules.windowMs);
      const inRow = state.inRow + 1;
      const isShare =
        tally.calls >= rules.minCalls && tally.failures * 100 >= rules.failurePercent * tally.calls;
      // After many good answers the share alone would notice an outage late.
      if (!isShare && inRow < rules.failuresInRow) return recounted(state, window, inRow);
      const how = isShare ? 'window' : 'row';
      const trouble = { how, class: blow.class, tally } as const;
      return opened(at, coolOffMs(trips + 1, rules, draw), trips + 1, trouble);
    }
    case 'rests':
      return opened(at, blow.restMs, trips, single('at_once', blow.class));
    case 'trips': {
      const restMs = Math.max(coolOffMs(trips + 1, rules, draw), blow.atLeastMs);
      return opened(at, restMs, trips + 1, single('at_once', blow.class));
    }
  }
}

/** Gives a probe's place back; elsewhere it changes nothing. */
export function cancelled(state: BreakerState, number: number): BreakerState {
  if (state.is !== 'half_open' || !isOut(state, number)) return state;
  return { ...state, probes: state.probes.filter((probe) => probe.number !== number) };
}

/** How often it opened in a row. Two quiet windows are forgiveness. */
export function tripsBy(state: BreakerState, at: number, rules: BreakerRules): number {
  if (state.is !== 'closed') return state.trips;
  return at - state.since >= WINDOWS_TO_FORGIVE * rules.windowMs ? 0 : state.trips;
}

// Every request that goes well passes here: written out, it costs a fraction of a spread.
function recounted({ trips, since, doubts }: Closed, window: RollingWindow, inRow: number): Closed {
  return { is: 'closed', window, inRow, trips, since, doubts };
}

function isOut(state: Open | HalfOpen, number: number): state is HalfOpen {
  return state.is === 'half_open' && state.probes.some((probe) => probe.number === number);
}

function reopened({ nextCoolOffMs, trips }: HalfOpen, blow: Blow, at: number): Open {
  const toldMs = blow.is === 'rests' ? blow.restMs : blow.is === 'trips' ? blow.atLeastMs : 0;
  const trouble = single(blow.is === 'counts' ? 'probe' : 'at_once', blow.class);
  return opened(at, Math.max(nextCoolOffMs, toldMs), trips + 1, trouble);
}

function opened(at: number, restMs: number, trips: number, trouble: Trouble): Open {
  const wholeMs = Math.ceil(restMs);
  const bounded = Math.min(trips, MAX_TRIPS);
  return { is: 'open', until: at + wholeMs, coolOffMs: wholeMs, trips: bounded, trouble };
}

function single(how: Trouble['how'], errorClass: ErrorClass): Trouble {
  return { how, class: errorClass, tally: { calls: 1, failures: 1, classes: { [errorClass]: 1 } } };
}

/** A fifth more or less by lot, so that daemons that saw one outage do not probe in step. */
function coolOffMs(trips: number, rules: BreakerRules, draw: Draw): number {
  const doubledMs = Math.min(rules.coolOffMs * 2 ** (trips - 1), rules.maxCoolOffMs);
  return Math.min(Math.round(doubledMs * (0.8 + 0.4 * draw())), rules.maxCoolOffMs);
}
