import { CallError } from '#core/call-error.ts';
import {
  CHAIN_HEAD_SQL,
  insertLinks,
  link,
  toChainHead,
  type ChainHead,
  type ChainWriter,
} from './audit-chain.ts';
import type { Row, Spent, Statement, Value, Write } from './database.ts';
import { isOwnFault, type Outcome } from './group-commit.ts';
import { insertSpent } from './spent-rows.ts';
import type { SqliteConnection } from './sqlite-connection.ts';

/**
 * Commits many writes at once. A write that breaks a rule of the tables is undone alone; when the disk or the
 * engine fails, none of them happened.
 */
export function createCommit(db: SqliteConnection, writer: ChainWriter) {
  const { writerId } = writer;
  const [lastRow, anchor] = CHAIN_HEAD_SQL;
  const readHead = () =>
    toChainHead(db.all(lastRow, [writerId])[0] ?? db.all(anchor, [writerId])[0]);
  /** As our last commit left it; unknown at first, and after a failure. */
  let head: ChainHead | undefined;

  function commit(writes: readonly Write[]): Outcome[] {
    const remembered = head !== undefined;
    try {
      db.exec('begin immediate');
      head ??= readHead();
      const audit: (readonly Value[])[] = [];
      const spent: Spent[] = [];
      const outcomes = writes.map((write) => {
        const outcome = attempt(db, write);
        if ('error' in outcome) return outcome;
        if (write.audit) audit.push(...write.audit);
        if (write.spent) spent.push(write.spent);
        return outcome;
      });
      for (const { sql, params } of insertSpent(spent)) db.run(sql, params);
      const links = link(writer, head, audit);
      for (const { sql, params } of insertLinks(writerId, links)) db.run(sql, params);
      db.exec('commit');
      head = links.at(-1) ?? head;
      return outcomes;
    } catch (thrown) {
      head = undefined;
      if (db.inTransaction()) db.exec('rollback');
      const error = CallError.from(thrown);
      // A second store with the same writer has moved the head: once more, from where it stands now.
      if (isOwnFault(error) && remembered) return commit(writes);
      // A row that its table refuses has spoiled the batch: one by one, it spoils only its own write.
      if (isOwnFault(error) && writes.length > 1) return writes.flatMap((write) => commit([write]));
      return writes.map(() => ({ error: error.toJSON() }));
    }
  }
  return commit;
}

function attempt(db: SqliteConnection, write: Write): Outcome {
  // SQLite undoes a single failed statement by itself; only several need a savepoint to fall back to.
  const several = write.statements.length > 1;
  if (several) db.exec('savepoint attempt');
  try {
    const rows = write.statements.map((statement) => execute(db, statement));
    if (several) db.exec('release attempt');
    return { rows };
  } catch (thrown) {
    const error = CallError.from(thrown);
    if (!isOwnFault(error) || !db.inTransaction()) throw error;
    if (several) db.exec('rollback to attempt; release attempt');
    return { error: error.toJSON() };
  }
}

function execute(db: SqliteConnection, { sql, params, orElse }: Statement): Row[] {
  const returns = RETURNS.test(sql);
  const rows = returns ? db.all(sql, params) : [];
  const touched = returns ? rows.length : db.run(sql, params);
  if (orElse && touched === 0) throw CallError.fromJSON(orElse);
  return rows;
}

const RETURNS = /\breturning\b/;
