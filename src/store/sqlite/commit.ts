import { CallError } from '#core/errors/call-error.ts';
import {
  CHAIN_HEAD_SQL,
  insertLinks,
  link,
  toChainHead,
  type ChainHead,
  type ChainWriter,
} from '../audit/chain.ts';
import { laterHead, type HeadFile } from '../audit/head-file.ts';
import type { Row, UsageRows, Statement, Value, Write } from '../database.ts';
import { isStatementError, type CommitOutcome } from '../group-commit.ts';
import { insertUsageRows } from '../tables/usage-rows.ts';
import type { SqliteConnection } from './connection.ts';

/**
 * Commits many writes in one transaction. A write that violates a constraint is undone alone; when
 * the disk or the engine fails, all are undone.
 */
export function createSqliteCommit(
  db: SqliteConnection,
  writer: ChainWriter,
  headFile?: Pick<HeadFile, 'record'>,
) {
  const { writerId, after } = writer;
  const [lastRow, anchor] = CHAIN_HEAD_SQL;
  const readHead = () =>
    laterHead(toChainHead(db.all(lastRow, [writerId])[0] ?? db.all(anchor, [writerId])[0]), after);
  /** The head after our last commit; unknown at first and after a failure. */
  let head: ChainHead | undefined;
  const setSync = createSync(db);

  function commit(writes: readonly Write[]): CommitOutcome[] {
    const remembered = head !== undefined;
    try {
      const sync = writes.every(({ bulk }) => bulk === true) ? 'normal' : 'full';
      setSync(sync);
      db.exec('begin immediate');
      head ??= readHead();
      const audit: (readonly Value[])[] = [];
      const usageRows: UsageRows[] = [];
      const outcomes = writes.map((write) => {
        const outcome = attempt(db, write);
        if ('error' in outcome) return outcome;
        if (write.audit) audit.push(...write.audit);
        if (write.usageRows) usageRows.push(write.usageRows);
        return outcome;
      });
      for (const { sql, params } of insertUsageRows(usageRows)) db.run(sql, params);
      const links = link(writer, head, audit);
      for (const { sql, params } of insertLinks(writerId, links)) db.run(sql, params);
      db.exec('commit');
      const last = links.at(-1);
      head = last ?? head;
      // Only after the disk has the rows: the recorded head is never ahead of the database.
      if (last && sync === 'full') headFile?.record(last);
      return outcomes;
    } catch (thrown) {
      head = undefined;
      if (db.inTransaction()) db.exec('rollback');
      const error = CallError.from(thrown);
      // A second store with the same writer moved the head: retry from the stored head.
      if (isStatementError(error) && remembered) return commit(writes);
      // One invalid row failed the batch: committed one by one, it fails only its own write.
      if (isStatementError(error) && writes.length > 1)
        return writes.flatMap((write) => commit([write]));
      return writes.map(() => ({ error: error.toJSON() }));
    }
  }
  return commit;
}

/**
 * A commit of bulk writes alone does not wait for the disk: with `normal` the log is not synced, and
 * the next commit with `full` syncs all of it.
 */
function createSync(db: SqliteConnection) {
  let current: 'full' | 'normal' = 'full';
  return (sync: typeof current): void => {
    if (sync === current) return;
    db.exec(`pragma synchronous = ${sync}`);
    current = sync;
  };
}

function attempt(db: SqliteConnection, write: Write): CommitOutcome {
  // SQLite undoes a single failed statement by itself; only several need a savepoint.
  const several = write.statements.length > 1;
  if (several) db.exec('savepoint attempt');
  try {
    const rows = write.statements.map((statement) => execute(db, statement));
    if (several) db.exec('release attempt');
    return { rows };
  } catch (thrown) {
    const error = CallError.from(thrown);
    if (!isStatementError(error) || !db.inTransaction()) throw error;
    if (several) db.exec('rollback to attempt; release attempt');
    return { error: error.toJSON() };
  }
}

function execute(db: SqliteConnection, { sql, params, errorIfNoRows }: Statement): Row[] {
  const returns = RETURNS.test(sql);
  const rows = returns ? db.all(sql, params) : [];
  const touched = returns ? rows.length : db.run(sql, params);
  if (errorIfNoRows && touched === 0) throw CallError.fromJSON(errorIfNoRows);
  return rows;
}

const RETURNS = /\breturning\b/;
