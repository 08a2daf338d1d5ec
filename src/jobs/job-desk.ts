import { CallError } from '#core/call-error.ts';
import { codedError } from '#core/coded-error.ts';
import { isId } from '#core/ids.ts';
import type { Job, Jobs } from '#core/jobs.ts';
import { fix } from '#core/messages/fixes.ts';
import { reason } from '#core/messages/reasons.ts';
import type { JobRecord } from '#core/stores/jobs.ts';
import { answered, asksJson, isAnswered, pending, readAsks } from './asks.ts';
import { readInput } from './job-input.ts';
import { readAnswer } from './kept-answer.ts';
import type { News } from './news.ts';
import type { JobsOptions } from './options.ts';
import { readProgress } from './progress-so-far.ts';
import type { Queue } from './queue.ts';
import type { Works } from './works.ts';

const DAY_MS = 86_400_000;
// Of a job that another daemon has, no news come.
const POLL_MS = 2000;
const MAX_TRIES = 20;

const CANCELLED = new CallError('cancelled', 'The job was cancelled.');

/** What people and programs may do with jobs. */
export function createJobDesk(
  { store, clock, keptDays }: JobsOptions,
  { works, news, queue }: { works: Works; news: News; queue: Pick<Queue, 'pump' | 'cancelled'> },
): Jobs {
  async function recordOf(principal: string, id: string): Promise<JobRecord> {
    if (!isId(id, 'job')) throw noId(id);
    const record = await store.get(id, principal);
    if (!record) throw unknown(id);
    return record;
  }

  const get: Jobs['get'] = async (principal, id) => toJob(await recordOf(principal, id));

  function toJob(record: JobRecord): Job {
    const { id, tool, title, status, runs, createdAt, updatedAt, finishedAt, error } = record;
    const asks = status === 'input_required' ? readAsks(record.asks) : undefined;
    const answer = readAnswer(record.result, error);
    return {
      id,
      // What was only needed to run it is gone by then.
      reqId: readInput(record.input)?.reqId ?? answer?.envelope.req_id ?? '',
      tool,
      ...(title !== '' && { title }),
      status,
      // What runs here is further than what was stored of it.
      progress: works.get(id)?.progress.now() ?? readProgress(record.progress),
      runs,
      createdAt,
      updatedAt,
      finishedAt: finishedAt ?? undefined,
      keptMs: keptDays > 0 ? keptDays * DAY_MS : undefined,
      asks: asks && pending(asks),
      answer,
    };
  }

  return {
    get,
    onChange: (listener) => news.onChange(listener),
    async wait(principal, id, forMs, signal) {
      const until = clock.monotonic() + forMs;
      for (;;) {
        const leftMs = until - clock.monotonic();
        const waitMs = works.get(id) ? leftMs : Math.min(leftMs, POLL_MS);
        // Before looking, so that what happens meanwhile is heard.
        const next = news.next(id, Math.max(0, waitMs), signal);
        try {
          const job = await get(principal, id);
          if (isSettled(job) || leftMs <= 0 || signal.aborted) return job;
          await next.came;
        } finally {
          next.dispose();
        }
      }
    },
    async list(principal, limit, filter) {
      const rows = await store.list(principal, limit, filter);
      return rows.map((row) => {
        const note = works.get(row.id)?.progress.now().note;
        return note === undefined ? row : { ...row, note };
      });
    },
    async cancel(principal, id) {
      if (!isId(id, 'job')) throw noId(id);
      const outcome = await store.cancel(id, principal);
      if (outcome === 'already_over') return outcome;
      queue.cancelled(id);
      if (works.get(id)) works.drop(id, CANCELLED);
      else news.tell({ id, principal, what: 'status' });
      return outcome;
    },
    async answer(principal, id, round, answers) {
      for (let tries = 0; tries < MAX_TRIES; tries += 1) {
        const record = await recordOf(principal, id);
        const asks = record.status === 'input_required' ? readAsks(record.asks) : undefined;
        const next =
          asks && asks.round === round ? answered(asks, answers, clock.now()) : undefined;
        if (!asks || !next) return;
        const status = isAnswered(next) ? 'queued' : 'input_required';
        const change = { was: record.asks, next: asksJson(next), status } as const;
        if ((await store.answer(id, principal, change)) === 'changed') continue;
        news.tell({ id: record.id, principal, what: 'status' });
        return queue.pump();
      }
      throw new CallError('conflict', 'Others answer the same job at this moment.', {
        fix: 'Look at what it still asks, and answer that.',
      });
    },
  };
}

function isSettled({ status }: Job): boolean {
  return status !== 'queued' && status !== 'running';
}

function noId(id: string): CallError {
  const shown = id.length > 64 ? `${id.slice(0, 64)}…` : id;
  const what = { argument: 'job_id', kind: 'job', given: shown } as const;
  return codedError('validation', reason('invalid_id', what), {
    field: 'job_id',
    fixes: ['It is job_ and 22 letters and digits.', fix('list_jobs')],
  });
}

function unknown(id: string): CallError {
  return new CallError('not_found', `There is no job ${id}, or none of yours.`, {
    field: 'job_id',
    fixes: ['A job that is over is kept for as long as the settings say.', fix('list_jobs')],
  });
}
