import type { AuditReport } from '#core/stores/store.ts';
import { AUDIT_COLUMNS, linkHash, NO_LINK, type ChainHead } from './chain.ts';
import type { RecordedHead } from './head-file.ts';
import { anchorProof, isEqualProof, keyAt, rowProof, type AuditKey } from './keys.ts';
import { int, text, where } from '../tables/columns.ts';
import type { Dialect, Query, Row } from '../database.ts';

const PAGE = 5000;
type Chain = AuditReport['chains'][number];
type Fault = NonNullable<Chain['fault']>;

export interface VerifyOptions {
  readonly dialect: Dialect;
  /** The known keys of all writers. */
  readonly keys: readonly AuditKey[];
  /** Hashes recorded earlier, which the chains must contain. */
  readonly heads?: readonly string[];
  /** The end of a chain as this home recorded it, read before the rows. */
  readonly recorded?: RecordedHead | undefined;
}

/**
 * Verifies every chain from its anchor or its start. A broken chain stops at its first fault; the
 * others continue.
 */
export async function verifyAudit(
  query: Query,
  { dialect, keys, heads = [], recorded }: VerifyOptions,
): Promise<AuditReport> {
  const writers = await query(
    'select writer_id from calls union select writer_id from call_anchors order by writer_id',
  );
  const wanted = new Map<string, AuditReport['heads'][number]>(
    heads.map((head) => [head, { head, is: 'missing' }]),
  );
  const chains: Chain[] = [];
  // A chain that was removed completely has no row that names its writer.
  const ids = new Set([
    ...writers.map((row) => text(row, 'writer_id')),
    ...keys
      .filter(({ fromSeq, untilSeq = 0 }) => fromSeq > 1 || untilSeq > 0)
      .map(({ writerId }) => writerId),
    ...(recorded && recorded.seq > 0 ? [recorded.writerId] : []),
  ]);
  for (const writerId of ids) {
    const onLink = ({ seq, hash }: ChainHead) => {
      if (wanted.has(hash)) wanted.set(hash, { head: hash, is: 'found', writerId, seq });
    };
    chains.push(
      await verifyChain(query, writerId, {
        dialect,
        keys,
        recorded: recorded?.writerId === writerId ? recorded : undefined,
        onLink,
      }),
    );
  }
  return { chains, heads: [...wanted.values()] };
}

interface Walk {
  readonly dialect: Dialect;
  readonly keys: readonly AuditKey[];
  readonly recorded: RecordedHead | undefined;
  readonly onLink: (link: ChainHead) => void;
}

async function verifyChain(query: Query, writerId: string, walk: Walk): Promise<Chain> {
  const own = walk.keys.filter((key) => key.writerId === writerId);
  const start = await readStart(query, writerId, walk.keys);
  const { from } = start;
  const proofs = createProofs(own, from, walk.recorded?.seq);
  let head = from;
  const report = (fault?: Fault): Chain => ({
    writerId,
    rows: head.seq - from.seq,
    fromSeq: from.seq,
    toSeq: head.seq,
    head: head.hash,
    ...(start.cut && { cut: start.cut }),
    proof: proofs.summary(),
    ...(fault && { fault }),
  });
  const lost = faultOfCut(start, own, walk.dialect);
  if (lost) return report(lost);
  if (from.seq > 0) walk.onLink(from);
  // Starts at the lowest row, not at the anchor: a row before the start of the chain was inserted.
  for (let after: number | undefined; ; after = head.seq) {
    const { sql, params } = where({ 'writer_id = ?': writerId, 'seq > ?': after });
    const page = await query(`select * from calls where ${sql} order by seq limit ?`, [
      ...params,
      PAGE,
    ]);
    for (const row of page) {
      const what =
        faultOf(writerId, head, row) ?? proofs.check(row) ?? faultOfRecord(row, walk.recorded);
      if (what !== undefined) return report({ seq: int(row, 'seq'), what });
      head = { seq: int(row, 'seq'), hash: text(row, 'hash') };
      walk.onLink(head);
    }
    if (page.length < PAGE) return report(proofs.faultOfEnd(head));
  }
}

