import type { AuditReport } from '#core/stores/store.ts';
import { AUDIT_COLUMNS, linkHash, NO_LINK, type ChainHead } from './audit-chain.ts';
import { int, text, where } from './columns.ts';
import type { Query, Row } from './database.ts';

const PAGE = 5000;
type Chain = AuditReport['chains'][number];

/** Walks every chain from its anchor, or from the start. A broken one ends at its first fault; the others go on. */
export async function verifyAudit(query: Query): Promise<AuditReport> {
  const writers = await query(
    'select writer_id from calls union select writer_id from call_anchors order by writer_id',
  );
  const chains: Chain[] = [];
  for (const row of writers) chains.push(await verifyChain(query, text(row, 'writer_id')));
  return { chains };
}

async function verifyChain(query: Query, writerId: string): Promise<Chain> {
  const [anchor] = await query('select seq, hash from call_anchors where writer_id = ?', [
    writerId,
  ]);
  const from: ChainHead = anchor
    ? { seq: int(anchor, 'seq'), hash: text(anchor, 'hash') }
    : NO_LINK;
  let head = from;
  // From the lowest row there is, not from the anchor: what stands before the chain's start was slipped in.
  for (let after: number | undefined; ; after = head.seq) {
    const { sql, params } = where({ 'writer_id = ?': writerId, 'seq > ?': after });
    const page = await query(`select * from calls where ${sql} order by seq limit ?`, [
      ...params,
      PAGE,
    ]);
    for (const row of page) {
      const what = faultOf(writerId, head, row);
      if (what !== undefined) return report(writerId, from, head, { seq: int(row, 'seq'), what });
      head = { seq: int(row, 'seq'), hash: text(row, 'hash') };
    }
    if (page.length < PAGE) return report(writerId, from, head);
  }
}

function faultOf(writerId: string, previous: ChainHead, row: Row): string | undefined {
  const seq = int(row, 'seq');
  if (seq <= previous.seq) return `row ${seq} stands before the start of the chain`;
  if (seq === previous.seq + 2) return `row ${seq - 1} is missing`;
  if (seq > previous.seq + 1) return `rows ${previous.seq + 1} to ${seq - 1} are missing`;
  const values = AUDIT_COLUMNS.map((column) => row[column] ?? null);
  if (linkHash(writerId, previous, values) === text(row, 'hash')) return undefined;
  return previous.seq === 0
    ? `row ${seq} was changed`
    : `row ${seq} was changed, or row ${previous.seq} before it was replaced`;
}

function report(writerId: string, from: ChainHead, to: ChainHead, fault?: Chain['fault']): Chain {
  return {
    writerId,
    rows: to.seq - from.seq,
    fromSeq: from.seq,
    toSeq: to.seq,
    head: to.hash,
    ...(fault && { fault }),
  };
}
