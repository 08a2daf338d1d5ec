import type { RetentionPolicy } from '#core/stores/store.ts';
import type { Database } from '../database.ts';
import { int, text } from './columns.ts';
import { PLAIN } from './retention.ts';

const DAY_MS = 86_400_000;

/** The number of rows per table that are older than the policy allows. */
export async function countExpired(
  db: Database,
  policy: RetentionPolicy,
  nowMs: number,
): Promise<Record<string, number>> {
  const expired: Record<string, number> = {};
  const add = (table: string, count: number) => {
    if (count > 0) expired[table] = (expired[table] ?? 0) + count;
  };
  for (const { table, old, days } of PLAIN) {
    if (policy[days] === 0) continue;
    const sql = `select count(*) as n from ${table} where ${old}`;
    const [row] = await db.scan(sql, [nowMs - policy[days] * DAY_MS]);
    add(table, row ? int(row, 'n') : 0);
  }
  if (policy.auditDays > 0) {
    add('calls', await countCalls(db, nowMs - policy.auditDays * DAY_MS));
  }
  return expired;
}

/** Only the start of each chain can be removed. */
async function countCalls(db: Database, beforeMs: number): Promise<number> {
  let count = 0;
  for (const row of await db.scan('select distinct writer_id from calls')) {
    const writerId = text(row, 'writer_id');
    const [young] = await db.scan(
      'select seq from calls where writer_id = ? and at >= ? order by seq limit 1',
      [writerId, beforeMs],
    );
    const [old] = await db.scan('select count(*) as n from calls where writer_id = ? and seq < ?', [
      writerId,
      young ? int(young, 'seq') : Number.MAX_SAFE_INTEGER,
    ]);
    count += old ? int(old, 'n') : 0;
  }
  return count;
}

const NEWEST = [
  'select max(at) as newest from calls',
  'select max(at) as newest from attempts',
  'select max(at) as newest from usage',
  'select max(updated_at) as newest from conversations',
];

/** When the newest call, attempt, usage or turn was recorded; undefined without any. */
export async function newestRowMs(db: Database): Promise<number | undefined> {
  let newest: number | undefined;
  for (const sql of NEWEST) {
    const [row] = await db.read(sql);
    if (!row || row['newest'] === null) continue;
    newest = Math.max(newest ?? 0, int(row, 'newest'));
  }
  return newest;
}
