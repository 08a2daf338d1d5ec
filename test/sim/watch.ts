import type { CallResult, Calls } from '#core/calls/calls.ts';
import type { AbortSignalLike } from '#core/net/abort.ts';
import type { NewId } from '#core/ids.ts';
import type { CallRecord, CallStore } from '#core/stores/calls.ts';
import { asksModels, type Tool, type ToolContext } from '#core/tools/tool.ts';
import type { Limiter } from '#resilience/limiter.ts';
import { needsConsent } from './badges.ts';
import type { Book } from './book.ts';
import { MAX_RECORD_MS } from './sim-store.ts';
import type { Disk } from './disk.ts';
import type { DaemonFreeze } from './daemon-freeze.ts';
import type { JobWatch } from './job-watch.ts';
import type { SimProcess } from './sim-process.ts';
import type { Workshop } from './sim-tools.ts';
import { receivedBy, isAskedAside, watched, type WatchedCall } from './watched-call.ts';
import type { Simulation } from './simulation.ts';
import type { SimLimits } from './plan.ts';

interface Run {
  readonly tool: Tool;
  readonly call: WatchedCall;
  /** When its signal aborted. */
  abortedAt: number;
}

/** Sees what goes in and out of `calls/`, and what the tools themselves see. */
export interface Watch {
  readonly workshop: Workshop;
  readonly calls: ReadonlyMap<string, WatchedCall>;
  newId(newId: NewId): NewId;
  wrap(calls: Calls): Calls;
  wrapStore(store: CallStore): CallStore;
  /**
   * A client's wish to cancel the call that it marked so has reached the daemon, by the same
   * connection or another.
   */
  cancelWished(mark: string, session: string): void;
  /** The one connection of this call is gone: it must not go on, nor begin. */
  markGone(mark: string): void;
  /** A client has given up the call that it marked so, and it is to go on. */
  gaveUp(mark: string): void;
  /** The work of this call is given more time, from now, as a model thinks long. */
  extended(reqId: string, ms: number): void;
  /** The jobs whose work goes on, once for each time. */
  jobRuns(): string[];
  /** A connection is gone: nothing may go on for it. */
  checkGone(session: string): void;
  /** Whether any work still runs, or holds a slot that it may hold. */
  readonly isBusy: boolean;
  /** What must be so after every event. */
  check(limiter: Limiter): void;
}

// How long work that does not heed its signal may keep its place.
const GRACE_MS = 1000;
/** How long after its deadline a client may wait, whatever the store does. */
const HUNG_GRACE_MS = 1000;
/** The most that a model may make of the time of a call. */
const LONGEST_MS = 15 * 60_000;

export interface WatchOptions {
  readonly simulation: Simulation;
  readonly life: SimProcess;
  readonly daemonFreeze: DaemonFreeze;
  readonly disk: Pick<Disk, 'wasUnwellAt'>;
  readonly limits: SimLimits;
  readonly book: Book;
  readonly jobs: JobWatch;
  /** Whether what somebody came in with opens nothing any more. */
  readonly isRevoked: (credential: string) => boolean;
  /** What a transport runs for what it serves. */
  readonly operation: (name: string) => Tool | undefined;
  /** Why nothing can be stored now. */
  readonly storeFailure: () => unknown;
  /** The audit row of a call is given to the store. */
  readonly recorded: (row: CallRecord) => void;
  /** A call was answered. */
  readonly answered: (reqId: string, answer: CallResult) => void;
}

