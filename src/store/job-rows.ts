import type { ErrorJson } from '#core/call-error.ts';
import type { Id } from '#core/ids.ts';
import type { JobChange, JobRecord, JobStatus, JobSummary } from '#core/stores/jobs.ts';
import { assignments, int, intOrNull, json, text, toJsonText } from './columns.ts';
import type { Row, Value } from './database.ts';

/** All that a list shows: nothing behind them in a row is read. */
export const SUMMARY_COLUMNS =
  'id, principal, tool, status, runs, created_at, updated_at, finished_at, title, note, error';

export function toJobSummary(row: Row): JobSummary {
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

export function toJob(row: Row): JobRecord {
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

/** What a worker tells, as assignments; a heartbeat that tells nothing is no change of the job. */
export function jobChanges(
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
