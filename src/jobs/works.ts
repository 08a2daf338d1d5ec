import { CallError } from '#core/call-error.ts';
import type { CallAnswer, RunningCall } from '#core/calls.ts';
import { every, sleep, type Timer } from '#core/clock.ts';
import { Canceller } from '#core/canceller.ts';
import type { Lease } from '#core/stores/jobs.ts';
import { asksJson, nextRound, type Asks } from './asks.ts';
import { interruptedAnswer } from './interrupted-answer.ts';
import type { JobInput } from './job-input.ts';
import { toOutcome } from './kept-answer.ts';
import type { News } from './news.ts';
import { HEARTBEAT_MS, LEASE_MS, type JobsOptions } from './options.ts';
import type { ProgressSoFar } from './progress-so-far.ts';

/** A job that runs here. */
export interface Work {
  /** Another takes its place if it ran out while the work went on. */
  lease: Lease;
  readonly input: JobInput;
  readonly call: Pick<RunningCall, 'reqId' | 'answer' | 'cancel'>;
  readonly progress: ProgressSoFar;
  /** What was answered before this run. */
  readonly asks: Asks | undefined;
  /** Whether another run may follow one that was cut off. */
  readonly again: 'may_run' | 'must_not_run';
  /** Who began it: a caller who then stopped waiting, or the queue. */
  readonly from: 'caller' | 'queue';
  /** Until it has done something, it can be run anew whatever it is. */
  readonly hasRun: () => boolean;
  /** Once there is one; it may wait for the store. */
  said?: CallAnswer;
}

export interface Works {
  get(id: string): Work | undefined;
  /** Of the queue's: all of them, and whose they are. */
  count(): number;
  byPrincipal(): ReadonlyMap<string, number>;
  /** Keeps its lease from now on, and stores its end. */
  add(work: Work): void;
  /** The lease of what runs here had run out, as when the machine slept, and was claimed again: it goes on with that. */
  renew(lease: Lease): 'goes_on' | 'not_here';
  /** It was cancelled, or is another's now: nothing more of it is stored. */
  drop(id: string, because: CallError): void;
  /** Nobody was told of it, and nobody wants it: it is cancelled as soon as the store can. Never rejects. */
  discard(id: string, principal: string): Promise<void>;
  /** What could not be run again gets so long to end, as every call under way does. */
  drain(withinMs: number): Promise<void>;
  /** `end` is waited for when it stops. Gives the way to take that back. */
  onStop(end: () => Promise<void>): () => void;
  /** What may run again is given back, the rest ends here. */
  stop(): Promise<void>;
  isStopped(): boolean;
}

const LOST = new CallError('interrupted', 'Another daemon has taken this job over.');
const UNWANTED = new CallError('cancelled', 'The call was cancelled.');
const STOPPING = new CallError('interrupted', 'The daemon stopped.');
const TAKEN_AWAY = new CallError('auth', 'The token that this job was begun with was taken away.');
const RETRY_MS = 1000;
const MAX_RETRY_MS = 30_000;

export interface WorksQueue {
  /** There is room for another, or will be after so long. */
  pump(afterMs: number): void;
  /** Resolves when what is being claimed at this moment is here. */
  claimed(): Promise<void>;
  /** If it is being claimed at this moment, it is not begun. */
  cancelled(id: string): void;
}

