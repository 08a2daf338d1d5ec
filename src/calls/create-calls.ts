import { CallError } from '#core/call-error.ts';
import type { AskReport, Manager } from '#core/ask.ts';
import { createBriefMap } from '#core/brief-map.ts';
import type { Caller } from '#core/call.ts';
import type {
  CallAnswer,
  CallRequest,
  Calls,
  Change,
  ListPage,
  RunningCall,
  ToolList,
} from '#core/calls.ts';
import type { Clock } from '#core/clock.ts';
import type { NewId } from '#core/ids.ts';
import { fix } from '#core/messages/fixes.ts';
import { reason } from '#core/messages/reasons.ts';
import type { Questions } from '#core/question.ts';
import type { RequestMetadata } from '#core/request-metadata.schema.ts';
import type { CallStore } from '#core/stores/calls.ts';
import type { Log, Metrics, Tracer } from '#core/telemetry.ts';
import type { Tool } from '#core/tool.ts';
import type { Limiter } from '#resilience/limiter.ts';
import { isAsking, toCallAnswer, type Outcome } from './answer.ts';
import { toQuestions } from './ask.ts';
import { toAuditRow } from './audit-row.ts';
import { complete } from './complete.ts';
import { createConsents } from './consent.ts';
import { decide } from './decide.ts';
import { decideOffer } from './decide-offer.ts';
import { abandon, createFlight, join, takeOff, type Flight } from './flight.ts';
import type { Library } from './library.ts';
import { poolsOf } from './limits.ts';
import { createListPages } from './list-pages.ts';
import { createObserver } from './observe.ts';
import { createDraft, prepare } from './prepare.ts';
import type { Registry } from './registry.ts';
import type { StateSeal } from './request-state.ts';
import type { Ride } from './ride.ts';
import { runTool } from './run-tool.ts';
import { createToolLists } from './tool-lists.ts';

export interface CallsOptions {
  readonly registry: Registry;
  readonly library: Library;
  /** Closes what a call is to remember until it is made again. */
  readonly seal: StateSeal;
  /** How many entries a page of a list has. */
  readonly pageSize: number;
  readonly limiter: Limiter;
  /** How many calls may wait for a provider at once. */
  readonly capacity: number;
  /** When a call that found no place is told to come back. */
  readonly retryAfterMs: number;
  /** Whether what a caller came in with is still good. */
  readonly isGood: (caller: Caller) => boolean;
  readonly metadata: () => RequestMetadata;
  readonly store: CallStore;
  /** Whom tools ask models by. */
  readonly manager: Pick<Manager, 'ask'>;
  readonly clock: Clock;
  readonly newId: NewId;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly tracer: Tracer;
}

const CANCELLED = new CallError('cancelled', 'The call was cancelled.');
const LATE = new CallError('timeout', 'The deadline of this call has passed.');