export function createWatch(options: WatchOptions): Watch {
  const { simulation, life, daemonFreeze, disk, limits, book, jobs, isRevoked } = options;
  const calls = new Map<string, WatchedCall>();
  const waitingFor = new Map<string, number>();
  const runs = new Set<Run>();
  const unfinished = new Set<WatchedCall>();
  const marked = new Map<string, WatchedCall>();
  const gone = new Set<string>();
  const yeses = new Set<string>();
  let goneNow: string[] = [];
  let wishes: { readonly mark: string; readonly session: string }[] = [];
  let starting: WatchedCall | undefined;

  const wait = (work: string, by: number) =>
    void waitingFor.set(work, (waitingFor.get(work) ?? 0) + by);
  const isAborted = ({ abortedAt }: Run) => abortedAt < Number.POSITIVE_INFINITY;
  /** Whether it must end with its client, or at its wish. */
  const isBound = ({ state, isDecided, job, isGivenUp }: WatchedCall) =>
    state === 'open' && !isDecided && !job && !isGivenUp;
  const holdsPlace = ({ abortedAt }: Run) => abortedAt + GRACE_MS > simulation.now;

  function placesOf({ tool, session }: WatchedCall): string[] {
    return tool?.pool ? ['global', tool.pool, `session ${session}`] : [];
  }

  function usedPlaces(): Map<string, number> {
    const used = new Map<string, number>();
    for (const run of runs) {
      if (!holdsPlace(run)) continue;
      for (const place of placesOf(run.call)) used.set(place, (used.get(place) ?? 0) + 1);
    }
    return used;
  }

  function checkLimits(): void {
    for (const [place, count] of usedPlaces()) {
      const limit = limitOf(place, limits);
      if (count > limit)
        simulation.violate('limits', `${count} run in ${place}, which takes ${limit}`);
    }
  }

  function checkRuns(): void {
    for (const run of runs) {
      const { tool, call } = run;
      if (isAborted(run) || (waitingFor.get(call.work) ?? 0) > 0) continue;
      simulation.violate('abort', `${tool.name} of ${call.reqId} runs on and was not told to stop`);
    }
  }

  /** The queue holds those who wait and nobody else, and nobody waits for a place that is free. */
  function checkQueue(limiter: Limiter): void {
    const waiting = [...unfinished].filter(
      (call) => call.tool?.pool && !call.hasBegun && !call.isDecided && call.state === 'open',
    );
    // Those of a kind stand in one place.
    const places = new Set(waiting.map(({ work }) => work)).size;
    if (limiter.waiting !== places)
      simulation.violate('queue', `${limiter.waiting} are in the queue, ${places} wait`);
    const alone = waiting.filter((call) => !call.isShared);
    if (
      alone.length === 0 ||
      [...runs].some(({ abortedAt }) => abortedAt + GRACE_MS === simulation.now)
    )
      return;
    const used = usedPlaces();
    for (const call of alone)
      if (placesOf(call).every((place) => (used.get(place) ?? 0) < limitOf(place, limits)))
        simulation.violate('queue', `${call.reqId} waits though there is a place for it`);
  }

  function checkWishes(): void {
    for (const { mark, session } of wishes) {
      const call = marked.get(mark);
      if (call?.session === session && isBound(call))
        simulation.violate('deaf', `${mark} was to be cancelled, and ${call.reqId} was not`);
    }
    wishes = [];
    for (const mark of goneNow) {
      const call = marked.get(mark);
      if (call && isBound(call))
        simulation.violate('gone', `${call.reqId} goes on though ${mark} was cut off`);
    }
    goneNow = [];
  }

  /** Whether a tool may run now, with what it is given. */
  function checkRound(call: WatchedCall, tool: Tool, context: ToolContext): void {
    const { mark, principal, reqId, round = '' } = call;
    const why = book.forbidden(mark);
    if (why !== undefined) simulation.violate('state', `${reqId} runs, and ${why}`);
    if (needsConsent(principal, tool.name) && !book.hasYes(mark))
      simulation.violate(
        'consent',
        `${tool.name} runs for ${reqId}, and nobody was asked and said yes`,
      );
    if (needsConsent(principal, tool.name)) {
      if (yeses.has(round))
        simulation.violate('consent', `${reqId} runs with a yes that was used before`);
      yeses.add(round);
    }
    // What was answered before it became a job is not kept with it.
    const whole = call.transport === 'job' ? 'some' : 'all';
    const fault = isAskedAside(call) ? undefined : book.faultOf(mark, context.answers, whole);
    if (fault !== undefined)
      simulation.violate('rounds', `${tool.name} runs for ${mark}: ${fault}`);
  }

  function decide(row: CallRecord): void {
    const call = calls.get(row.reqId);
    if (call) call.isDecided = true;
    options.recorded(row);
  }

  function begin(call: WatchedCall, reqId: string): void {
    if (calls.has(reqId)) simulation.violate('one-call', `${reqId} is two calls`);
    call.reqId = reqId;
    if (!call.isShared) call.work = reqId;
    calls.set(reqId, call);
    unfinished.add(call);
  }

  const workshop: Workshop = {
    begin(tool, context) {
      const call = calls.get(context.reqId);
      if (!call) throw new Error(`${context.reqId} runs but was never started`);
      const run: Run = { tool, call, abortedAt: Number.POSITIVE_INFINITY };
      simulation.tell('work', () => `begins ${tool.name} for ${context.reqId}`);
      checkRound(call, tool, context);
      if (call.mustBeRefused)
        simulation.violate('store-down', `${context.reqId} runs, and its record cannot be stored`);
      if (call.state !== 'open' && !call.isShared)
        simulation.violate('cancelled-runs', `${context.reqId} runs though nobody waits for it`);
      call.hasBegun = true;
      const like = [...unfinished].filter(({ work }) => work === call.work);
      for (const other of like) other.hasBegun = true;
      jobs.began(call, like, tool, context);
      if ([...runs].some((other) => other.call.work === call.work && !isAborted(other)))
        simulation.violate('coalesce', `${context.reqId} runs beside one of its like`);
      runs.add(run);
      context.signal.addEventListener('abort', () => (run.abortedAt = simulation.now));
      checkLimits();
      return {
        mark: call.mark,
        end() {
          simulation.tell('work', () => `ends ${tool.name} for ${context.reqId}`);
          runs.delete(run);
        },
      };
    },
    sleep: (ms, signal) => pause(life, ms, signal),
  };

  return {
    workshop,
    calls,
    newId: (newId) => (kind) => {
      const id = newId(kind);
      if (kind === 'req' && starting) begin(starting, id);
      return id;
    },

    wrap: (inner) => ({
      ...inner,
      start(request) {
        const isOperation = request.kind === 'operation';
        const tool = isOperation ? options.operation(request.tool) : inner.find(request.tool);
        const call = watched(request, tool, simulation);
        const { credential } = request.caller;
        call.mustBeRefused = options.storeFailure() !== undefined && mustBeRecorded(tool);
        const isLate = credential !== undefined && isRevoked(credential);
        const frozenBeforeMs = daemonFreeze.frozenMs;
        marked.set(call.mark, call);
        if (gone.has(call.mark) && call.transport !== 'job')
          simulation.violate('gone', `${call.mark} begins though it was cut off`);
        // Whose like runs already does not wait.
        call.hasBegun = [...runs].some((run) => run.call.work === call.work && !isAborted(run));
        // A transport may have told of it already.
        if (request.reqId === undefined) starting = call;
        else begin(call, request.reqId);
        jobs.started(call, request);
        const running = inner.start(receivedBy(call, request));
        starting = undefined;
        if (call.state === 'open') wait(call.work, 1);
        const leave = (state: WatchedCall['state']) => {
          if (call.state === 'open') wait(call.work, -1);
          call.state = state;
        };
        void running.answer.then((answer) => {
          const { error } = answer;
          options.answered(call.reqId, answer);
          if (error?.class === 'cancelled' && call.state === 'open')
            simulation.violate('cancelled', `${call.reqId} was cancelled by nobody`);
          leave('answered');
          unfinished.delete(call);
          if (isLate && !error)
            simulation.violate(
              'revoked',
              `${call.reqId} succeeded after ${credential} was taken away`,
            );
          const tookMs = simulation.now - call.startedAt - (daemonFreeze.frozenMs - frozenBeforeMs);
          // A store that hangs is waited for a little longer.
          const graceMs = disk.wasUnwellAt >= call.startedAt ? HUNG_GRACE_MS : MAX_RECORD_MS;
          if (tookMs > call.timeoutMs + graceMs)
            simulation.violate('deadline', `${call.reqId} took ${tookMs} ms of ${call.timeoutMs}`);
        });
        return {
          ...running,
          extend(ms) {
            call.timeoutMs = Math.max(call.timeoutMs, ms);
            running.extend(ms);
          },
          cancel(error) {
            running.cancel(error);
            if (call.state === 'open') leave('cancelled');
          },
        };
      },
    }),

    get isBusy() {
      // At the very end of its grace a place may be free or not, as the moment's events fall.
      return [...runs].some(({ abortedAt }) => abortedAt + GRACE_MS >= simulation.now);
    },

    wrapStore: (store) => ({
      ...store,
      record(row, ...more) {
        decide(row);
        return store.record(row, ...more);
      },
      recordLazily(row) {
        decide(row);
        return store.recordLazily(row);
      },
    }),

    cancelWished: (mark, session) => void wishes.push({ mark, session }),

    gaveUp(mark) {
      const call = marked.get(mark);
      if (call) call.isGivenUp = true;
    },

    extended(reqId, ms) {
      if (ms > LONGEST_MS) simulation.violate('deadline', `${reqId} is given ${ms} ms`);
      const work = calls.get(reqId)?.work;
      for (const call of unfinished)
        if (call.work === work && !call.isTimed)
          call.timeoutMs = Math.max(call.timeoutMs, simulation.now - call.startedAt + ms);
    },

    jobRuns: () =>
      [...runs].flatMap((run) => (run.call.job && !isAborted(run) ? [run.call.job.id] : [])),

    markGone(mark) {
      gone.add(mark);
      goneNow.push(mark);
    },

    checkGone(session) {
      for (const call of unfinished)
        if (call.session === session && isBound(call))
          simulation.violate('gone', `${call.reqId} goes on though its client is gone`);
    },

    check(limiter) {
      // Nothing can be put right by one who is held.
      if (daemonFreeze.isFrozen) return;
      checkRuns();
      checkQueue(limiter);
      checkWishes();
      jobs.check(unfinished);
    },
  };
}

/** Whatever changes something or may cost money. */
function mustBeRecorded(tool: Tool | undefined): boolean {
  return tool !== undefined && (!tool.annotations.readOnlyHint || asksModels(tool));
}

function limitOf(place: string, limits: SimLimits): number {
  if (place === 'kimi' || place === 'glm') return limits[place];
  return place.startsWith('session ') ? limits.session : limits.global;
}

function pause(life: SimProcess, ms: number, signal?: AbortSignalLike): Promise<void> {
  return new Promise((resolve) => {
    const timer = life.after(ms, resolve);
    signal?.addEventListener('abort', () => {
      timer.stop();
      resolve();
    });
  });
}