export function createWorks(options: JobsOptions, news: News, queue: WorksQueue): Works {
  const { store, clock, log } = options;
  const byId = new Map<string, Work>();
  const ends = new Map<Work, Promise<void>>();
  const stopped = new Canceller();
  const atStop = new Set<() => Promise<void>>();
  /** What is still to be written when everything else has stopped. */
  const last = new Set<Promise<void>>();
  let beat: Timer | undefined;

  const isHere = (work: Work) => byId.get(work.lease.jobId) === work;
  const tell = ({ lease, input }: Work) =>
    news.tell({ id: lease.jobId, principal: input.caller.principal, what: 'status' });

  function remove(work: Work): void {
    byId.delete(work.lease.jobId);
    ends.delete(work);
    if (byId.size > 0) return;
    beat?.stop();
    beat = undefined;
  }

  async function keepLeases(): Promise<void> {
    await Promise.all([...byId.values()].map(keepLease));
  }

  async function keepLease(work: Work): Promise<void> {
    const { lease, progress } = work;
    try {
      if (!options.isGood(work.input.caller)) await lookWhose(work);
      const kept = await store.heartbeat(lease, LEASE_MS, progress.take());
      if (kept === 'kept') return;
      // Who took it may have been ourselves, a moment ago, after the machine slept.
      await queue.claimed();
      if (!isHere(work)) return;
      if (work.lease === lease) lose(work);
      else progress.putBack();
    } catch (thrown) {
      progress.putBack();
      log.warn('job_heartbeat_failed', { job_id: lease.jobId, error: CallError.from(thrown) });
    }
  }

  /** A client that lost its rights has no work done in its name. */
  async function lookWhose({ input: { caller }, call }: Work): Promise<void> {
    if (!(await options.standing(caller))) call.cancel(TAKEN_AWAY);
  }

  function lose(work: Work): void {
    remove(work);
    work.call.cancel(LOST);
    tell(work);
    queue.pump(0);
  }

  function drop(id: string, because: CallError): void {
    const work = byId.get(id);
    if (!work) return;
    remove(work);
    work.call.cancel(because);
    tell(work);
    queue.pump(0);
  }

  /** A full disk or a database that is away for a while loses no answer. */
  async function end(work: Work, answer: CallAnswer): Promise<void> {
    work.said = answer;
    for (let waitMs = RETRY_MS; isHere(work) && !stopped.aborted;) {
      const { lease } = work;
      try {
        const kept = await keep(work, answer);
        if (kept === 'lost') await queue.claimed();
        if (!isHere(work)) return;
        // It was claimed again in that very moment.
        if (kept === 'lost' && work.lease !== lease) continue;
        remove(work);
        tell(work);
        return queue.pump(turnedAwayMs(work, answer) ?? 0);
      } catch (thrown) {
        log.error('job_end_not_stored', { job_id: lease.jobId, error: CallError.from(thrown) });
      }
      await sleep(clock, waitMs, stopped);
      waitMs = Math.min(2 * waitMs, MAX_RETRY_MS);
    }
  }

  function keep(work: Work, answer: CallAnswer): Promise<'kept' | 'lost'> {
    const { lease, asks, progress } = work;
    if (answer.asks) {
      const { credential } = work.input.caller;
      const next = nextRound(answer.asks, asks, clock.now(), credential);
      return store.ask(lease, asksJson(next), progress.all());
    }
    // It waited for long: it can wait a little longer.
    if (turnedAwayMs(work, answer) !== undefined) return store.release(lease, progress.all());
    log.info('job_ended', {
      job_id: lease.jobId,
      req_id: work.call.reqId,
      tool: work.input.tool,
      outcome: answer.error?.class ?? 'ok',
    });
    return store.finish(lease, toOutcome(answer));
  }

  async function giveUp(work: Work): Promise<void> {
    const { lease, input, progress, call, said } = work;
    // First of all, so that whoever gets it never works on it beside us.
    call.cancel(STOPPING);
    try {
      if (said) await keep(work, said);
      else if (mayRunAgain(work)) await store.release(lease, progress.all());
      else await store.finish(lease, toOutcome(interruptedAnswer(input, progress.now())));
    } catch (thrown) {
      // The daemon that follows finds it without an owner, and does the same.
      log.warn('job_not_given_back', { job_id: lease.jobId, error: CallError.from(thrown) });
    }
  }

  async function cancelSurely(id: string, principal: string): Promise<void> {
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
    add(work) {
      if (stopped.aborted) return void last.add(giveUp(work));
      byId.set(work.lease.jobId, work);
      beat ??= every(clock, HEARTBEAT_MS, keepLeases);
      ends.set(
        work,
        work.call.answer.then((answer) => end(work, answer)),
      );
    },
    renew(lease) {
      const work = byId.get(lease.jobId);
      if (!work) return 'not_here';
      work.lease = lease;
      return 'goes_on';
    },
    drop,
    discard(id, principal) {
      const gone = cancelSurely(id, principal);
      last.add(gone);
      return gone.finally(() => last.delete(gone));
    },
    onStop(end) {
      atStop.add(end);
      return () => atStop.delete(end);
    },
    async drain(withinMs) {
      const left = [...ends].filter(([work]) => !mayRunAgain(work)).map(([, over]) => over);
      const late = new Canceller();
      const over = Promise.all(left).then(() => late.abort(undefined));
      await Promise.race([over, sleep(clock, withinMs, late)]);
    },
    async stop() {
      stopped.abort(STOPPING);
      const left = [...byId.values()];
      for (const work of left) remove(work);
      await Promise.all([...left.map(giveUp), ...[...atStop].map((end) => end())]);
      await Promise.all(last);
    },
    isStopped: () => stopped.aborted,
  };
}

/** Nothing is lost by giving it back: it can be resumed, or has done nothing yet. */
function mayRunAgain({ again, input, hasRun }: Work): boolean {
  return again === 'may_run' || (input.args !== undefined && !hasRun());
}

/** When it may try again, if it found no place among the calls and so has done nothing. */
function turnedAwayMs({ input, hasRun }: Work, { error }: CallAnswer): number | undefined {
  if (error?.class !== 'over_capacity' || input.args === undefined || hasRun()) return undefined;
  return error.retryAfterMs ?? RETRY_MS;
}
