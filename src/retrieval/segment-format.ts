import { deflateRawSync, inflateRawSync } from 'node:zlib';
import type { FilePassage } from '#core/files/passage.ts';
import type { IndexPart } from '#core/stores/file-index.ts';
import { createByteWriter, readVarint, type ByteReader } from './byte-writer.ts';

/** Bytes of postings per bucket, about what one query of a term reads. */
const BUCKET_BYTES = 4_096;
const MAX_BUCKETS = 4_096;
/** Passages that are packed together. */
export const PASSAGES_PER_TEXT = 8;
const PACKING = { level: 3 };

/** The passages of a term: numbers of passages and counts, alternating, in ascending order. */
export type Postings = readonly number[];

/** Distributes the postings of a segment to buckets. */
export function encodePostings(postings: ReadonlyMap<string, Postings>): {
  readonly buckets: number;
  readonly parts: readonly IndexPart[];
} {
  const entries = [...postings].map(([term, list]) => ({
    hash: hashOf(term),
    bytes: entryOf(term, list),
  }));
  const bytes = entries.reduce((sum, entry) => sum + entry.bytes.length, 0);
  let buckets = 1;
  while (buckets < MAX_BUCKETS && buckets * BUCKET_BYTES < bytes) buckets *= 2;
  const writers = Array.from({ length: buckets }, createByteWriter);
  for (const entry of entries) writers[entry.hash & (buckets - 1)]?.bytes(entry.bytes);
  const parts = writers.flatMap((writer, at) =>
    writer.length === 0 ? [] : [{ at, bytes: writer.take() }],
  );
  return { buckets, parts };
}

/** The bucket of a term in a segment with so many buckets. */
export function bucketOf(term: string, buckets: number): number {
  return hashOf(term) & (buckets - 1);
}

/** The postings of a term in its bucket; undefined if the segment does not have it. */
export function findPostings(bucket: Uint8Array, term: string): PostingsReader | undefined {
  const wanted = Buffer.from(term);
  const reader = { bytes: bucket, at: 0 };
  while (reader.at < bucket.length) {
    const termBytes = readVarint(reader);
    const termAt = reader.at;
    reader.at += termBytes;
    const count = readVarint(reader);
    const dataBytes = readVarint(reader);
    const isFound =
      termBytes === wanted.length && wanted.equals(bucket.subarray(termAt, termAt + termBytes));
    if (isFound) return { count, reader };
    reader.at += dataBytes;
  }
  return undefined;
}

export interface PostingsReader {
  /** In how many passages the term is. */
  readonly count: number;
  readonly reader: ByteReader;
}

/** Visits the passages of a term; can be done once. */
export function forEachPosting(
  { count, reader }: PostingsReader,
  visit: (passage: number, occurrences: number) => void,
): void {
  let passage = -1;
  for (let left = count; left > 0; left -= 1) {
    passage += readVarint(reader);
    visit(passage, readVarint(reader));
  }
}

function entryOf(term: string, list: Postings): Uint8Array {
  const data = createByteWriter();
  let last = -1;
  for (let at = 0; at < list.length; at += 2) {
    const passage = list[at] ?? 0;
    data.number(passage - last);
    data.number(list[at + 1] ?? 0);
    last = passage;
  }
  const name = Buffer.from(term);
  const entry = createByteWriter();
  entry.number(name.length);
  entry.bytes(name);
  entry.number(list.length / 2);
  const bytes = data.take();
  entry.number(bytes.length);
  entry.bytes(bytes);
  return entry.take();
}

/** FNV-1a. */
function hashOf(term: string): number {
  let hash = 0x811c9dc5 | 0;
  for (let at = 0; at < term.length; at += 1) {
    hash = Math.imul(hash ^ term.charCodeAt(at), 0x01000193);
  }
  // Its low bits alone would be weak.
  return (hash ^ (hash >>> 15)) >>> 0;
}

/** Packs passages, some at a time. */
export function encodeTexts(passages: readonly FilePassage[]): readonly IndexPart[] {
  const parts: IndexPart[] = [];
  for (let from = 0; from < passages.length; from += PASSAGES_PER_TEXT) {
    const json = JSON.stringify(passages.slice(from, from + PASSAGES_PER_TEXT));
    const bytes = Uint8Array.from(deflateRawSync(json, PACKING));
    parts.push({ at: parts.length, bytes });
  }
  return parts;
}

export function decodeTexts(bytes: Uint8Array): readonly FilePassage[] {
  return JSON.parse(inflateRawSync(bytes).toString('utf8')) as FilePassage[];
}
