import { CallError } from '#core/call-error.ts';
import type { Caller } from '#core/call.ts';
import type { CallAnswer, CallRequest, RunningCall } from '#core/calls.ts';
import type { Timer } from '#core/clock.ts';
import { failureAnswer } from '#core/failure-answer.ts';
import { isId } from '#core/ids.ts';
import type { JobProgress } from '#core/jobs.ts';
import { command, fix } from '#core/messages/fixes.ts';
import type { JobRecord } from '#core/stores/jobs.ts';
import type { Tool } from '#core/tool.ts';
import { isAnswered, readAsks } from './asks.ts';
import { interruptedAnswer, withTextSoFar } from './interrupted-answer.ts';
import { inputJson, readInput, toInput, type JobInput } from './job-input.ts';
import { jobTitle } from './job-title.ts';
import type { News } from './news.ts';
import { LEASE_MS, type JobsOptions } from './options.ts';
import { createProgressSoFar, readProgress, type ProgressSoFar } from './progress-so-far.ts';
import { runningAnswer } from './running-answer.ts';
import type { Work, Works } from './works.ts';

/** Jobs that wait for somebody to run them. */
export interface Queue {
  /** Its answer is that it waits; it does so durably by then. */
  add(request: CallRequest, tool: Tool): RunningCall;
  /** Runs what waits, as far as there is room; nothing more before `afterMs`, where there is none. */
  pump(afterMs?: number): void;
  /** Resolves when what is being claimed at this moment is here. */
  claimed(): Promise<void>;
  /** A job was cancelled that nobody here works on yet: if it is being claimed at this moment, it is not begun. */
  cancelled(id: string): void;
  /** Resolves when nothing more is begun. */
  stop(): Promise<void>;
}

/** What takes its daemon down every time is not tried for ever. */
const MAX_RUNS = 4;
const RETRY_MS = 2000;
const CUT_OFF = new CallError('interrupted', 'It was cut off.');
const CANCELLED = new CallError('cancelled', 'The call was cancelled.');

