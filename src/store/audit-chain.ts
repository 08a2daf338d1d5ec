import { hash } from 'node:crypto';
import type { CallRecord } from '#core/stores/calls.ts';
import { int, json, text } from './columns.ts';
import { placeholders, type Row, type Statement, type Value } from './database.ts';

/**
 * The columns of `calls` in the order in which they are hashed: what calls are looked up by, and the rest as JSON, so
 * that a new fact about calls changes neither the table nor the chain.
 */
export const AUDIT_COLUMNS = ['req_id', 'at', 'principal', 'tool', 'status', 'detail'] as const;

/** The last link of a writer's chain. */
export interface ChainHead {
  readonly seq: number;
  readonly hash: string;
}

export const NO_LINK: ChainHead = { seq: 0, hash: '' };

export interface ChainLink extends ChainHead {
  readonly values: readonly Value[];
}

export function toAuditValues({
  reqId,
  at,
  principal,
  tool,
  status,
  ...detail
}: CallRecord): Value[] {
  return [reqId, at, principal, tool, status, JSON.stringify(detail)];
}

export function fromAuditRow(row: Row): CallRecord {
  return {
    reqId: text(row, 'req_id'),
    at: int(row, 'at'),
    principal: text(row, 'principal'),
    tool: text(row, 'tool'),
    status: text(row, 'status'),
    ...json<Omit<CallRecord, 'reqId' | 'at' | 'principal' | 'tool' | 'status'>>(row, 'detail'),
  };
}

/** The hash of a row covers the row before it: none can change, vanish or slip in unnoticed. */
export function linkHash(writerId: string, previous: ChainHead, values: readonly Value[]): string {
  return hash('sha256', JSON.stringify([writerId, previous.seq + 1, previous.hash, ...values]));
}

export function link(
  writerId: string,
  head: ChainHead,
  rows: readonly (readonly Value[])[],
): { links: ChainLink[]; head: ChainHead } {
  let previous = head;
  const links = rows.map((values): ChainLink => {
    previous = { seq: previous.seq + 1, hash: linkHash(writerId, previous, values) };
    return { ...previous, values };
  });
  return { links, head: previous };
}

// Few sizes, so that each stays a prepared statement.
const ROWS_PER_INSERT = [64, 16, 4, 1] as const;
const COLUMNS = ['writer_id', 'seq', 'hash', ...AUDIT_COLUMNS];
const INSERTS = new Map(
  ROWS_PER_INSERT.map((rows) => [
    rows,
    `insert into calls (${COLUMNS.join(', ')}) values ${placeholders(COLUMNS.length, rows)}`,
  ]),
);

export function insertLinks(writerId: string, links: readonly ChainLink[]): Statement[] {
  const statements: Statement[] = [];
  for (let at = 0; at < links.length;) {
    const rows = ROWS_PER_INSERT.find((size) => size <= links.length - at) ?? 1;
    const params: Value[] = [];
    for (const { seq, hash: own, values } of links.slice(at, at + rows)) {
      params.push(writerId, seq, own, ...values);
    }
    statements.push({ sql: INSERTS.get(rows) ?? '', params });
    at += rows;
  }
  return statements;
}

/** Where the writer's chain stands: its last row, or the anchor that retention left. */
export const CHAIN_HEAD_SQL = `
  select seq, hash from (
    select seq, hash from calls where writer_id = ?
    union all
    select seq, hash from call_anchors where writer_id = ?
  ) as ends order by seq desc limit 1`;

export function toChainHead(rows: readonly Row[]): ChainHead {
  const row = rows[0];
  return row ? { seq: Number(row['seq']), hash: String(row['hash']) } : NO_LINK;
}
