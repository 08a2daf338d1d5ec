import { CallError } from '#core/errors/call-error.ts';
import type { CallResult, CallRequest, RunningCall } from '#core/calls/calls.ts';
import type { Timer } from '#core/time/clock.ts';
import type { Lease } from '#core/stores/jobs.ts';
import type { Tool } from '#core/tools/tool.ts';
import {
  jobInputJson,
  jobTitle,
  persistRunningJob,
  toJobInput,
  type JobInput,
} from './job-codec.ts';
import type { JobsOptions } from './job-options.ts';
import type { JobEvents } from './job-events.ts';
import { createJobProgress } from './job-progress.ts';
import { runningAnswer } from './job-answers.ts';
import type { RunningJobs } from './running-jobs.ts';

/** Delay between attempts to store a job; meanwhile its caller waits as before. */
const RETRY_MS = 10_000;
const STOPPING = new CallError('interrupted', 'The daemon stopped.');

/** Runs a call inline and detaches it as a job when its caller has waited long enough. */
export function startWithHandoff(
  request: CallRequest,
  tool: Tool,
  afterMs: number,
  {
    options,
    runningJobs,
    events,
  }: { options: JobsOptions; runningJobs: RunningJobs; events: JobEvents },
): RunningCall {
  const { store, clock, newId, log, timeoutMs } = options;
  const { principal } = request.caller;
  const createdAt = options.clock.now();
  const progress = createJobProgress(createdAt);
  const because = request.background?.because;
  const jobId = newId('job');
  /**
   * `handing`: the job is being stored. `ending`: it was cancelled, and its result is about to
   * come.
   */
  let phase: 'inline' | 'handing' | 'ending' | 'over' = 'inline';
  let caller: 'waits' | 'gave_up' = 'waits';
  let handing: Promise<void> = Promise.resolve();
  let hasRun = false;
  /** A write of the job failed, and may have an effect later. */
  let mayBeStored = false;
  /** The result, if it came while the job was being stored. */
  let quicker: CallResult | undefined;
  const call = options.calls.start({
    ...request,
    onProgress(step) {
      progress.add(step);
      request.onProgress?.(step);
      if (phase === 'over') events.notify({ id: jobId, principal, what: 'progress' });
    },
    async onCheckpoint(state, when) {
      progress.checkpoint(state);
      if (when === 'soon') return;
      await handing;
      await runningJobs.save(jobId);
    },
    onAdmitted(about) {
      hasRun = true;
      request.onAdmitted?.(about);
    },
  });
  let timer: Timer | undefined;
  let resolve: (answer: CallResult) => void = () => undefined;
  const answer = new Promise<CallResult>((done) => (resolve = done));
  const startedAt = clock.monotonic();
  let isExtended = request.timeoutMs !== undefined;

  /** First the call gets the timeout of a job, unless its client set one; then it becomes a job. */
  function arm(): void {
    const passedMs = clock.monotonic() - startedAt;
    const dueMs = isExtended ? afterMs : Math.min(options.inlineWaitMs, afterMs);
    if (dueMs === Infinity) return;
    timer = clock.after(Math.max(0, dueMs - passedMs), () => {
      if (dueMs >= afterMs) return void become();
      // A flag instead of the clock, as a timer may fire a moment early.
      isExtended = true;
      call.extend(timeoutMs);
      arm();
    });
  }

  function become(): Promise<void> {
    if (phase === 'inline') handing = toJob();
    return handing;
  }

  async function toJob(): Promise<void> {
    phase = 'handing';
    timer?.stop();
    call.extend(timeoutMs);
    const title = jobTitle(request.args);
    try {
      const keeping = options.keepContents?.(request.args, principal);
      const kept = keeping ? { ...request, args: await keeping } : request;
      const input = toJobInput(kept, call.reqId, tool.name);
      const onCrash = tool.resumable && input.args ? 'rerun' : 'fail';
      const asStored = { input: jobInputJson(input), createdAt };
      const job = { id: jobId, principal, tool: tool.name, title, ...asStored };
      const lease = await persistRunningJob(store, { ...job, ...progress.all() }, options.owner);
      if (phase !== 'handing') return leave(lease, input);
      phase = 'over';
      const from = { from: 'caller', hasRun: () => hasRun } as const;
      runningJobs.add({ lease, input, call, progress, pendingInput: undefined, onCrash, ...from });
      events.notify({ id: jobId, principal, what: 'status' });
      log.info('job_detached', {
        job_id: jobId,
        req_id: call.reqId,
        tool: tool.name,
        because,
      });
      const about = { id: jobId, tool: tool.name, reqId: call.reqId, createdAt, because };
      resolve(runningAnswer({ ...about, status: 'running', progress: progress.now() }));
    } catch (thrown) {
      log.warn('job_not_stored', { req_id: call.reqId, error: CallError.from(thrown) });
      mayBeStored = true;
      if (phase === 'over') discardLate();
      if (phase !== 'handing') return;
      phase = 'inline';
      if (runningJobs.isStopped()) return void call.answer.then(giveBack);
      timer = clock.after(RETRY_MS, () => void become());
    }
  }

  /**
   * The call settled or was cancelled while the job was being stored, so no client knows of the
   * job.
   */
  function leave(lease: Lease, input: JobInput): void {
    if (!quicker || quicker.inputRequired) return void runningJobs.discard(jobId, principal);
    // Stored with its result, so that it is neither rerun nor reported as cancelled.
    const from = { from: 'caller', hasRun: () => true } as const;
    runningJobs.add({
      lease,
      input,
      call,
      progress,
      pendingInput: undefined,
      onCrash: 'fail',
      ...from,
    });
  }

  /** The caller has its answer, so that a job that is stored late belongs to no call. */
  function discardLate(): void {
    if (mayBeStored) void runningJobs.discard(jobId, principal);
  }

  function settle(given: CallResult): void {
    // A caller that gave up looks for the result among the jobs only.
    if (caller === 'waits') giveBack(given);
  }

  function giveBack(given: CallResult): void {
    if (phase === 'over') return;
    timer?.stop();
    if (phase === 'handing') quicker = given;
    phase = 'over';
    discardLate();
    resolve(given);
  }

  /** At shutdown: stores an abandoned call that is not a job yet, or cancels it. */
  async function lastTry(): Promise<void> {
    await handing;
    timer?.stop();
    if (phase === 'inline') await become();
    if (phase === 'inline') call.cancel(STOPPING);
  }

  void call.answer.then(settle);
  arm();
  return {
    reqId: call.reqId,
    answer,
    cancel(error) {
      // A caller that gave up wants the call to finish, so it can no longer cancel it.
      if (phase === 'over' || caller === 'gave_up') return;
      phase = 'ending';
      timer?.stop();
      call.cancel(error);
    },
    extend: (ms) => call.extend(ms),
    detach() {
      if (caller === 'waits') void answer.then(runningJobs.onStop(lastTry));
      caller = 'gave_up';
      void become();
    },
  };
}