export function createQueue(options: JobsOptions, works: Works, news: News): Queue {
  const { store, calls, clock, newId, log } = options;
  let state: 'idle' | 'pumping' | 'pumping_again' | 'stopped' = 'idle';
  let pumping: Promise<void> = Promise.resolve();
  /** Cancelled while jobs were being claimed. */
  const dropped = new Set<string>();
  let later: { readonly at: number; readonly timer: Timer } | undefined;
  let fullUntil = 0;

  function pump(afterMs = 0): void {
    const now = clock.monotonic();
    fullUntil = Math.max(fullUntil, now + afterMs);
    if (fullUntil > now) return pumpAt(fullUntil);
    if (state === 'pumping') state = 'pumping_again';
    if (state !== 'idle') return;
    state = 'pumping';
    pumping = claimAll().then(
      () => rest(options.among === 'others' ? LEASE_MS : undefined),
      (thrown: unknown) => {
        log.warn('jobs_not_claimed', { error: CallError.from(thrown) });
        rest(RETRY_MS);
      },
    );
  }

  /** The soonest of all that were wished for. */
  function pumpAt(at: number): void {
    if (state === 'stopped' || (later && later.at <= at)) return;
    later?.timer.stop();
    const timer = clock.after(at - clock.monotonic(), () => {
      later = undefined;
      pump();
    });
    later = { at, timer };
  }

  function rest(againAfterMs: number | undefined): void {
    if (state === 'stopped') return;
    const isWanted = state === 'pumping_again';
    state = 'idle';
    dropped.clear();
    if (isWanted) pump();
    else if (againAfterMs !== undefined) pumpAt(clock.monotonic() + againAfterMs);
  }

  async function claimAll(): Promise<void> {
    const hasRoom = () => works.count() < options.running && clock.monotonic() >= fullUntil;
    while (state !== 'stopped' && hasRoom()) {
      const record = await claim();
      if (!record) return;
      await begin(record);
    }
  }

  /** Who has half of the places already lets others go first. */
  async function claim(): Promise<JobRecord | undefined> {
    const half = Math.ceil(options.running / 2);
    const many = [...works.byPrincipal()].filter(([, count]) => count >= half);
    const passOver = many.map(([principal]) => principal);
    const others =
      passOver.length > 0 ? await store.claim(options.owner, LEASE_MS, passOver) : undefined;
    return others ?? store.claim(options.owner, LEASE_MS);
  }

  async function begin(record: JobRecord): Promise<void> {
    const { id: jobId, fence, principal, tool } = record;
    const lease = { jobId, fence };
    if (works.renew(lease) === 'goes_on') {
      // The machine slept, and nothing was cut off by that.
      return void (await store.heartbeat(lease, LEASE_MS, { runs: record.runs - 1 }));
    }
    const caller = await callerOf(record);
    if (dropped.has(jobId)) return;
    const refusal = whyNot(record, caller);
    if (!refusal && state === 'stopped') return void (await store.release(lease));
    const progress = createProgressSoFar(clock.now(), readProgress(record.progress));
    works.add(
      caller && !refusal
        ? run(record, caller, progress)
        : refused(record, refusal ?? CUT_OFF, progress),
    );
    log.info('job_begun', { job_id: jobId, tool, run: record.runs });
    news.tell({ id: jobId, principal, what: 'status' });
  }

  /** With the rights of today: what was stored may be of long ago. */
  async function callerOf({ input }: JobRecord): Promise<Caller | undefined> {
    const known = readInput(input)?.caller;
    if (known?.credential === undefined) return known;
    const today = await options.standing(known);
    // What it is to give back is closed for what it came in with, which for the owner may be good still.
    const isOwner = today && today.credential === undefined;
    return isOwner && options.isGood(known) ? known : today;
  }

  /** Why a job that was claimed is not run. */
  function whyNot(record: JobRecord, caller: Caller | undefined): CallError | undefined {
    const { id, runs } = record;
    const input = readInput(record.input);
    if (!input) return new CallError('internal', `What was stored of job ${id} cannot be read.`);
    const tool = calls.find(input.tool);
    if (!tool) return new CallError('not_found', `There is no tool ${input.tool} any more.`);
    const isCutOff = runs > 1;
    if (!input.args || (isCutOff && !tool.resumable) || runs > MAX_RUNS) {
      return CUT_OFF;
    }
    if (!caller) return new CallError('auth', 'The token that it was begun with was taken away.');
    if (leftMs(record) > 0) return undefined;
    return new CallError('timeout', 'The time that a job may take has passed.');
  }

  /** What it waited for its turn, or people took to answer, is not counted. */
  function leftMs({ asks, progress }: JobRecord): number {
    const { waitedMs = 0 } = readAsks(asks) ?? {};
    const { begunAt = clock.now() } = readProgress(progress);
    return options.timeoutMs - (clock.now() - begunAt - waitedMs);
  }

  function run(record: JobRecord, caller: Caller, progress: ProgressSoFar): Work {
    const { id: jobId, fence, principal, checkpoint } = record;
    const asks = readAsks(record.asks);
    const stored = inputOf(record);
    const input = { ...stored, caller };
    const { tool, args, askable, traceparent, reqId } = input;
    const isRound = asks !== undefined && isAnswered(asks);
    const closedFor = isRound ? asks.closedFor : stored.caller.credential;
    // Who has come with another token since then is asked again.
    const given = caller.credential === closedFor ? (isRound ? asks : input) : {};
    const { answers, state: sealed }: Pick<JobInput, 'answers' | 'state'> = given;
    const timeoutMs = leftMs(record);
    let hasRun = false;
    const call = calls.start({
      tool,
      args,
      caller,
      askable,
      door: 'job',
      session: `jobs:${principal}`,
      timeoutMs,
      // What is recorded of a second run stands beside what was of the first.
      ...(fence === 1 && isId(reqId, 'req') && { reqId }),
      ...(traceparent !== undefined && { traceparent }),
      ...(answers && { answers }),
      ...(sealed !== undefined && { state: sealed }),
      ...(checkpoint !== null && { resumedFrom: checkpoint }),
      onProgress(step) {
        progress.add(step);
        news.tell({ id: jobId, principal, what: 'progress' });
      },
      onCheckpoint: (saved) => progress.checkpoint(saved),
      onAdmitted: () => void (hasRun = true),
    });
    call.extend(timeoutMs);
    const again = calls.find(tool)?.resumable ? 'may_run' : 'must_not_run';
    const lease = { jobId, fence };
    return { lease, input, call, progress, asks, again, from: 'queue', hasRun: () => hasRun };
  }

  return {
    pump,
    add(request, tool) {
      const reqId = request.reqId ?? newId('req');
      const id = newId('job');
      const { principal } = request.caller;
      const input = inputJson(toInput(request, reqId, tool.name));
      const title = jobTitle(request.args);
      const createdAt = clock.now();
      let cancelled: CallError | undefined;
      async function enqueue(): Promise<CallAnswer> {
        if ((await store.countOpen(principal)) >= options.waiting) throw tooMany(options.waiting);
        await store.enqueue({ id, principal, tool: tool.name, title, input });
        if (cancelled) {
          void works.discard(id, principal);
          throw cancelled;
        }
        news.tell({ id, principal, what: 'status' });
        pump();
        const about = { id, tool: tool.name, reqId, createdAt, because: request.handOff?.because };
        return runningAnswer({ ...about, status: 'queued', progress: {} });
      }
      const answer = enqueue().catch((thrown: unknown) =>
        failureAnswer(CallError.from(thrown), tool.name, reqId),
      );
      const nothing = () => undefined;
      const cancel = (error = CANCELLED) => void (cancelled ??= error);
      return { reqId, answer, cancel, extend: nothing, handOff: nothing };
    },
    claimed: () => pumping,
    cancelled(id) {
      if (state === 'pumping' || state === 'pumping_again') dropped.add(id);
    },
    stop() {
      state = 'stopped';
      later?.timer.stop();
      return pumping;
    },
  };
}

function tooMany(limit: number): CallError {
  return new CallError('over_capacity', `There are ${limit} jobs of yours that are not over.`, {
    retryAfterMs: 60_000,
    fixes: [fix('wait'), command('exai jobs --open', 'find jobs to cancel')],
  });
}

/** A job that ends without having been run. */
function refused(record: JobRecord, error: CallError, progress: ProgressSoFar): Work {
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
    asks: undefined,
    again: 'must_not_run',
    from: 'queue',
    // By an earlier run, as far as anybody knows.
    hasRun: () => true,
  };
}

function refusedAnswer(input: JobInput, error: CallError, progress: JobProgress): CallAnswer {
  if (error.class === 'interrupted') return interruptedAnswer(input, progress);
  return withTextSoFar(failureAnswer(error, input.tool, input.reqId), progress);
}

/** Of what cannot be read, what the row itself tells. */
function inputOf({ input, principal, tool }: JobRecord): JobInput {
  const caller = { principal, scopes: [], roots: [] };
  return readInput(input) ?? { reqId: '', tool, caller, askable: [] };
}