function faultOf(writerId: string, previous: ChainHead, row: Row): string | undefined {
  const seq = int(row, 'seq');
  if (seq <= previous.seq) return `row ${seq} stands before the start of the chain`;
  if (seq > previous.seq + 1) return missing(previous.seq + 1, seq - 1);
  const values = AUDIT_COLUMNS.map((column) => row[column] ?? null);
  if (linkHash(writerId, previous, values) === text(row, 'hash')) return undefined;
  return previous.seq === 0
    ? `row ${seq} was changed`
    : `row ${seq} was changed, or row ${previous.seq} before it was replaced`;
}

/** A row is not the one that this home recorded: the end of the chain was replaced by another. */
function faultOfRecord(row: Row, recorded: RecordedHead | undefined): string | undefined {
  const seq = int(row, 'seq');
  if (seq !== recorded?.seq || text(row, 'hash') === recorded.hash) return undefined;
  return `row ${seq} is not the one that this home recorded`;
}

/** Tracks which rows are proven while a chain is verified. */
function createProofs(own: readonly AuditKey[], from: ChainHead, recordedSeq = 0) {
  const firstKeyed = own.length === 0 ? undefined : Math.min(...own.map(({ fromSeq }) => fromSeq));
  const lastKeyed = Math.max(0, ...own.map(({ fromSeq }) => fromSeq));
  const reached = Math.max(recordedSeq, lastKeyed - 1, ...own.map(({ untilSeq = 0 }) => untilSeq));
  /** The last row with a proof, whether or not the key is known. */
  let marked = 0;
  return {
    summary: (): Chain['proof'] =>
      firstKeyed === undefined ? { by: 'links' } : { by: 'key', fromSeq: firstKeyed },
    check(row: Row): string | undefined {
      const seq = int(row, 'seq');
      const proof = row['proof'] ?? null;
      if (typeof proof !== 'string') return undefined;
      const since = Math.max(marked, from.seq) + 1;
      marked = seq;
      const key = keyAt(own, seq);
      if (!key || isEqualProof(proof, rowProof(key, text(row, 'hash')))) return undefined;
      return `${rowsFrom(since, seq)} changed, or written without the key of this chain`;
    },
    /** Every commit ends with a proof, from the first row of the key on. */
    faultOfEnd({ seq: end }: ChainHead): Fault | undefined {
      if (end < reached) return { seq: end + 1, what: missing(end + 1, reached) };
      const isInKeyedPart = own.length > 0 && end >= lastKeyed;
      if (marked === 0 && !isInKeyedPart) return undefined;
      const unproven = isInKeyedPart && marked < lastKeyed ? lastKeyed : marked + 1;
      const first = Math.max(unproven, from.seq + 1);
      if (first > end) return undefined;
      return { seq: first, what: `${rowsFrom(first, end)} written without the key of this chain` };
    },
  };
}

interface Start {
  readonly from: ChainHead;
  readonly cut?: NonNullable<Chain['cut']>;
}

async function readStart(
  query: Query,
  writerId: string,
  keys: readonly AuditKey[],
): Promise<Start> {
  const [row] = await query('select * from call_anchors where writer_id = ?', [writerId]);
  if (!row) return { from: NO_LINK };
  const from = { seq: int(row, 'seq'), hash: text(row, 'hash') };
  const prunedUntil = int(row, 'pruned_until');
  const proof = row['proof'] ?? null;
  // Any daemon of a store prunes all chains.
  const isProven =
    typeof proof === 'string' &&
    keys.some((key) => isEqualProof(proof, anchorProof(key, { writerId, ...from, prunedUntil })));
  const until = new Date(prunedUntil).toISOString();
  return { from, cut: { until, proof: isProven ? 'key' : 'none' } };
}

/** With SQLite there is one daemon, so the one that prunes a chain has its key. */
function faultOfCut(
  { from, cut }: Start,
  own: readonly AuditKey[],
  dialect: Dialect,
): Fault | undefined {
  const isKeyed = own.some(({ fromSeq }) => fromSeq <= from.seq);
  if (dialect !== 'sqlite' || !cut || cut.proof === 'key' || !isKeyed) return undefined;
  return { seq: from.seq, what: `${rowsFrom(1, from.seq)} removed without the key of this chain` };
}

function missing(first: number, last: number): string {
  return first === last ? `row ${first} is missing` : `rows ${first} to ${last} are missing`;
}

function rowsFrom(first: number, last: number): string {
  return first >= last ? `row ${last} was` : `rows ${first} to ${last} were`;
}
