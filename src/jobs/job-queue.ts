import { CallError } from '#core/errors/call-error.ts';
import type { Caller } from '#core/calls/call.ts';
import type { CallResult, CallRequest, RunningCall } from '#core/calls/calls.ts';
import type { Timer } from '#core/time/clock.ts';
import { failureResult } from '#core/calls/envelope.ts';
import { storeRefusal } from '#core/calls/store-refusal.ts';
import { isId } from '#core/ids.ts';
import type { JobProgress } from '#core/calls/jobs.ts';
import { fix } from '#core/messages/fixes.ts';
import type { JobRecord } from '#core/stores/jobs.ts';
import type { Tool } from '#core/tools/tool.ts';
import { isAnswered, parsePendingInput } from './pending-input.ts';
import { givenUpAnswer, interruptedAnswer, runningAnswer, withTextSoFar } from './job-answers.ts';
import { jobInputJson, jobTitle, parseJobInput, toJobInput, type JobInput } from './job-codec.ts';
import type { JobEvents } from './job-events.ts';
import { LEASE_MS, type JobsOptions } from './job-options.ts';
import { createJobProgress, parseJobProgress, type JobProgressTracker } from './job-progress.ts';
import type { RunningJob, RunningJobs } from './running-jobs.ts';

/** The durable queue of jobs that wait to run. */
export interface JobQueue {
  /** Queues a call durably; its result says that it is queued. */
  add(request: CallRequest, tool: Tool): RunningCall;
  /**
   * Claims and runs waiting jobs, as far as there is room. With `afterMs`, not before that time.
   */
  pump(afterMs?: number): void;
  /** Resolves when the claims under way have finished. */
  claimed(): Promise<void>;
  /**
   * A job that does not run here was cancelled: if it is being claimed right now, it is not
   * started.
   */
  cancelled(id: string): void;
  /** Resolves when no more jobs are started. */
  stop(): Promise<void>;
}

/** A job that crashes its daemon every time is not rerun without end. */
const MAX_RUNS = 4;
const RETRY_MS = 2000;
const AFTER_LEASE_MS = 100;
const CUT_OFF = new CallError('interrupted', 'It was cut off.');
const GIVEN_UP = new CallError('interrupted', 'It was cut off too often.');
const CANCELLED = new CallError('cancelled', 'The call was cancelled.');

