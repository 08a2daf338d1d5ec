import { CallError, type ErrorJson } from '#core/errors/call-error.ts';
import type { Id } from '#core/ids.ts';
import { fix } from '#core/messages/fixes.ts';
import type {
  JobChange,
  JobRecord,
  JobStatus,
  JobStore,
  JobSummary,
  Lease,
  NewJob,
} from '#core/stores/jobs.ts';
import type { Clock } from '#core/time/clock.ts';
import { createLeaseTime } from './lease-time.ts';
import { assignments, int, intOrNull, json, text, toJsonText } from './columns.ts';
import { execute, type Database, type Row, type Statement, type Value } from '../database.ts';

// PostgreSQL skips rows that other daemons have locked; SQLite has one writer and no such clause.
const SKIP_TAKEN = { sqlite: '', postgres: 'for update skip locked' } as const;

/**
 * Conditions of the partial indexes, verbatim: SQLite uses a partial index only for the same text.
 */
const TO_DO = `status in ('queued', 'running')`;
const OPEN = `status in ('queued', 'running', 'input_required')`;

const BEFORE = 'list_order <= ? and (list_order, id) < (?, ?)';
// The unary plus keeps SQLite from using the index of all jobs: open jobs are few and have a partial
// index.
const OPEN_BEFORE = '+list_order <= ? and (+list_order, id) < (?, ?)';

/** After all others of the principal; the clock may have gone back. */
const LAST = '(select coalesce(max(list_order), 0) + 1 from jobs where principal = ?)';

const inserting = (leaseUntil: string) => `
  insert into jobs (id, principal, tool, status, owner, runs, fence, lease_until, created_at, updated_at, finished_at,
    title, note, error, asks, progress, checkpoint, input, result, list_order)
  values (?, ?, ?, ?, ?, ?, ?, ${leaseUntil}, ?, ?, null, ?, ?, 'null', 'null', ?, ?, ?, 'null', ${LAST})`;

/**
 * Clears the input when a job ends: it may include files, which are stored only while they are
 * needed.
 */
const NO_LONGER_NEEDED = `input = 'null', checkpoint = 'null', asks = 'null'`;

/** Releases the lease and resets the count of interrupted runs. */
const GIVEN_BACK = { 'owner = ?': null, 'lease_until = ?': 0, 'runs = ?': 0 } as const;

