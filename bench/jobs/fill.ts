import { createIds } from '#core/ids.ts';
import { openSqlite } from '#store/sqlite/connection.ts';
import { sqliteFile } from '#store/sqlite/file.ts';

export const OPEN_JOBS = 20;
export const LARGE_CHARS = 1_000_000;
const LARGE_JOBS = 40;

export interface Filled {
  /** Of finished jobs, oldest first. */
  readonly jobs: readonly string[];
}

/**
 * Finished jobs and results of one principal, some jobs of it that ask, and a few jobs of another
 * with large answers; put in by the engine's own hand: filling is not what is measured.
 */
export function fillJobs(dataDir: string, count: number, principal: string, other: string): Filled {
  let now = Date.UTC(2026, 0, 1);
  const newId = createIds({ now: () => now }, (bytes) => new Uint8Array(bytes));
  const jobs: string[] = [];
  const db = openSqlite(sqliteFile(dataDir), 'write');
  const addJob = (owner: string, status: 'done' | 'input_required', answer: string) => {
    now += 1000;
    const id = newId('job');
    db.run(
      `insert into jobs (id, principal, tool, status, owner, runs, fence, lease_until, created_at, updated_at, finished_at,
          note, error, asks, progress, checkpoint, input, result)
        values (?, ?, 'consensus', ?, null, 1, 1, 0, ?, ?, ?, 'asking three models', 'null', 'null',
          '{"note":"asking three models","chars":1000}', 'null', '{"tool":"consensus","args":{"prompt":"why?"}}', ?)`,
      [id, owner, status, now, now, status === 'done' ? now : null, JSON.stringify({ answer })],
    );
    return id;
  };
  db.exec('begin');
  const every = Math.floor(count / OPEN_JOBS);
  for (let n = 0; n < count; n++) {
    jobs.push(addJob(principal, 'done', 'an answer of some length, '.repeat(40)));
    if (n % every === 0) addJob(principal, 'input_required', '');
    const result = newId('res');
    db.run(
      `insert into results (id, principal, tool, req_id, chars, created_at) values (?, ?, 'chat', 'req_1', 1000, ?)`,
      [result, principal, now],
    );
    db.run('insert into result_parts (result_id, at, text) values (?, 0, ?)', [
      result,
      'x'.repeat(1000),
    ]);
  }
  for (let n = 0; n < LARGE_JOBS; n++) addJob(other, 'done', 'x'.repeat(LARGE_CHARS));
  db.exec('commit');
  db.exec('pragma wal_checkpoint(truncate)');
  db.close();
  return { jobs };
}