export function createJobQueue(
  options: JobsOptions,
  runningJobs: RunningJobs,
  events: JobEvents,
): JobQueue {
  const { store, calls, clock, newId, log } = options;
  let state: 'idle' | 'pumping' | 'pumping_again' | 'stopped' = 'idle';
  let pumping: Promise<void> = Promise.resolve();
  /** Cancelled while jobs were being claimed. */
  const dropped = new Set<string>();
  let nextPump: { readonly at: number; readonly timer: Timer } | undefined;
  let fullUntil = 0;
  /** Until a claim that failed may still hold a job: its write may have been stored late. */
  let unknownUntil = 0;

  function pump(afterMs = 0): void {
    const now = clock.monotonic();
    fullUntil = Math.max(fullUntil, now + afterMs);
    if (fullUntil > now) return pumpAt(fullUntil);
    if (state === 'pumping') state = 'pumping_again';
    if (state !== 'idle') return;
    state = 'pumping';
    pumping = claimAll().then(
      () => rest(options.among === 'others' ? LEASE_MS : unknownMs()),
      (thrown: unknown) => {
        log.warn('jobs_not_claimed', { error: CallError.from(thrown) });
        unknownUntil = clock.monotonic() + LEASE_MS;
        rest(RETRY_MS);
      },
    );
  }

  function unknownMs(): number | undefined {
    const leftMs = unknownUntil - clock.monotonic();
    // A little later, because the lease must have expired.
    return unknownUntil > 0 && leftMs > -AFTER_LEASE_MS ? leftMs + AFTER_LEASE_MS : undefined;
  }

  /** Schedules the next pump at the earliest requested time. */
  function pumpAt(at: number): void {
    if (state === 'stopped' || (nextPump && nextPump.at <= at)) return;
    nextPump?.timer.stop();
    const timer = clock.after(at - clock.monotonic(), () => {
      nextPump = undefined;
      pump();
    });
    nextPump = { at, timer };
  }

  function rest(againAfterMs: number | undefined): void {
    if (state === 'stopped') return;
    const isRequested = state === 'pumping_again';
    state = 'idle';
    dropped.clear();
    if (isRequested) pump();
    else if (againAfterMs !== undefined) pumpAt(clock.monotonic() + againAfterMs);
  }

  async function claimAll(): Promise<void> {
    const hasRoom = () => runningJobs.count() < options.running && clock.monotonic() >= fullUntil;
    while (state !== 'stopped' && hasRoom()) {
      const record = await claim();
      if (!record) return;
      await begin(record);
    }
  }

  /** Claims a job; principals that already use half of the slots come last. */
  async function claim(): Promise<JobRecord | undefined> {
    const half = Math.ceil(options.running / 2);
    const many = [...runningJobs.byPrincipal()].filter(([, count]) => count >= half);
    const passOver = many.map(([principal]) => principal);
    const others =
      passOver.length > 0 ? await store.claim(options.owner, LEASE_MS, passOver) : undefined;
    return others ?? store.claim(options.owner, LEASE_MS);
  }

  async function begin(record: JobRecord): Promise<void> {
    const { id: jobId, fence, principal, tool } = record;
    const lease = { jobId, fence };
    if (runningJobs.renew(lease) === 'renewed') {
      // The machine slept, which interrupted nothing.
      return;
    }
    const caller = await callerOf(record);
    if (dropped.has(jobId)) return;
    const refusal = whyNot(record, caller);
    if (!refusal && state === 'stopped') return void (await store.release(lease));
    const progress = createJobProgress(clock.now(), parseJobProgress(record.progress));
    runningJobs.add(
      caller && !refusal
        ? run(record, caller, progress)
        : refused(record, refusal ?? CUT_OFF, progress),
    );
    log.info('job_started', { job_id: jobId, tool, run: record.runs });
    events.notify({ id: jobId, principal, what: 'status' });
  }

  /** The caller with its current scopes, as the stored ones may be old. */
  async function callerOf({ input }: JobRecord): Promise<Caller | undefined> {
    const known = parseJobInput(input)?.caller;
    if (known?.credential === undefined) return known;
    const today = await options.resolveCaller(known);
    // The state is sealed for the original credential, which may still be valid for the owner.
    const isOwner = today && today.credential === undefined;
    return isOwner && options.isCredentialValid(known) ? known : today;
  }

  /** Why a claimed job is not run; undefined when it is. */
  function whyNot(record: JobRecord, caller: Caller | undefined): CallError | undefined {
    const { id, runs } = record;
    const input = parseJobInput(record.input);
    if (!input) return new CallError('internal', `What was stored of job ${id} cannot be read.`);
    const tool = calls.find(input.tool);
    if (!tool) return new CallError('not_found', `There is no tool ${input.tool} any more.`);
    const isCutOff = runs > 1;
    if (!input.args || (isCutOff && !tool.resumable)) return CUT_OFF;
    if (runs > MAX_RUNS) return GIVEN_UP;
    if (!caller) return new CallError('auth', 'The token that started this job was revoked.');
    if (leftMs(record) > 0) return undefined;
    return new CallError('timeout', 'The time that a job may take has passed.');
  }

  /** Remaining time of a job. Time in the queue and time waiting for people does not count. */
  function leftMs({ asks, progress }: JobRecord): number {
    const { waitedMs = 0 } = parsePendingInput(asks) ?? {};
    const { begunAt = clock.now() } = parseJobProgress(progress);
    return options.timeoutMs - (clock.now() - begunAt - waitedMs);
  }

  function run(record: JobRecord, caller: Caller, progress: JobProgressTracker): RunningJob {
    const { id: jobId, fence, principal, checkpoint } = record;
    const asks = parsePendingInput(record.asks);
    const stored = inputOf(record);
    const input = { ...stored, caller };
    const { tool, via, args, askable, traceparent, reqId } = input;
    const isRound = asks !== undefined && isAnswered(asks);
    const closedFor = isRound ? asks.closedFor : stored.caller.credential;
    // With another token than then, the input is requested again.
    const given = caller.credential === closedFor ? (isRound ? asks : input) : {};
    const { answers, state: sealed }: Pick<JobInput, 'answers' | 'state'> = given;
    const timeoutMs = leftMs(record);
    let hasRun = false;
    const call = calls.start({
      tool,
      ...(via !== undefined && { via }),
      args,
      caller,
      clientCapabilities: askable,
      transport: 'job',
      session: `jobs:${principal}`,
      timeoutMs,
      // A rerun gets its own request id, so that its records do not mix with those of the first
      // run.
      ...(fence === 1 && isId(reqId, 'req') && { reqId }),
      ...(traceparent !== undefined && { traceparent }),
      ...(answers && { answers }),
      ...(sealed !== undefined && { state: sealed }),
      ...(checkpoint !== null && { resumedFrom: checkpoint }),
      onProgress(step) {
        progress.add(step);
        events.notify({ id: jobId, principal, what: 'progress' });
      },
      async onCheckpoint(saved, when) {
        progress.checkpoint(saved);
        if (when === 'now') await runningJobs.save(jobId);
      },
      onAdmitted: () => void (hasRun = true),
    });
    call.extend(timeoutMs);
    const onCrash = calls.find(tool)?.resumable ? 'rerun' : 'fail';
    const lease = { jobId, fence };
    return {
      lease,
      input,
      call,
      progress,
      pendingInput: asks,
      onCrash,
      from: 'queue',
      hasRun: () => hasRun,
    };
  }

  return {
    pump,
    add(request, tool) {
      const reqId = request.reqId ?? newId('req');
      const id = newId('job');
      const { principal } = request.caller;
      const title = jobTitle(request.args);
      const createdAt = clock.now();
      let cancelled: CallError | undefined;
      async function enqueue(): Promise<CallResult> {
        const failure = options.storeFailure?.();
        if (failure) throw storeRefusal(tool.name, 'queued', failure);
        if ((await store.countOpen(principal)) >= options.waiting) throw tooMany(options.waiting);
        const keeping = options.keepContents?.(request.args, principal);
        const kept = keeping ? { ...request, args: await keeping } : request;
        const input = jobInputJson(toJobInput(kept, reqId, tool.name));
        try {
          await store.enqueue({ id, principal, tool: tool.name, title, input });
        } catch (thrown) {
          // It may be stored late, and its client hears that it is not.
          void runningJobs.discard(id, principal);
          throw thrown;
        }
        if (cancelled) {
          void runningJobs.discard(id, principal);
          throw cancelled;
        }
        events.notify({ id, principal, what: 'status' });
        pump();
        const about = {
          id,
          tool: tool.name,
          reqId,
          createdAt,
          because: request.background?.because,
        };
        return runningAnswer({ ...about, status: 'queued', progress: {} });
      }
      const answer = enqueue().catch((thrown: unknown) =>
        failureResult(CallError.from(thrown), tool.name, reqId),
      );
      const nothing = () => undefined;
      const cancel = (error = CANCELLED) => void (cancelled ??= error);
      return { reqId, answer, cancel, extend: nothing, detach: nothing };
    },
    claimed: () => pumping,
    cancelled(id) {
      if (state === 'pumping' || state === 'pumping_again') dropped.add(id);
    },
    stop() {
      state = 'stopped';
      nextPump?.timer.stop();
      return pumping;
    },
  };
}