export function createJobStore(db: Database, clock: Pick<Clock, 'now' | 'monotonic'>): JobStore {
  const leaseTime = createLeaseTime(db.dialect, clock);
  const leaseEnd = `${leaseTime.sql} + ?`;
  const insertQueued = inserting('0');
  const insertRunning = `${inserting(leaseEnd)} returning fence`;
  /** Changes a running job if the lease is still valid. */
  async function whileLeased(
    lease: Lease,
    { sql, params }: { sql: string; params: readonly Value[] },
  ): Promise<'kept' | 'lost'> {
    const [row] = await execute(db, {
      sql: `update jobs set ${sql} where id = ? and fence = ? and status = 'running' returning id`,
      params: [...params, lease.jobId, lease.fence],
    });
    return row ? 'kept' : 'lost';
  }

  function insertion(
    job: NewJob,
    worker: { readonly owner: string; readonly leaseMs: number } | undefined,
  ): Statement {
    const now = clock.now();
    const begun = worker ? ['running', worker.owner, 1, 1] : ['queued', null, 0, 0];
    const leased = worker ? [...leaseTime.params(), worker.leaseMs] : [];
    const { id, principal, tool, input, title = '', note = '', checkpoint, progress } = job;
    const { createdAt = now } = job;
    const large = [progress, checkpoint, input].map(toJsonText);
    const texts = [title, note];
    const times = [createdAt, now];
    return {
      sql: worker ? insertRunning : insertQueued,
      params: [id, principal, tool, ...begun, ...leased, ...times, ...texts, ...large, principal],
    };
  }

  /** The position where the previous page ended, for `BEFORE`. */
  async function place(id: string, principal: string): Promise<Value[]> {
    const [row] = await db.read('select list_order from jobs where id = ? and principal = ?', [
      id,
      principal,
    ]);
    if (!row) throw noJob(id, 'before');
    const order = int(row, 'list_order');
    return [order, order, id];
  }

  return {
    async enqueue(job) {
      await execute(db, insertion(job, undefined));
    },

    async adopt(job, owner, leaseMs) {
      const [row = {}] = await execute(db, insertion(job, { owner, leaseMs }));
      return { jobId: job.id, fence: int(row, 'fence') };
    },

    async claim(owner, leaseMs, passOver = []) {
      const now = clock.now();
      const others =
        passOver.length > 0 ? `and principal not in (${passOver.map(() => '?').join()})` : '';
      const [row] = await execute(db, {
        sql: `update jobs set status = 'running', lease_until = ${leaseEnd}, fence = fence + 1,
            runs = runs + case when owner = ? then 0 else 1 end, owner = ?, updated_at = ?
          where id = (
            select id from jobs where ${TO_DO} and (status = 'queued' or lease_until < ${leaseTime.sql}) ${others}
            order by created_at, id limit 1 ${SKIP_TAKEN[db.dialect]})
          returning *`,
        params: [
          ...leaseTime.params(),
          leaseMs,
          owner,
          owner,
          now,
          ...leaseTime.params(),
          ...passOver,
        ],
      });
      return row && toJob(row);
    },

    async orphan(owner) {
      // The fence is raised here already, so that a worker that was wrongly presumed dead cannot
      // renew its lease.
      await execute(db, {
        sql: `update jobs set status = 'queued', owner = null, lease_until = 0, fence = fence + 1, updated_at = ?
          where ${TO_DO} and status = 'running' and owner <> ?`,
        params: [clock.now(), owner],
      });
    },

    heartbeat(lease, leaseMs, change = {}) {
      const now = clock.now();
      const changed = jobChanges(change, {}, now);
      return whileLeased(lease, {
        sql: [`lease_until = ${leaseEnd}`, changed.sql].filter(Boolean).join(', '),
        params: [...leaseTime.params(), leaseMs, ...changed.params],
      });
    },

    release(lease, change = {}) {
      const now = clock.now();
      const more = { 'updated_at = ?': now, 'status = ?': 'queued', ...GIVEN_BACK };
      return whileLeased(lease, jobChanges(change, more, now));
    },

    finish(lease, outcome) {
      const now = clock.now();
      const error = outcome.status === 'failed' ? outcome.error : null;
      return whileLeased(lease, {
        sql: `status = ?, result = ?, error = ?, updated_at = ?, finished_at = ?, ${NO_LONGER_NEEDED}`,
        params: [outcome.status, toJsonText(outcome.result), toJsonText(error), now, now],
      });
    },

    ask(lease, asks, change = {}) {
      const now = clock.now();
      const more = {
        'updated_at = ?': now,
        'status = ?': 'input_required',
        'asks = ?': toJsonText(asks),
        ...GIVEN_BACK,
      };
      return whileLeased(lease, jobChanges(change, more, now));
    },

    async answer(id, principal, { was, next, status }) {
      // JSON that is parsed and written again gives the same text.
      const [row] = await execute(db, {
        sql: `update jobs set asks = ?, status = ?, updated_at = ?
          where id = ? and principal = ? and status = 'input_required' and asks = ? returning id`,
        params: [toJsonText(next), status, clock.now(), id, principal, toJsonText(was)],
      });
      return row ? 'kept' : 'changed';
    },

    async cancel(id, principal) {
      const now = clock.now();
      const [row] = await execute(db, {
        sql: `update jobs set status = 'cancelled', updated_at = ?, finished_at = ?, ${NO_LONGER_NEEDED}
          where id = ? and principal = ? and ${OPEN} returning id`,
        params: [now, now, id, principal],
      });
      if (row) return 'cancelled';
      const known = await db.read('select id from jobs where id = ? and principal = ?', [
        id,
        principal,
      ]);
      if (known.length > 0) return 'already_over';
      throw noJob(id, 'job_id');
    },

    async countOpen(principal) {
      const [row = {}] = await db.read(
        `select count(*) as open from jobs where principal = ? and ${OPEN}`,
        [principal],
      );
      return int(row, 'open');
    },

    async get(id, principal) {
      const [row] = await db.read('select * from jobs where id = ? and principal = ?', [
        id,
        principal,
      ]);
      return row && toJob(row);
    },

    async list(principal, limit, { before, open } = {}) {
      const last = before === undefined ? [] : await place(before, principal);
      const which = `principal = ?${open ? ` and ${OPEN}` : ''}`;
      const rows = await db.read(
        `select ${SUMMARY_COLUMNS} from jobs
          where ${which}${last.length > 0 ? ` and ${open ? OPEN_BEFORE : BEFORE}` : ''}
          order by list_order desc, id desc limit ?`,
        [principal, ...last, limit],
      );
      return rows.map(toJobSummary);
    },
  };
}

function noJob(id: string, field: string): CallError {
  return new CallError('not_found', `There is no job ${id}.`, {
    field,
    fixes: [fix('list_jobs')],
  });
}

/** The columns of a list; later columns of a row are not read. */
const SUMMARY_COLUMNS =
  'id, principal, tool, status, runs, created_at, updated_at, finished_at, title, note, error';

function toJobSummary(row: Row): JobSummary {
  return {
    id: text(row, 'id') as Id<'job'>,
    principal: text(row, 'principal'),
    tool: text(row, 'tool'),
    status: text(row, 'status') as JobStatus,
    title: text(row, 'title'),
    note: text(row, 'note'),
    error: json<ErrorJson | null>(row, 'error'),
    runs: int(row, 'runs'),
    createdAt: int(row, 'created_at'),
    updatedAt: int(row, 'updated_at'),
    finishedAt: intOrNull(row, 'finished_at'),
  };
}

function toJob(row: Row): JobRecord {
  return {
    ...toJobSummary(row),
    input: json(row, 'input'),
    checkpoint: json(row, 'checkpoint'),
    progress: json(row, 'progress'),
    result: json(row, 'result'),
    asks: json(row, 'asks'),
    fence: int(row, 'fence'),
    leaseUntil: int(row, 'lease_until'),
  };
}

/** Assignments for a worker's update; a plain heartbeat does not change the job. */
function jobChanges(
  { runs, note, progress, checkpoint }: JobChange,
  more: Readonly<Record<string, Value>>,
  nowMs: number,
): { sql: string; params: Value[] } {
  const tells = [note, progress, checkpoint].some((value) => value !== undefined);
  return assignments({
    'updated_at = ?': tells ? nowMs : undefined,
    'runs = ?': runs,
    'note = ?': note,
    'progress = ?': progress === undefined ? undefined : toJsonText(progress),
    'checkpoint = ?': checkpoint === undefined ? undefined : toJsonText(checkpoint),
    ...more,
  });
}
