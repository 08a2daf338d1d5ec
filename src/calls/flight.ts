import { setMaxListeners } from 'node:events';
import type { AskReport } from '#core/ask.ts';
import type { CallError } from '#core/call-error.ts';
import { Canceller } from '#core/canceller.ts';
import type { Progress } from '#core/call.ts';
import type { Clock, Timer } from '#core/clock.ts';
import type { Cancel } from '#core/http.ts';
import type { Json } from '#core/json.ts';
import type { LogLevel } from '#core/question.ts';
import type { Tool } from '#core/tool.ts';
import type { Permit, Place } from '#resilience/limiter.ts';
import type { Ride } from './ride.ts';

/** The work of one or more identical calls. */
export interface Flight {
  readonly tool: Tool;
  /** Under which others may join; none when they may not. */
  readonly key: string | undefined;
  /** The call that the work was begun for. */
  readonly first: Ride;
  readonly rides: Ride[];
  /** Until the last of them gives up. */
  readonly deadline: { at: number };
  phase: 'waiting' | 'running' | 'over';
  place: Place | undefined;
  permit: Permit | undefined;
  /** Takes the slot from abandoned work that does not end. */
  slotTimer: Timer | undefined;
  /** For what the call asks; a real signal costs many times as much. */
  canceller: Canceller | undefined;
  controller: AbortController | undefined;
  /** Why nobody waits for it any more. */
  abandoned: CallError | undefined;
  /** How asking models went, as often as the tool asked. */
  readonly asked: AskReport[];
  attempts: number;
}

export function createFlight(tool: Tool, key: string | undefined, first: Ride): Flight {
  return {
    tool,
    key,
    first,
    rides: [first],
    deadline: { at: first.deadlineAt },
    phase: 'waiting',
    place: undefined,
    permit: undefined,
    slotTimer: undefined,
    canceller: undefined,
    controller: undefined,
    abandoned: undefined,
    asked: [],
    attempts: 0,
  };
}

export function join(flight: Flight, ride: Ride): void {
  ride.sharedWith = flight.first.reqId;
  flight.rides.push(ride);
  flight.deadline.at = Math.max(flight.deadline.at, ride.deadlineAt);
  if (flight.phase === 'running') admit(ride);
}

/** The flight has what it waited for. */
export function takeOff(flight: Flight): void {
  flight.phase = 'running';
  for (const ride of flight.rides) admit(ride);
}

function admit({ request, timeoutMs }: Ride): void {
  request.onAdmitted?.({ timeoutMs });
}

export function tellProgress(flight: Flight, step: Progress): void {
  if (flight.phase !== 'running') return;
  for (const { request } of flight.rides) request.onProgress?.(step);
}

export function tellLog(flight: Flight, level: LogLevel, data: unknown): void {
  if (flight.phase !== 'running') return;
  for (const { request } of flight.rides) request.onSay?.(level, data);
}

export function tellCheckpoint(flight: Flight, state: Json): void {
  if (flight.phase !== 'running') return;
  for (const { request } of flight.rides) request.onCheckpoint?.(state);
}

/** Aborts when the last who waited has left. Made when somebody looks at it, as most tools never do. */
export function signalOf(flight: Flight): AbortSignal {
  if (!flight.controller) {
    flight.controller = new AbortController();
    // A tool may have any number of questions under way on it; Node takes more than ten listeners for a leak.
    setMaxListeners(0, flight.controller.signal);
    if (flight.abandoned) flight.controller.abort(flight.abandoned);
  }
  return flight.controller.signal;
}

/** The same for the manager, who needs less of it. */
export function cancelOf(flight: Flight): Cancel {
  if (!flight.canceller) {
    flight.canceller = new Canceller();
    if (flight.abandoned) flight.canceller.abort(flight.abandoned);
  }
  return flight.canceller;
}

// Work that heeds its signal ends at once; work that does not keeps its slot only this long.
const SLOT_GRACE_MS = 1000;

/** Nobody waits any more: the work is told to stop, and its slot goes to someone else. */
export function abandon(flight: Flight, error: CallError, clock: Clock): void {
  flight.abandoned = error;
  if (flight.phase === 'waiting') {
    flight.phase = 'over';
    flight.place?.leave();
    return;
  }
  flight.controller?.abort(error);
  flight.canceller?.abort(error);
  const { permit } = flight;
  if (permit) flight.slotTimer = clock.after(SLOT_GRACE_MS, () => permit.release());
}
