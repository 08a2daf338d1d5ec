import type { RetentionPolicy } from '#core/stores/store.ts';
import { anchorProof, type AuditKey } from '../audit/keys.ts';
import { int, text } from './columns.ts';
import { ABANDONED_MS, dropUnused, removeDropped } from './content-parts.ts';
import type { Database } from '../database.ts';

const DAY_MS = 86_400_000;
// Small enough that a write of a call does not wait long.
const ROWS_PER_WRITE = 1000;
const LARGE_ROWS_PER_WRITE = 100;

const OLD = 'select id from conversations where updated_at < ?';
// A chain of responses can be continued until its newest one is too old.
const OLD_CHAINS = 'select chain_id from responses group by chain_id having max(created_at) < ?';
const OLD_RESULTS = 'select id from results where created_at < ?';
// The condition of the partial index of unfinished jobs, verbatim.
const UNANSWERED = `status in ('queued', 'running', 'input_required') and status = 'input_required'`;

/**
 * Tables whose expired rows are deleted in small batches. A long conversation is deleted turn by
 * turn, then itself; so is a long result.
 */
export const PLAIN: readonly Rule[] = [
  { table: 'turns', key: 'id', old: `conversation_id in (${OLD})`, days: 'turnsDays' },
  { table: 'conversations', key: 'id', old: 'updated_at < ?', days: 'turnsDays' },
  { table: 'attempts', key: 'req_id', old: 'at < ?', days: 'attemptsDays' },
  { table: 'usage', key: 'id', old: 'at < ?', days: 'usageDays' },
  { table: 'jobs', key: 'id', old: 'finished_at < ?', days: 'jobsDays', rows: 'large' },
  {
    table: 'jobs',
    key: 'id',
    old: `${UNANSWERED} and updated_at < ?`,
    days: 'jobsDays',
    rows: 'large',
  },
  {
    table: 'result_parts',
    key: 'result_id, at',
    old: `result_id in (${OLD_RESULTS})`,
    days: 'jobsDays',
    rows: 'large',
  },
  { table: 'results', key: 'id', old: 'created_at < ?', days: 'jobsDays' },
  {
    table: 'responses',
    key: 'id',
    old: `chain_id in (${OLD_CHAINS})`,
    days: 'responsesDays',
    rows: 'large',
  },
  { table: 'files', key: 'id', old: 'used_at < ?', days: 'filesDays' },
];

interface Rule {
  readonly table: string;
  readonly key: string;
  readonly old: string;
  readonly days: keyof RetentionPolicy;
  readonly rows?: 'large';
}

/**
 * Deletes rows that are older than the policy allows and returns their number per table. Daily
 * usage totals stay.
 */
export async function pruneExpired(
  db: Database,
  policy: RetentionPolicy,
  nowMs: number,
  auditKey?: AuditKey,
): Promise<Record<string, number>> {
  const removed: Record<string, number> = {};
  for (const { table, key, old, days, rows } of PLAIN) {
    if (policy[days] === 0) continue;
    const limit = rows === 'large' ? LARGE_ROWS_PER_WRITE : ROWS_PER_WRITE;
    const sql = `delete from ${table} where (${key}) in
      (select ${key} from ${table} where ${old} limit ${limit}) returning ${key}`;
    const gone = await repeatedly(db, sql, nowMs - policy[days] * DAY_MS);
    removed[table] = (removed[table] ?? 0) + gone;
  }
  const contents = await pruneContents(db, nowMs);
  if (contents.rows > 0) removed['content_parts'] = contents.parts;
  if (policy.auditDays > 0) {
    removed['calls'] = await pruneAudit(db, nowMs - policy.auditDays * DAY_MS, auditKey);
  }
  return removed;
}

async function repeatedly(db: Database, sql: string, beforeMs: number): Promise<number> {
  for (let removed = 0; ;) {
    const [rows = []] = await db.write({ statements: [{ sql, params: [beforeMs] }] });
    if (rows.length === 0) return removed;
    removed += rows.length;
  }
}

const CONTENTS_PER_WRITE = 100;
const WITHOUT_FILES = `select id from contents where sha256 is not null
  and not exists (select 1 from files where content_id = contents.id) limit ${CONTENTS_PER_WRITE}`;
const LEFT = `select id from contents where sha256 is null and touched_at <= ?
  limit ${CONTENTS_PER_WRITE}`;
const GIVE_UP =
  'update contents set touched_at = 0 where id = ? and sha256 is null and touched_at <= ?';

/** Removes contents that no file has, and those whose writer is gone. */
async function pruneContents(
  db: Database,
  nowMs: number,
): Promise<{ rows: number; parts: number }> {
  let rows = 0;
  let parts = 0;
  for (let unused; unused === undefined || unused.length === CONTENTS_PER_WRITE;) {
    unused = await db.scan(WITHOUT_FILES);
    for (const row of unused) await db.write({ statements: dropUnused(text(row, 'id')) });
  }
  const beforeMs = Math.max(nowMs - ABANDONED_MS, 0);
  for (let left; left === undefined || left.length === CONTENTS_PER_WRITE;) {
    left = await db.scan(LEFT, [beforeMs]);
    for (const row of left) {
      const id = text(row, 'id');
      await db.write({ statements: [{ sql: GIVE_UP, params: [id, beforeMs] }] });
      parts += await removeDropped(db, id);
      rows += 1;
    }
  }
  return { rows, parts };
}

/**
 * Deletes old rows from the start of each chain and stores the hash of the last one as the anchor
 * for verification.
 */
async function pruneAudit(
  db: Database,
  beforeMs: number,
  key: AuditKey | undefined,
): Promise<number> {
  let removed = 0;
  for (const row of await db.scan('select distinct writer_id from calls')) {
    const writerId = text(row, 'writer_id');
    for (;;) {
      const cut = await lastOldRow(db, writerId, beforeMs);
      if (!cut) break;
      const anchor = { writerId, ...cut, prunedUntil: beforeMs };
      const proof = key ? anchorProof(key, anchor) : null;
      const [, rows = []] = await db.write({
        statements: [
          {
            sql: `insert into call_anchors (writer_id, seq, hash, pruned_until, proof) values (?, ?, ?, ?, ?)
              on conflict (writer_id) do update set seq = excluded.seq, hash = excluded.hash,
                pruned_until = excluded.pruned_until, proof = excluded.proof`,
            params: [writerId, cut.seq, cut.hash, beforeMs, proof],
          },
          {
            sql: 'delete from calls where writer_id = ? and seq <= ? returning seq',
            params: [writerId, cut.seq],
          },
        ],
      });
      removed += rows.length;
    }
  }
  return removed;
}

/** The last row of the expired start of a chain: only its start may be deleted. */
async function lastOldRow(db: Database, writerId: string, beforeMs: number) {
  const oldest = await db.scan(
    'select seq, hash, at from calls where writer_id = ? order by seq limit ?',
    [writerId, ROWS_PER_WRITE],
  );
  const young = oldest.findIndex((row) => int(row, 'at') >= beforeMs);
  const last = oldest[(young === -1 ? oldest.length : young) - 1];
  return last && { seq: int(last, 'seq'), hash: text(last, 'hash') };
}
