import { hash } from 'node:crypto';
import type { CallRecord } from '#core/stores/calls.ts';
import { rowProof } from './keys.ts';
import { int, json, text } from '../tables/columns.ts';
import {
  placeholders,
  type Cell,
  type Query,
  type Row,
  type Statement,
  type Value,
} from '../database.ts';

/**
 * The columns of `calls` in the order in which they are hashed: the columns that queries use, and
 * the rest as JSON, so that a new field changes neither the table nor the chain.
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
  readonly proof: string | null;
}

/** The writer of a chain and the key of its proofs; without a key rows have no proofs. */
export interface ChainWriter {
  readonly writerId: string;
  readonly key?: Uint8Array | undefined;
  /** The recorded end of the chain, where the database ends before it: the next row continues there. */
  readonly after?: ChainHead | undefined;
  /** The file that has the end of the chain outside of the database. */
  readonly headFile?: string | undefined;
}

type Detail = Omit<CallRecord, 'reqId' | 'at' | 'principal' | 'tool' | 'status'>;

export function toAuditValues(call: CallRecord): Value[] {
  // Fields are listed by name, because removing the others from a copy would cost more than the
  // whole row. The compiler finds a missing one.
  const detail: { [Name in keyof Required<Detail>]: Detail[Name] | undefined } = {
    agent: call.agent,
    door: call.door,
    errorClass: call.errorClass,
    argsSha256: call.argsSha256,
    elapsedMs: call.elapsedMs,
    metadata: call.metadata,
    access: call.access,
    clientInfo: call.clientInfo,
    clientMetadata: call.clientMetadata,
    via: call.via,
    sharedWith: call.sharedWith,
  };
  return [call.reqId, call.at, call.principal, call.tool, call.status, JSON.stringify(detail)];
}

export function fromAuditRow(row: Row): CallRecord {
  return {
    reqId: text(row, 'req_id'),
    at: int(row, 'at'),
    principal: text(row, 'principal'),
    tool: text(row, 'tool'),
    status: text(row, 'status'),
    ...json<Detail>(row, 'detail'),
  };
}

/**
 * The hash of a row. It covers the previous row, so no row can change, disappear or be inserted
 * without changing all later hashes.
 */
export function linkHash(writerId: string, previous: ChainHead, values: readonly Cell[]): string {
  return hash('sha256', JSON.stringify([writerId, previous.seq + 1, previous.hash, ...values]));
}

/** Links the rows of one commit to the head; the proof on the last row covers them all. */
export function link(
  { writerId, key }: ChainWriter,
  head: ChainHead,
  rows: readonly (readonly Value[])[],
): ChainLink[] {
  let previous = head;
  return rows.map((values, at) => {
    previous = { seq: previous.seq + 1, hash: linkHash(writerId, previous, values) };
    const isLast = at === rows.length - 1;
    return { ...previous, values, proof: key && isLast ? rowProof({ key }, previous.hash) : null };
  });
}

// Few sizes, so that each is a cached prepared statement.
const ROWS_PER_INSERT = [64, 16, 4, 1] as const;
const COLUMNS = ['writer_id', 'seq', 'hash', 'proof', ...AUDIT_COLUMNS];
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
    for (const { seq, hash: own, proof, values } of links.slice(at, at + rows)) {
      params.push(writerId, seq, own, proof, ...values);
    }
    statements.push({ sql: INSERTS.get(rows) ?? '', params });
    at += rows;
  }
  return statements;
}

/**
 * Queries for the head of a chain: its last row, or the anchor that retention left. The second runs
 * if the first finds none.
 */
export const CHAIN_HEAD_SQL = [
  'select seq, hash from calls where writer_id = ? order by seq desc limit 1',
  'select seq, hash from call_anchors where writer_id = ?',
] as const;

export function toChainHead(row: Row | undefined): ChainHead {
  return row ? { seq: int(row, 'seq'), hash: text(row, 'hash') } : NO_LINK;
}

export async function readChainHead(query: Query, writerId: string): Promise<ChainHead> {
  for (const sql of CHAIN_HEAD_SQL) {
    const [row] = await query(sql, [writerId]);
    if (row) return toChainHead(row);
  }
  return NO_LINK;
}