function tooMany(limit: number): CallError {
  return new CallError('over_capacity', `There are ${limit} jobs of yours that are not over.`, {
    retryAfterMs: 60_000,
    fixes: [fix('wait'), fix('cancel_jobs')],
  });
}

/** A job that ends without being run. */
function refused(record: JobRecord, error: CallError, progress: JobProgressTracker): RunningJob {
  const input = inputOf(record);
  return {
    lease: { jobId: record.id, fence: record.fence },
    input,
    call: {
      reqId: 'req_',
      answer: Promise.resolve(refusedAnswer(input, error, progress.now())),
      cancel: () => undefined,
    },
    progress,
    pendingInput: undefined,
    onCrash: 'fail',
    from: 'queue',
    // An earlier run may have done something.
    hasRun: () => true,
  };
}

function refusedAnswer(input: JobInput, error: CallError, progress: JobProgress): CallResult {
  if (error === GIVEN_UP) return givenUpAnswer(input, progress, MAX_RUNS);
  if (error.class === 'interrupted') return interruptedAnswer(input, progress);
  return withTextSoFar(failureResult(error, input.tool, input.reqId), progress);
}

/** The stored input, or what the row itself has if the input is invalid. */
function inputOf({ input, principal, tool }: JobRecord): JobInput {
  const caller = { principal, scopes: [], roots: [] };
  return parseJobInput(input) ?? { reqId: '', tool, caller, askable: [] };
}
