import { CallError } from '#core/errors/call-error.ts';
import type { CallResult, RunningCall } from '#core/calls/calls.ts';
import { every, sleep, type Timer } from '#core/time/clock.ts';
import { LightAbortController } from '#core/net/abort.ts';
import type { Lease } from '#core/stores/jobs.ts';
import { pendingInputJson, nextRound, type PendingInput } from './pending-input.ts';
import { interruptedAnswer } from './job-answers.ts';
import { toJobOutcome, type JobInput } from './job-codec.ts';
import type { JobEvents } from './job-events.ts';
import { HEARTBEAT_MS, LEASE_MS, type JobsOptions } from './job-options.ts';
import type { JobProgressTracker } from './job-progress.ts';

/** A job that runs in this daemon. */
export interface RunningJob {
  /** Replaced when it expired while the job was running and was claimed again. */
  lease: Lease;
  readonly input: JobInput;
  readonly call: Pick<RunningCall, 'reqId' | 'answer' | 'cancel'>;
  readonly progress: JobProgressTracker;
  /** Input requests and responses from before this run. */
  readonly pendingInput: PendingInput | undefined;
  /** Whether the job is rerun after a crash, or fails. */
  readonly onCrash: 'rerun' | 'fail';
  /** Its origin: a caller that stopped waiting, or the queue. */
  readonly from: 'caller' | 'queue';
  /** A job that has not started its work can always be rerun. */
  readonly hasRun: () => boolean;
  /** The result, while it waits to be stored. */
  result?: CallResult;
}

export interface RunningJobs {
  get(id: string): RunningJob | undefined;
  /** Number of running jobs from the queue. */
  count(): number;
  byPrincipal(): ReadonlyMap<string, number>;
  /** Renews its lease from now on, and stores its result. */
  add(job: RunningJob): void;
  /**
   * Replaces the lease of a job that runs here and was claimed again, as after the machine slept.
   */
  renew(lease: Lease): 'renewed' | 'not_here';
  /** Removes a job that was cancelled or taken over; nothing more of it is stored. */
  drop(id: string, because: CallError): void;
  /** Cancels a stored job that no client knows of, with retries. Never rejects. */
  discard(id: string, principal: string): Promise<void>;
  /** Stores its progress and its checkpoint now; rejects if that fails. */
  save(id: string): Promise<void>;
  /** Waits this long for jobs that cannot be rerun. */
  drain(withinMs: number): Promise<void>;
  /** Registers work that `stop` waits for; returns a function that unregisters it. */
  onStop(end: () => Promise<void>): () => void;
  /** Releases jobs that can be rerun, and ends the others. */
  stop(): Promise<void>;
  isStopped(): boolean;
}

const LOST = new CallError('interrupted', 'Another daemon has taken this job over.');
const UNWANTED = new CallError('cancelled', 'The call was cancelled.');
const STOPPING = new CallError('interrupted', 'The daemon stopped.');
const TAKEN_AWAY = new CallError('auth', 'The token that started this job was revoked.');
const RETRY_MS = 1000;
const MAX_RETRY_MS = 30_000;

export interface RunningJobsQueue {
  /** There is room for another job, or will be after `afterMs`. */
  pump(afterMs: number): void;
  /** Resolves when the claims under way have finished. */
  claimed(): Promise<void>;
  /** If it is being claimed right now, it is not started. */
  cancelled(id: string): void;
}

