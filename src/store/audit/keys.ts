import { createHmac, timingSafeEqual } from 'node:crypto';

/**
 * A key that proves audit rows. A program that can write the database can recompute its hashes, but
 * not the proofs.
 */
export interface AuditKey {
  readonly writerId: string;
  readonly key: Uint8Array;
  /** The first row of the chain that was written with this key. */
  readonly fromSeq: number;
  /** A row that the chain has reached; a chain that ends before it was truncated. */
  readonly untilSeq?: number;
}

/** Storage of the keys, outside of the database. */
export interface AuditKeys {
  list(): readonly AuditKey[];
  /** Creates and stores a key for a writer that has none. */
  make(writerId: string, fromSeq: number): AuditKey;
  /** Stores that a chain has reached this row. */
  recordHead(writerId: string, seq: number): void;
}

/** The start of a chain whose earlier rows retention has removed. */
export interface Anchor {
  readonly writerId: string;
  readonly seq: number;
  readonly hash: string;
  readonly prunedUntil: number;
}

/**
 * The proof on the last row of each commit. The hash of that row covers every earlier row, so it
 * proves them all.
 */
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

/** Parses a stored key; undefined when it is invalid. */
export function readAuditKey(stored: {
  readonly writer: unknown;
  readonly from: unknown;
  readonly key: unknown;
  readonly until?: unknown;
}): AuditKey | undefined {
  const { writer, from, key, until } = stored;
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

/** The key for the next rows of a writer. */
export function newestKey(keys: readonly AuditKey[], writerId: string): AuditKey | undefined {
  const own = keys.filter((key) => key.writerId === writerId);
  return keyAt(own, Number.POSITIVE_INFINITY);
}

/** The key of the row with this number: the newest key that starts at or before it. */
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
