import { CallError } from '#core/call-error.ts';
import type { CallAnswer, CallRequest, RunningCall } from '#core/calls.ts';
import type { Timer } from '#core/clock.ts';
import type { Lease } from '#core/stores/jobs.ts';
import type { Tool } from '#core/tool.ts';
import { adopt } from './adopt.ts';
import { inputJson, toInput, type JobInput } from './job-input.ts';
import { jobTitle } from './job-title.ts';
import type { JobsOptions } from './options.ts';
import type { News } from './news.ts';
import { createProgressSoFar } from './progress-so-far.ts';
import { runningAnswer } from './running-answer.ts';
import type { Works } from './works.ts';

/** Between two tries to store a job: until then its caller waits as before. */
const RETRY_MS = 10_000;
const STOPPING = new CallError('interrupted', 'The daemon stopped.');

/** Runs a call that becomes a job when its caller has waited for long enough. */
export function startPatiently(
  request: CallRequest,
  tool: Tool,
  afterMs: number,
  { options, works, news }: { options: JobsOptions; works: Works; news: News },
): RunningCall {
  const { store, clock, newId, log, timeoutMs } = options;
  const { principal } = request.caller;
  const progress = createProgressSoFar(options.clock.now());
  const because = request.handOff?.because;
  const jobId = newId('job');
  /** `handing`: the job is being stored. `ending`: it was cancelled, and its answer says so in a moment. */
  let phase: 'inline' | 'handing' | 'ending' | 'over' = 'inline';
  let caller: 'waits' | 'gave_up' = 'waits';
  let handing: Promise<void> = Promise.resolve();
  let hasRun = false;
  /** It came while the job was being stored. */
  let quicker: CallAnswer | undefined;
  const call = options.calls.start({
    ...request,
    onProgress(step) {
      progress.add(step);
      request.onProgress?.(step);
      if (phase === 'over') news.tell({ id: jobId, principal, what: 'progress' });
    },
    onCheckpoint: (state) => progress.checkpoint(state),
    onAdmitted(about) {
      hasRun = true;
      request.onAdmitted?.(about);
    },
  });
  let timer: Timer | undefined;
  let resolve: (answer: CallAnswer) => void = () => undefined;
  const answer = new Promise<CallAnswer>((done) => (resolve = done));
  const startedAt = clock.monotonic();
  let isExtended = request.timeoutMs !== undefined;

  /** First the call gets the time of a job, where its client set none itself; then it becomes one. */
  function arm(): void {
    const passedMs = clock.monotonic() - startedAt;
    const dueMs = isExtended ? afterMs : Math.min(options.inlineWaitMs, afterMs);
    if (dueMs === Infinity) return;
    timer = clock.after(Math.max(0, dueMs - passedMs), () => {
      if (dueMs >= afterMs) return void become();
      // Not by what the clock says now: a timer may come a moment early.
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
    const createdAt = clock.now();
    const input = toInput(request, call.reqId, tool.name);
    const again = tool.resumable && input.args ? 'may_run' : 'must_not_run';
    const title = jobTitle(request.args);
    const job = { id: jobId, principal, tool: tool.name, title, input: inputJson(input) };
    try {
      const lease = await adopt(store, { ...job, ...progress.all() }, options.owner);
      if (phase !== 'handing') return leave(lease, input);
      phase = 'over';
      const from = { from: 'caller', hasRun: () => hasRun } as const;
      works.add({ lease, input, call, progress, asks: undefined, again, ...from });
      news.tell({ id: jobId, principal, what: 'status' });
      log.info('job_handed_off', {
        job_id: jobId,
        req_id: call.reqId,
        tool: tool.name,
        because,
      });
      const about = { id: jobId, tool: tool.name, reqId: call.reqId, createdAt, because };
      resolve(runningAnswer({ ...about, status: 'running', progress: progress.now() }));
    } catch (thrown) {
      log.warn('job_not_stored', { req_id: call.reqId, error: CallError.from(thrown) });
      if (phase !== 'handing') return;
      phase = 'inline';
      if (works.isStopped()) return void call.answer.then(giveBack);
      timer = clock.after(RETRY_MS, () => void become());
    }
  }

  /** The answer was quicker, or nobody wants it any more; and nobody knows of the job. */
  function leave(lease: Lease, input: JobInput): void {
    if (!quicker || quicker.asks) return void works.discard(jobId, principal);
    // As it ended, so that it is neither run again nor taken for cancelled.
    const from = { from: 'caller', hasRun: () => true } as const;
    works.add({ lease, input, call, progress, asks: undefined, again: 'must_not_run', ...from });
  }

  function settle(given: CallAnswer): void {
    // Whoever gave up looks for the answer among the jobs, and nowhere else.
    if (caller === 'waits') giveBack(given);
  }

  function giveBack(given: CallAnswer): void {
    if (phase === 'over') return;
    timer?.stop();
    if (phase === 'handing') quicker = given;
    phase = 'over';
    resolve(given);
  }

  /** Nobody else looks after what was given up and is no job yet. */
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
      // Whoever gave up wanted it done, and has no say in it any more.
      if (phase === 'over' || caller === 'gave_up') return;
      phase = 'ending';
      timer?.stop();
      call.cancel(error);
    },
    extend: (ms) => call.extend(ms),
    handOff() {
      if (caller === 'waits') void answer.then(works.onStop(lastTry));
      caller = 'gave_up';
      void become();
    },
  };
}