export function createRunningJobs(
  options: JobsOptions,
  events: JobEvents,
  queue: RunningJobsQueue,
): RunningJobs {
  const { store, clock, log } = options;
  const byId = new Map<string, RunningJob>();
  const ends = new Map<RunningJob, Promise<void>>();
  const saving = new WeakMap<RunningJob, Promise<void>>();
  const stopped = new LightAbortController();
  const atStop = new Set<() => Promise<void>>();
  /** Writes that `stop` waits for last. */
  const last = new Set<Promise<void>>();
  let beat: Timer | undefined;

  const isHere = (job: RunningJob) => byId.get(job.lease.jobId) === job;
  const notify = ({ lease, input }: RunningJob) =>
    events.notify({ id: lease.jobId, principal: input.caller.principal, what: 'status' });

  function remove(job: RunningJob): void {
    byId.delete(job.lease.jobId);
    ends.delete(job);
    if (byId.size > 0) return;
    beat?.stop();
    beat = undefined;
  }

  async function renewLeases(): Promise<void> {
    await Promise.all([...byId.values()].map(renewLease));
  }

  async function renewLease(job: RunningJob): Promise<void> {
    const { jobId } = job.lease;
    try {
      if (!options.isCredentialValid(job.input.caller)) await checkCaller(job);
      await saveInTurn(job);
    } catch (thrown) {
      log.warn('job_heartbeat_failed', { job_id: jobId, error: CallError.from(thrown) });
    }
  }

  /** One write of a job after the other, or an older checkpoint could replace a newer one. */
  function saveInTurn(job: RunningJob): Promise<void> {
    const before = saving.get(job) ?? Promise.resolve();
    const saved = before.then(() => saveProgress(job));
    const settled = saved.catch(() => undefined);
    saving.set(job, settled);
    return saved;
  }

  async function saveProgress(job: RunningJob): Promise<void> {
    if (!isHere(job)) return;
    const { lease, progress } = job;
    const kept = await store
      .heartbeat(lease, LEASE_MS, progress.take())
      .catch((thrown: unknown) => {
        progress.putBack();
        throw thrown;
      });
    if (kept === 'kept') return;
    // This daemon itself may have claimed it again a moment ago, after the machine slept.
    await queue.claimed();
    if (!isHere(job)) return;
    if (job.lease === lease) lose(job);
    else progress.putBack();
  }

  /** Cancels a job whose caller's token was revoked. */
  async function checkCaller({ input: { caller }, call }: RunningJob): Promise<void> {
    if (!(await options.resolveCaller(caller))) call.cancel(TAKEN_AWAY);
  }

  function lose(job: RunningJob): void {
    remove(job);
    job.call.cancel(LOST);
    notify(job);
    queue.pump(0);
  }

  function drop(id: string, because: CallError): void {
    const job = byId.get(id);
    if (!job) return;
    remove(job);
    job.call.cancel(because);
    notify(job);
    queue.pump(0);
  }

  /** Stores the result, with retries: a full disk or an unreachable database loses no result. */
  async function end(job: RunningJob, answer: CallResult): Promise<void> {
    job.result = answer;
    for (let waitMs = RETRY_MS; isHere(job) && !stopped.aborted;) {
      const { lease } = job;
      try {
        const kept = await saveEnd(job, answer);
        if (kept === 'lost') await queue.claimed();
        if (!isHere(job)) return;
        // It was claimed again at that moment.
        if (kept === 'lost' && job.lease !== lease) continue;
        remove(job);
        notify(job);
        return queue.pump(refusalRetryMs(job, answer) ?? 0);
      } catch (thrown) {
        log.error('job_end_not_stored', { job_id: lease.jobId, error: CallError.from(thrown) });
      }
      await sleep(clock, waitMs, stopped);
      waitMs = Math.min(2 * waitMs, MAX_RETRY_MS);
    }
  }

  function saveEnd(job: RunningJob, answer: CallResult): Promise<'kept' | 'lost'> {
    const { lease, pendingInput, progress } = job;
    if (answer.inputRequired) {
      const { credential } = job.input.caller;
      const next = nextRound(answer.inputRequired, pendingInput, clock.now(), credential);
      return store.ask(lease, pendingInputJson(next), progress.all());
    }
    // It was refused before it started, so it goes back to the queue.
    if (refusalRetryMs(job, answer) !== undefined) return store.release(lease, progress.all());
    log.info('job_ended', {
      job_id: lease.jobId,
      req_id: job.call.reqId,
      tool: job.input.tool,
      outcome: answer.error?.class ?? 'ok',
    });
    return store.finish(lease, toJobOutcome(answer));
  }

  async function handBack(job: RunningJob): Promise<void> {
    const { lease, input, progress, call, result } = job;
    // First, so that it never runs in two daemons at once.
    call.cancel(STOPPING);
    try {
      if (result) await saveEnd(job, result);
      else if (mayRunAgain(job)) await store.release(lease, progress.all());
      else await store.finish(lease, toJobOutcome(interruptedAnswer(input, progress.now())));
    } catch (thrown) {
      // The next daemon finds it orphaned, and does the same.
      log.warn('job_lease_not_released', { job_id: lease.jobId, error: CallError.from(thrown) });
    }
  }

  async function cancelWithRetry(id: string, principal: string): Promise<void> {
    for (let waitMs = RETRY_MS; ; waitMs = Math.min(2 * waitMs, MAX_RETRY_MS)) {
      try {
        await store.cancel(id, principal);
        queue.cancelled(id);
        return drop(id, UNWANTED);
      } catch (thrown) {
        const error = CallError.from(thrown);
        if (error.class === 'not_found') return;
        log.warn('job_not_stored', { job_id: id, error });
      }
      if (stopped.aborted) return;
      await sleep(clock, waitMs, stopped);
    }
  }

  return {
    get: (id) => byId.get(id),
    count: () => [...byId.values()].filter(({ from }) => from === 'queue').length,
    byPrincipal() {
      const counts = new Map<string, number>();
      for (const { from, input } of byId.values()) {
        const { principal } = input.caller;
        if (from === 'queue') counts.set(principal, (counts.get(principal) ?? 0) + 1);
      }
      return counts;
    },
    add(job) {
      if (stopped.aborted) return void last.add(handBack(job));
      byId.set(job.lease.jobId, job);
      beat ??= every(clock, HEARTBEAT_MS, renewLeases);
      ends.set(
        job,
        job.call.answer.then((answer) => end(job, answer)),
      );
    },
    renew(lease) {
      const job = byId.get(lease.jobId);
      if (!job) return 'not_here';
      job.lease = lease;
      return 'renewed';
    },
    drop,
    discard(id, principal) {
      const gone = cancelWithRetry(id, principal);
      last.add(gone);
      return gone.finally(() => last.delete(gone));
    },
    onStop(end) {
      atStop.add(end);
      return () => atStop.delete(end);
    },
    async save(id) {
      const job = byId.get(id);
      if (job) await saveInTurn(job);
    },
    async drain(withinMs) {
      const left = [...ends].filter(([job]) => !mayRunAgain(job)).map(([, over]) => over);
      const late = new LightAbortController();
      const over = Promise.all(left).then(() => late.abort(undefined));
      await Promise.race([over, sleep(clock, withinMs, late)]);
    },
    async stop() {
      stopped.abort(STOPPING);
      const left = [...byId.values()];
      for (const job of left) remove(job);
      await Promise.all([...left.map(handBack), ...[...atStop].map((end) => end())]);
      await Promise.all(last);
    },
    isStopped: () => stopped.aborted,
  };
}

/** Whether the job can be rerun: it is resumable, or has not started its work. */
function mayRunAgain({ onCrash, input, hasRun }: RunningJob): boolean {
  return onCrash === 'rerun' || (input.args !== undefined && !hasRun());
}

/**
 * The retry delay of a job that was refused before it started, for capacity or because its call could not be recorded; else
 * undefined.
 */
function refusalRetryMs({ input, hasRun }: RunningJob, { error }: CallResult): number | undefined {
  if (!error || input.args === undefined || hasRun()) return undefined;
  const isForLater = error.class === 'over_capacity' || error.reason?.code === 'not_storable';
  return isForLater ? (error.retryAfterMs ?? RETRY_MS) : undefined;
}
