import { CallError, type ErrorJson } from '#core/call-error.ts';
import type { Clock } from '#core/clock.ts';
import type { Id } from '#core/ids.ts';
import type { JobRecord, JobStatus, JobStore, Lease } from '#core/stores/jobs.ts';
import { assignments, int, intOrNull, json, text, toJsonText } from './columns.ts';
import { execute, type Database, type Row, type Value } from './database.ts';

// Workers of other daemons are passed over instead of waited for; SQLite has one writer and needs no such word.
const SKIP_TAKEN = { sqlite: '', postgres: 'for update skip locked' } as const;

export function createJobs(db: Database, clock: Pick<Clock, 'now'>): JobStore {
  /** Changes a running job if the lease still holds. */
  async function whileLeased(lease: Lease, set: string, params: readonly Value[]) {
    const [row] = await execute(db, {
      sql: `update jobs set ${set} where id = ? and fence = ? and status = 'running' returning id`,
      params: [...params, lease.jobId, lease.fence],
    });
    return row ? 'kept' : 'lost';
  }

  return {
    async enqueue({ id, principal, tool, input }) {
      await execute(db, {
        sql: `insert into jobs (id, principal, tool, status, input, checkpoint, progress, result, error,
                owner, runs, fence, lease_until, created_at, finished_at)
              values (?, ?, ?, 'queued', ?, 'null', 'null', 'null', 'null', null, 0, 0, 0, ?, null)`,
        params: [id, principal, tool, toJsonText(input), clock.now()],
      });
    },

    async claim(owner, leaseMs) {
      const now = clock.now();
      const [row] = await execute(db, {
        sql: `update jobs set status = 'running', owner = ?, lease_until = ?, fence = fence + 1, runs = runs + 1
          where id = (
            select id from jobs
            where status in ('queued', 'running') and (status = 'queued' or lease_until < ?)
            order by created_at, id limit 1 ${SKIP_TAKEN[db.dialect]})
          returning *`,
        params: [owner, now + leaseMs, now],
      });
      return row && toJob(row);
    },

    heartbeat(lease, leaseMs, { progress, checkpoint } = {}) {
      const { sql, params } = assignments({
        'lease_until = ?': clock.now() + leaseMs,
        'progress = ?': progress === undefined ? undefined : toJsonText(progress),
        'checkpoint = ?': checkpoint === undefined ? undefined : toJsonText(checkpoint),
      });
      return whileLeased(lease, sql, params);
    },

    finish(lease, outcome) {
      const result = outcome.status === 'done' ? outcome.result : null;
      const error = outcome.status === 'failed' ? outcome.error : null;
      return whileLeased(lease, 'status = ?, result = ?, error = ?, finished_at = ?', [
        outcome.status,
        toJsonText(result),
        toJsonText(error),
        clock.now(),
      ]);
    },

    async cancel(id, principal) {
      const [row] = await execute(db, {
        sql: `update jobs set status = 'cancelled', finished_at = ?
          where id = ? and principal = ? and status in ('queued', 'running') returning id`,
        params: [clock.now(), id, principal],
      });
      if (row) return 'cancelled';
      const known = await db.read('select id from jobs where id = ? and principal = ?', [
        id,
        principal,
      ]);
      if (known.length > 0) return 'already_over';
      throw new CallError('not_found', `There is no job ${id}.`, {
        fix: 'List yours with: exai jobs',
      });
    },

    async get(id, principal) {
      const [row] = await db.read('select * from jobs where id = ? and principal = ?', [
        id,
        principal,
      ]);
      return row && toJob(row);
    },

    async list(principal, limit) {
      const rows = await db.read(
        'select * from jobs where principal = ? order by created_at desc, id desc limit ?',
        [principal, limit],
      );
      return rows.map(toJob);
    },
  };
}

function toJob(row: Row): JobRecord {
  return {
    id: text(row, 'id') as Id<'job'>,
    principal: text(row, 'principal'),
    tool: text(row, 'tool'),
    status: text(row, 'status') as JobStatus,
    input: json(row, 'input'),
    checkpoint: json(row, 'checkpoint'),
    progress: json(row, 'progress'),
    result: json(row, 'result'),
    error: json<ErrorJson | null>(row, 'error'),
    runs: int(row, 'runs'),
    fence: int(row, 'fence'),
    leaseUntil: int(row, 'lease_until'),
    createdAt: int(row, 'created_at'),
    finishedAt: intOrNull(row, 'finished_at'),
  };
}