/** A call's life: prepared, admitted, run alone or with its like, audited, answered once. */
export function createCalls(options: CallsOptions): Calls {
  const { registry, library, limiter, store, clock, log } = options;
  const lists = createToolLists(registry);
  const pages = createListPages(lists, options);
  const sources = { ...options, consents: createConsents(clock) };
  const observer = createObserver(options.metrics, log, clock);
  // Those that others may join, by principal, tool and arguments.
  const joinable = createBriefMap<string, Flight>(1024);
  let riding = 0;

  function start(request: CallRequest): RunningCall {
    const { reqId = options.newId('req') } = request;
    let cancel: RunningCall['cancel'] = () => undefined;
    let extend: RunningCall['extend'] = () => undefined;
    const answer = new Promise<CallAnswer>((resolve) => {
      const startedAt = clock.monotonic();
      const draft = createDraft(request);
      const metadata = options.metadata();
      // prettier-ignore
      const ride: Ride = {
        reqId, request, draft, metadata, startedAt, resolve,
        deadlineAt: startedAt, timeoutMs: 0, sharedWith: undefined, timer: undefined,
      };
      riding += 1;
      try {
        if (!options.isGood(request.caller)) throw outlived();
        const tool = prepare(draft, request, sources);
        if (isAsking(tool)) return ask(ride, tool.asks);
        const flight = book(ride, tool);
        cancel = (error = CANCELLED) => leave(flight, ride, error);
        extend = (timeoutMs) => prolong(flight, ride, timeoutMs);
      } catch (thrown) {
        end(ride, { is: 'failure', error: CallError.from(thrown) }, 'noted');
      }
    });
    return { reqId, answer, cancel: (error) => cancel(error), extend: (ms) => extend(ms) };
  }

  /** It has not even begun: its user must be asked first. */
  function ask(ride: Ride, questions: Questions): void {
    end(ride, toQuestions(ride, questions, options.seal), 'noted');
  }

  /** Joins the flight of identical calls that is under way, or begins one. */
  function book(ride: Ride, tool: Tool): Flight {
    const { request, draft } = ride;
    ride.timeoutMs = timeoutOf(request, tool);
    ride.deadlineAt = ride.startedAt + ride.timeoutMs;
    const isAnswering = request.answers !== undefined || request.state !== undefined;
    const key = tool.coalesce && !isAnswering ? keyOf(request, tool, draft.argsSha256) : undefined;
    const existing = key === undefined ? undefined : joinable.get(key);
    const flight = existing ?? createFlight(tool, key, ride);
    ride.timer = clock.after(ride.timeoutMs, () => leave(flight, ride, LATE));
    if (existing) {
      join(existing, ride);
    } else {
      if (key !== undefined) joinable.add(key, flight);
      admit(flight);
    }
    return flight;
  }

  function admit(flight: Flight): void {
    const { tool, first } = flight;
    if (!tool.lane) return run(flight);
    const { session, turn = session } = first.request;
    const admission = limiter.ask({ pools: poolsOf(tool.lane, session), turn });
    switch (admission.is) {
      case 'granted':
        flight.permit = admission.permit;
        return run(flight);
      case 'full':
        return land(flight, { is: 'failure', error: overCapacity() });
      case 'waiting':
        flight.place = admission.place;
        void admission.place.permit.then((permit) => {
          if (flight.phase === 'over') return permit?.release();
          if (!permit) return land(flight, { is: 'failure', error: overCapacity() });
          flight.permit = permit;
          // While it waited, its caller may have lost the right to be here.
          if (options.isGood(first.request.caller)) return run(flight);
          land(flight, { is: 'failure', error: outlived() });
        });
    }
  }

  function run(flight: Flight): void {
    takeOff(flight);
    runTool(flight, options).then(
      (given) => {
        if (isAsking(given)) landAsking(flight, given.asks);
        else {
          flight.asked.push(...(given.asked ?? []));
          land(flight, { is: 'answer', answer: given });
        }
      },
      (thrown: unknown) => land(flight, { is: 'failure', error: CallError.from(thrown) }),
    );
  }

  /** The work is over, well or not: its slot is free, and whoever still waits is answered. */
  function land(flight: Flight, outcome: Outcome): void {
    const record = flight.phase === 'running' ? recordingOf(flight) : 'noted';
    for (const ride of touchDown(flight)) end(ride, outcome, record, flight.asked);
  }

  /** It cannot go on: everybody who waits is asked, each for a call of its own. */
  function landAsking(flight: Flight, questions: Questions): void {
    const record = recordingOf(flight);
    for (const ride of touchDown(flight)) {
      let outcome: Outcome;
      try {
        outcome = toQuestions(ride, questions, options.seal);
      } catch (thrown) {
        outcome = { is: 'failure', error: CallError.from(thrown) };
      }
      end(ride, outcome, record, flight.asked);
    }
  }

  function touchDown(flight: Flight): Ride[] {
    flight.phase = 'over';
    close(flight);
    flight.permit?.release();
    flight.slotTimer?.stop();
    return flight.rides.splice(0);
  }

  /** One of those who wait goes, by its own will or because its time is up. */
  function leave(flight: Flight, ride: Ride, error: CallError): void {
    const index = flight.rides.indexOf(ride);
    if (index === -1) return;
    flight.rides.splice(index, 1);
    const record = flight.phase === 'running' ? recordingOf(flight) : 'noted';
    if (flight.rides.length === 0) {
      close(flight);
      abandon(flight, error, clock);
    }
    end(ride, { is: 'failure', error }, record, flight.asked);
  }

  function prolong(flight: Flight, ride: Ride, timeoutMs: number): void {
    const at = ride.startedAt + timeoutMs;
    if (at <= ride.deadlineAt || !flight.rides.includes(ride)) return;
    ride.timeoutMs = timeoutMs;
    ride.deadlineAt = at;
    flight.deadline.at = Math.max(flight.deadline.at, at);
    ride.timer?.stop();
    ride.timer = clock.after(at - clock.monotonic(), () => leave(flight, ride, LATE));
  }

  /** Nobody joins it any more. */
  function close(flight: Flight): void {
    const { key } = flight;
    // An abandoned flight lands late, when another may be under way by its key.
    if (key !== undefined && joinable.get(key) === flight) joinable.delete(key);
  }

  function end(
    ride: Ride,
    outcome: Outcome,
    record: Recording,
    asked: readonly AskReport[] = NOBODY_ASKED,
  ): void {
    ride.timer?.stop();
    riding -= 1;
    const { request, draft, metadata, sharedWith, reqId } = ride;
    const elapsedMs = clock.monotonic() - ride.startedAt;
    const answer = toCallAnswer(outcome, draft.toolName, reqId, asked);
    const toolLabel = draft.tool ? draft.toolName : 'unknown';
    const facts = { reqId, elapsedMs, asked: draft.toolName };
    observer.ended(toolLabel, answer.envelope.status, answer.error, facts);
    const about = { at: clock.now(), elapsedMs, metadata, sharedWith };
    const row = toAuditRow(request, draft, answer, about);
    if (record === 'noted') {
      const behind = store.note(row);
      if (behind) void behind.then(() => ride.resolve(answer));
      else ride.resolve(answer);
      return;
    }
    store.record(row).then(
      () => ride.resolve(answer),
      (thrown: unknown) => ride.resolve(unrecorded(thrown, ride, answer)),
    );
  }

  const overCapacity = () =>
    new CallError('over_capacity', 'Too many calls are running and waiting.', {
      retryAfterMs: options.retryAfterMs,
      fixes: [fix('retry')],
    });

  return {
    start,
    accepts(request) {
      if (!options.isGood(request.caller)) return false;
      try {
        return !isAsking(prepare(createDraft(request), request, sources));
      } catch {
        // Starting it says what is wrong with it.
        return false;
      }
    },
    list: (caller) => (options.isGood(caller) ? lists(caller) : NO_TOOLS),
    find: (name) => registry.find(name),
    decide(caller, name) {
      const tool = registry.find(name) ?? library.operation(name)?.tool;
      if (tool) return decide(caller, tool);
      return {
        verdict: 'deny',
        reasons: [reason('unknown_tool', { tool: name, hint: registry.suggest(name) })],
      };
    },
    page: (caller, kind, cursor) =>
      options.isGood(caller) ? pages(caller, kind, cursor) : NO_PAGE,
    complete: (caller, request) =>
      options.isGood(caller) ? complete(caller, request, options) : Promise.reject(outlived()),
    canWatch(caller, uri) {
      const offer = library.at(uri);
      if (!offer?.tellsChanges || !options.isGood(caller)) return false;
      return decideOffer(caller, offer, registry).verdict !== 'deny';
    },
    onChange(listener) {
      const stops = [registry.onChange(() => listener(TOOLS_CHANGED)), library.onChange(listener)];
      return () => stops.forEach((stop) => stop());
    },
    load: () => ({
      running: riding,
      waitingForProvider: limiter.running,
      waiting: limiter.waiting,
      capacity: options.capacity,
    }),
  };
}

