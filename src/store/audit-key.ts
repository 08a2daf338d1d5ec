import { createHmac, timingSafeEqual } from 'node:crypto';

/** Who can write the database can compute its hashes anew; without this key it cannot prove what it wrote. */
export interface AuditKey {
  readonly writerId: string;
  readonly key: Uint8Array;
  /** The first row of the writer's chain that was written with it. */
  readonly fromSeq: number;
  /** A row that the chain is known to have reached: one that ends before it was cut. */
  readonly untilSeq?: number;
}

/** Where keys are kept: outside of the database. */
export interface AuditKeys {
  list(): readonly AuditKey[];
  /** For a writer that has none. Stored when it returns. */
  make(writerId: string, fromSeq: number): AuditKey;
  /** A chain has reached this row. */
  note(writerId: string, seq: number): void;
}

/** What retention leaves of the rows that it removed from a chain. */
export interface Anchor {
  readonly writerId: string;
  readonly seq: number;
  readonly hash: string;
  readonly prunedUntil: number;
}

/** Stands on the last row of each commit. Its hash covers every row before it, so this proves them all. */
export function rowProof({ key }: Pick<AuditKey, 'key'>, hash: string): string {
  return mac(key, ['row', hash]);
}

export function anchorProof({ key }: Pick<AuditKey, 'key'>, anchor: Anchor): string {
  const { writerId, seq, hash, prunedUntil } = anchor;
  return mac(key, ['anchor', writerId, seq, hash, prunedUntil]);
}

export function isEqualProof(found: string, expected: string): boolean {
  return (
    found.length === expected.length && timingSafeEqual(Buffer.from(found), Buffer.from(expected))
  );
}

const KEY_BYTES = 32;
const WRITER = /^writer_[A-Za-z0-9_]{1,64}$/;

/** A key as it comes from a file; nothing when it is none. */
export function readAuditKey(given: {
  readonly writer: unknown;
  readonly from: unknown;
  readonly key: unknown;
  readonly until?: unknown;
}): AuditKey | undefined {
  const { writer, from, key, until } = given;
  if (typeof writer !== 'string' || !WRITER.test(writer) || typeof key !== 'string')
    return undefined;
  const bytes = Buffer.from(key, 'base64url');
  if (bytes.length !== KEY_BYTES || !Number.isSafeInteger(from) || Number(from) < 1)
    return undefined;
  return {
    writerId: writer,
    key: bytes,
    fromSeq: Number(from),
    ...(Number.isSafeInteger(until) && { untilSeq: Number(until) }),
  };
}

/** The one that a writer's next rows are proven with. */
export function newestKey(keys: readonly AuditKey[], writerId: string): AuditKey | undefined {
  const own = keys.filter((key) => key.writerId === writerId);
  return keyAt(own, Number.POSITIVE_INFINITY);
}

/** The key that a row of this number was written with, where it is known: of several the newest that had begun. */
export function keyAt(keys: readonly AuditKey[], seq: number): AuditKey | undefined {
  let found: AuditKey | undefined;
  for (const key of keys) {
    if (key.fromSeq <= seq && key.fromSeq >= (found?.fromSeq ?? 0)) found = key;
  }
  return found;
}

function mac(key: Uint8Array, parts: readonly (string | number)[]): string {
  return createHmac('sha256', key).update(JSON.stringify(parts)).digest('hex');
}
