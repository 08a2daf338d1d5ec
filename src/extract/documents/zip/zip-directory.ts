import { Buffer } from 'node:buffer';
import { damaged, tooLarge } from '../document-errors.ts';
import type { ZipLimits } from './zip-limits.ts';

export interface ZipEntry {
  /** With `/` between its segments, without one at the start. */
  readonly name: string;
  readonly method: number;
  readonly isEncrypted: boolean;
  readonly packedBytes: number;
  /** As the directory states it; the entry may unpack to more. */
  readonly statedBytes: number;
  /** Of its local header. */
  readonly offset: number;
}

const END = Buffer.from([0x50, 0x4b, 5, 6]);
const END_BYTES = 22;
const CENTRAL_SIGNATURE = 0x02014b50;
const CENTRAL_BYTES = 46;
const ZIP64_END_SIGNATURE = 0x06064b50;
const ZIP64_LOCATOR_SIGNATURE = 0x07064b50;
const MAX_32 = 0xffffffff;
const MAX_16 = 0xffff;

interface Extent {
  readonly start: number;
  readonly entries: number;
  /** Bytes before the archive, as of a self-extracting one; all offsets count without them. */
  readonly shift: number;
}

/**
 * The entries by the central directory. An archive that was cut off has none, and is refused: its
 * text would be shortened.
 */
export function readZipDirectory(bytes: Uint8Array, format: string, limits: ZipLimits): ZipEntry[] {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const { start, entries: count, shift } = findDirectory(buffer, format);
  if (count > limits.maxEntries) throw tooLarge('entries', limits.maxEntries);
  const entries: ZipEntry[] = [];
  let at = start;
  while (at + CENTRAL_BYTES <= buffer.length && buffer.readUInt32LE(at) === CENTRAL_SIGNATURE) {
    if (entries.length >= limits.maxEntries) throw tooLarge('entries', limits.maxEntries);
    const nameBytes = buffer.readUInt16LE(at + 28);
    const extraBytes = buffer.readUInt16LE(at + 30);
    const commentBytes = buffer.readUInt16LE(at + 32);
    const nameEnd = at + CENTRAL_BYTES + nameBytes;
    const extra = buffer.subarray(nameEnd, nameEnd + extraBytes);
    const name = entryName(buffer.subarray(at + CENTRAL_BYTES, nameEnd));
    const sizes = readSizes(buffer, at, extra);
    if (isPlainName(name))
      entries.push({
        name,
        method: buffer.readUInt16LE(at + 10),
        isEncrypted: (buffer.readUInt16LE(at + 8) & 1) !== 0,
        packedBytes: sizes.packed,
        statedBytes: sizes.stated,
        offset: sizes.offset + shift,
      });
    at = nameEnd + extraBytes + commentBytes;
  }
  if (entries.length === 0) throw damaged(format, 'its ZIP directory is empty or damaged');
  return entries;
}

function findDirectory(buffer: Buffer, format: string): Extent {
  for (let end = buffer.lastIndexOf(END), tries = 0; end >= 0 && tries < 8; tries++) {
    if (end + END_BYTES <= buffer.length) {
      const extent = readZip64End(buffer, end) ?? readEnd(buffer, end);
      if (isDirectory(buffer, extent.start)) return extent;
      // Some writers count from the start of the file although bytes precede the archive.
      if (isDirectory(buffer, extent.start - extent.shift))
        return { ...extent, start: extent.start - extent.shift, shift: 0 };
    }
    if (end === 0) break;
    end = buffer.lastIndexOf(END, end - 1);
  }
  throw damaged(
    format,
    'its ZIP directory is missing, so the file is cut off or not a ZIP archive',
  );
}

function readEnd(buffer: Buffer, end: number): Extent {
  const size = buffer.readUInt32LE(end + 12);
  const offset = buffer.readUInt32LE(end + 16);
  const start = end - size;
  return { start, entries: buffer.readUInt16LE(end + 10), shift: start - offset };
}

function readZip64End(buffer: Buffer, end: number): Extent | undefined {
  const locator = end - 20;
  if (locator < 0 || buffer.readUInt32LE(locator) !== ZIP64_LOCATOR_SIGNATURE) return undefined;
  const stated = Number(buffer.readBigUInt64LE(locator + 8));
  // The record is before its locator, wherever bytes precede the archive.
  const at = [stated, locator - 56].find(
    (place) =>
      place >= 0 &&
      place + 56 <= buffer.length &&
      buffer.readUInt32LE(place) === ZIP64_END_SIGNATURE,
  );
  if (at === undefined) return undefined;
  const size = Number(buffer.readBigUInt64LE(at + 40));
  const offset = Number(buffer.readBigUInt64LE(at + 48));
  const start = at - size;
  return { start, entries: Number(buffer.readBigUInt64LE(at + 32)), shift: start - offset };
}

function isDirectory(buffer: Buffer, start: number): boolean {
  return (
    start >= 0 && start + 4 <= buffer.length && buffer.readUInt32LE(start) === CENTRAL_SIGNATURE
  );
}

function readSizes(
  buffer: Buffer,
  at: number,
  extra: Buffer,
): { packed: number; stated: number; offset: number } {
  let packed = buffer.readUInt32LE(at + 20);
  let stated = buffer.readUInt32LE(at + 24);
  let offset = buffer.readUInt32LE(at + 42);
  if (packed !== MAX_32 && stated !== MAX_32 && offset !== MAX_32)
    return { packed, stated, offset };
  for (let field = 0; field + 4 <= extra.length;) {
    const size = extra.readUInt16LE(field + 2);
    if (extra.readUInt16LE(field) === 1) {
      let from = field + 4;
      const next = (value: number): number => {
        if (value !== MAX_32 || from + 8 > Math.min(extra.length, field + 4 + size)) return value;
        from += 8;
        return Number(extra.readBigUInt64LE(from - 8));
      };
      stated = next(stated);
      packed = next(packed);
      offset = next(offset);
    }
    field += 4 + Math.min(size, MAX_16);
  }
  return { packed, stated, offset };
}

/** Names are UTF-8 almost everywhere, whatever the flag says. */
function entryName(bytes: Buffer): string {
  const text = bytes.toString('utf8');
  const name = text.includes('\ufffd') ? bytes.toString('latin1') : text;
  return name.replaceAll('\\', '/').replace(/^\/+/, '');
}

/** A name that leads out of the archive is not a part of a document. */
function isPlainName(name: string): boolean {
  return name !== '' && !name.includes('\0') && !name.split('/').includes('..');
}