const NOBODY_ASKED: readonly AskReport[] = [];
const NO_TOOLS: ToolList = { version: '', tools: [], json: '[]' };
const NO_PAGE: ListPage = { json: '[]', next: undefined };
const TOOLS_CHANGED: Change = { list: 'tools' };

/** The connection is older than the end of its token. */
function outlived(): CallError {
  return new CallError('auth', 'The token that this connection came in with is no longer good.', {
    field: 'token',
    fix: 'Connect again with a good one.',
  });
}

/** `durable`: on disk before the answer goes out. `noted`: with the next commit, keeping nobody waiting. */
type Recording = 'durable' | 'noted';

/** What asked a model may have cost something. */
function recordingOf({ tool, asked }: Flight): Recording {
  return tool.annotations.readOnlyHint && asked.length === 0 ? 'noted' : 'durable';
}

/** A client may want an answer sooner than the tool would take, never later. */
function timeoutOf({ timeoutMs = Infinity }: CallRequest, tool: Tool): number {
  return timeoutMs > 0 ? Math.min(timeoutMs, tool.timeoutMs) : tool.timeoutMs;
}

/** Results are never shared between principals; agents of one, and windows in two folders, may get different ones. */
function keyOf({ caller, askable = [] }: CallRequest, { name }: Tool, argsSha256: string): string {
  const { principal, agent = '', scopes, roots, isAnonymous = false } = caller;
  const who = `${principal}\n${agent}\n${isAnonymous}\n${scopes.join()}\n${roots.join()}\n${askable.join()}`;
  return `${who}\n${name}\n${argsSha256}`;
}

/** It ran, but that it ran could not be written down: the caller must know both. */
function unrecorded(thrown: unknown, { draft, reqId }: Ride, said: CallAnswer): CallAnswer {
  const reason = CallError.from(thrown);
  const message = `${draft.toolName} ran, but its record could not be stored. ${reason.message}`;
  const error = new CallError(reason.class, message, {
    fix: 'Look whether it took effect before you send it again.',
    cause: thrown,
  });
  const failure = toCallAnswer({ is: 'failure', error }, draft.toolName, reqId, NOBODY_ASKED);
  if (said.error || said.asks) return failure;
  // It may have been paid for, and is all that there is of it.
  return {
    ...failure,
    text: `${failure.text}\n\n${said.text}`,
    envelope: { ...failure.envelope, content: said.envelope.content },
  };
}
