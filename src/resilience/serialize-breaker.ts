import { isErrorClass } from '#core/errors/error-class.ts';
import type { Json, JsonObject } from '#core/json/json.ts';
import type { Clock } from '#core/time/clock.ts';
import type { BreakerMap } from './breaker-map.ts';
import type { BreakerRules } from './breaker-types.ts';
import { closedState, MAX_TRIPS, type BreakerState, type OpenCause } from './breaker.ts';

/** The stored form of a state. It has durations and no timestamps, as clocks differ. */
export function serializeBreaker(state: BreakerState, at: number): Json {
  if (state.is === 'closed')
    return {
      is: 'closed',
      trips: state.trips,
      closedForMs: Math.max(0, Math.floor(at - state.since)),
    };
  const { how, class: errorClass, tally } = state.trouble;
  const { calls, failures, classes } = tally;
  const trouble = { how, class: errorClass, calls, failures, classes: { ...classes } };
  const { is, trips } = state;
  if (state.is === 'half_open') return { is, trips, trouble };
  const leftMs = Math.max(0, Math.ceil(state.until - at));
  return { is, leftMs, coolOffMs: state.coolOffMs, trips, trouble };
}

/**
 * The state that was saved `elapsedMs` ago. Invalid data gives a closed breaker: one call too many
 * does less harm than none at all. Probes are not stored, so a half-open breaker is restored as
 * open and may be probed at once.
 */
function deserializeBreaker(
  saved: Json,
  elapsedMs: number,
  at: number,
  { maxCoolOffMs }: BreakerRules,
): BreakerState {
  const fresh = closedState(at);
  if (!isObject(saved)) return fresh;
  const trips = countIn(saved, 'trips');
  if (trips === undefined || trips > MAX_TRIPS) return fresh;
  const is = ownIn(saved, 'is');
  if (is === 'closed') {
    const closedForMs = countIn(saved, 'closedForMs');
    return closedForMs === undefined ? fresh : closedState(at - closedForMs - elapsedMs, trips);
  }
  const leftMs = is === 'half_open' ? 0 : is === 'open' ? countIn(saved, 'leftMs') : undefined;
  const trouble = troubleIn(ownIn(saved, 'trouble'));
  if (leftMs === undefined || !trouble) return fresh;
  const remainingMs = Math.min(Math.max(0, leftMs - elapsedMs), maxCoolOffMs);
  const coolOffMs = Math.min(countIn(saved, 'coolOffMs') ?? leftMs, maxCoolOffMs);
  return { is: 'open', until: at + remainingMs, coolOffMs, trips, trouble };
}

function troubleIn(saved: Json | undefined): OpenCause | undefined {
  if (!isObject(saved)) return undefined;
  const how = ownIn(saved, 'how');
  const errorClass = ownIn(saved, 'class');
  const calls = countIn(saved, 'calls');
  const failures = countIn(saved, 'failures');
  const counts = ownIn(saved, 'classes');
  if (how !== 'window' && how !== 'row' && how !== 'probe' && how !== 'at_once') return undefined;
  if (typeof errorClass !== 'string' || !isErrorClass(errorClass)) return undefined;
  if (calls === undefined || failures === undefined || !isObject(counts)) return undefined;
  const known = Object.keys(counts).filter(isErrorClass);
  const classes = Object.fromEntries(known.map((name) => [name, countIn(counts, name) ?? 0]));
  return { how, class: errorClass, tally: { calls, failures, classes } };
}

function isObject(json: Json | undefined): json is JsonObject {
  return typeof json === 'object' && json !== null && !Array.isArray(json);
}

function ownIn(object: JsonObject, name: string): Json | undefined {
  return Object.hasOwn(object, name) ? object[name] : undefined;
}

function countIn(object: JsonObject, name: string): number | undefined {
  const value = ownIn(object, name);
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : undefined;
}

export interface SavedBreaker {
  readonly key: string;
  readonly state: Json;
  /** Wall-clock time. */
  readonly updatedAt: number;
}

/** Restores the stored breakers that still matter, newest first, as far as there is room. */
export function restoreBreakers(
  saved: readonly SavedBreaker[],
  clock: Clock,
  mapFor: (key: string) => BreakerMap,
): void {
  const at = clock.monotonic();
  const now = clock.now();
  for (const { key, state, updatedAt } of saved.toSorted((a, b) => b.updatedAt - a.updatedAt)) {
    const map = mapFor(key);
    if (map.isFull() || map.get(key)) continue;
    // A clock that was set back meanwhile must not lengthen the cool-down.
    const elapsedMs = Number.isFinite(updatedAt) ? Math.max(0, now - updatedAt) : 0;
    const restored = deserializeBreaker(state, elapsedMs, at, map.rules);
    if (restored.is === 'closed' && restored.trips === 0) continue;
    map.find(key, at).state = restored;
  }
}
