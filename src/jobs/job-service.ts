import { CallError } from '#core/errors/call-error.ts';
import { codedError } from '#core/errors/coded-error.ts';
import { isId } from '#core/ids.ts';
import type { Job, Jobs } from '#core/calls/jobs.ts';
import { fix } from '#core/messages/fixes.ts';
import { reason } from '#core/messages/reasons.ts';
import type { JobRecord } from '#core/stores/jobs.ts';
import {
  withAnswers,
  pendingInputJson,
  isAnswered,
  unansweredRequests,
  parsePendingInput,
} from './pending-input.ts';
import { parseJobAnswer, parseJobInput } from './job-codec.ts';
import type { JobEvents } from './job-events.ts';
import type { JobsOptions } from './job-options.ts';
import { parseJobProgress } from './job-progress.ts';
import type { JobQueue } from './job-queue.ts';
import type { RunningJobs } from './running-jobs.ts';

const DAY_MS = 86_400_000;
// Polling interval for jobs of other daemons, whose events do not reach this one.
const POLL_MS = 2000;
const MAX_TRIES = 20;

const CANCELLED = new CallError('cancelled', 'The job was cancelled.');

/** The job service: get, wait, list, cancel and answer, on behalf of a principal. */
export function createJobService(
  options: JobsOptions,
  {
    runningJobs,
    events,
    queue,
  }: { runningJobs: RunningJobs; events: JobEvents; queue: Pick<JobQueue, 'pump' | 'cancelled'> },
): Jobs {
  const { store, clock } = options;
  async function recordOf(principal: string, id: string): Promise<JobRecord> {
    if (!isId(id, 'job')) throw noId(id);
    const record = await store.get(id, principal);
    if (!record) throw unknown(id);
    return record;
  }

  const get: Jobs['get'] = async (principal, id) => toJob(await recordOf(principal, id));

  function toJob(record: JobRecord): Job {
    const { id, tool, title, status, runs, createdAt, updatedAt, finishedAt, error } = record;
    const asks = status === 'input_required' ? parsePendingInput(record.asks) : undefined;
    const answer = parseJobAnswer(record.result, error);
    return {
      id,
      // The input of a finished job is deleted.
      reqId: parseJobInput(record.input)?.reqId ?? answer?.envelope.req_id ?? '',
      tool,
      ...(title !== '' && { title }),
      status,
      // A job that runs here is ahead of its stored progress.
      progress: runningJobs.get(id)?.progress.now() ?? parseJobProgress(record.progress),
      runs,
      createdAt,
      updatedAt,
      finishedAt: finishedAt ?? undefined,
      retentionMs: options.keptDays > 0 ? options.keptDays * DAY_MS : undefined,
      pendingInput: asks && unansweredRequests(asks),
      answer,
    };
  }

  return {
    get,
    onChange: (listener) => events.onChange(listener),
    async wait(principal, id, forMs, signal) {
      const until = clock.monotonic() + forMs;
      for (;;) {
        const leftMs = until - clock.monotonic();
        const waitMs = runningJobs.get(id) ? leftMs : Math.min(leftMs, POLL_MS);
        // Subscribed before reading, so that no change in between is missed.
        const next = events.next(id, Math.max(0, waitMs), signal);
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
        const note = runningJobs.get(row.id)?.progress.now().note;
        return note === undefined ? row : { ...row, note };
      });
    },
    async cancel(principal, id) {
      if (!isId(id, 'job')) throw noId(id);
      const outcome = await store.cancel(id, principal);
      if (outcome === 'already_over') return outcome;
      queue.cancelled(id);
      if (runningJobs.get(id)) runningJobs.drop(id, CANCELLED);
      else events.notify({ id, principal, what: 'status' });
      return outcome;
    },
    async answer(principal, id, round, answers) {
      for (let tries = 0; tries < MAX_TRIES; tries += 1) {
        const record = await recordOf(principal, id);
        const asks =
          record.status === 'input_required' ? parsePendingInput(record.asks) : undefined;
        const next =
          asks && asks.round === round ? withAnswers(asks, answers, clock.now()) : undefined;
        if (!asks || !next) return;
        const status = isAnswered(next) ? 'queued' : 'input_required';
        const change = { was: record.asks, next: pendingInputJson(next), status } as const;
        if ((await store.answer(id, principal, change)) === 'changed') continue;
        events.notify({ id: record.id, principal, what: 'status' });
        return queue.pump();
      }
      throw new CallError('conflict', 'Another client is answering this job.', {
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
  return codedError('not_found', reason('unknown_job', { id }), {
    field: 'job_id',
    fixes: ['A job that is over is kept for as long as the settings say.', fix('list_jobs')],
  });
}
