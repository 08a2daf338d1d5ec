import { isErrorClass } from '#core/error-class.ts';
import type { Json, JsonObject } from '#core/json.ts';
import { closedAt, MAX_TRIPS, type BreakerState, type Trouble } from './breaker.ts';
import type { BreakerRules } from './breaker-rules.ts';

/** What is left of a state when it is written down: lengths of time and no points in it, as clocks do not agree. */
export function toSaved(state: BreakerState, at: number): Json {
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
 * The state that was saved `elapsedMs` ago. Whatever is not of our making is closed: to ask once too often does less harm
 * than never to ask again. Probes did not survive, so a half-open one is open and may be tried at once.
 */
export function fromSaved(
  saved: Json,
  elapsedMs: number,
  at: number,
  { maxCoolOffMs }: BreakerRules,
): BreakerState {
  const fresh = closedAt(at);
  if (!isObject(saved)) return fresh;
  const trips = countIn(saved, 'trips');
  if (trips === undefined || trips > MAX_TRIPS) return fresh;
  const is = ownIn(saved, 'is');
  if (is === 'closed') {
    const closedForMs = countIn(saved, 'closedForMs');
    return closedForMs === undefined ? fresh : closedAt(at - closedForMs - elapsedMs, trips);
  }
  const leftMs = is === 'half_open' ? 0 : is === 'open' ? countIn(saved, 'leftMs') : undefined;
  const trouble = troubleIn(ownIn(saved, 'trouble'));
  if (leftMs === undefined || !trouble) return fresh;
  const restMs = Math.min(Math.max(0, leftMs - elapsedMs), maxCoolOffMs);
  const coolOffMs = Math.min(countIn(saved, 'coolOffMs') ?? leftMs, maxCoolOffMs);
  return { is: 'open', until: at + restMs, coolOffMs, trips, trouble };
}

function troubleIn(saved: Json | undefined): Trouble | undefined {
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
