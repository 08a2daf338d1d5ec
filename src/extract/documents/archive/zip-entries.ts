import { Buffer, isUtf8 } from 'node:buffer';
import { damaged } from '../document-errors.ts';
import { ByteView } from '../legacy/byte-view.ts';
import { codePageDecoder } from '../legacy/code-page.ts';
import {
  formatDosTime,
  requireEntryCount,
  type ArchiveEntry,
  type ArchiveListing,
} from './archive-entry.ts';

const END = 0x0605_4b50;
const END_64 = 0x0606_4b50;
const LOCATOR_64 = 0x0706_4b50;
const CENTRAL = 0x0201_4b50;
const LOCAL = 0x0403_4b50;
const MAX_COMMENT = 65_557;
const FULL = 0xffff_ffff;

/** Lists the central directory; of a truncated archive, the files that are there. */
export function listZip(bytes: Uint8Array): ArchiveListing {
  const view = new ByteView(bytes, 'ZIP');
  const end = findEnd(bytes);
  const listed = end === undefined ? undefined : readCentral(view, end);
  if (listed !== undefined) return listed;
  const entries = readLocal(view);
  if (entries.length === 0) throw damaged('ZIP', 'its directory is missing');
  return { entries, state: 'damaged' };
}

function findEnd(bytes: Uint8Array): number | undefined {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  const mark = Buffer.from([0x50, 0x4b, 0x05, 0x06]);
  const at = buffer.lastIndexOf(mark);
  return at >= 0 && at >= bytes.length - MAX_COMMENT && at + 22 <= bytes.length ? at : undefined;
}

function readCentral(view: ByteView, end: number): ArchiveListing | undefined {
  let start = view.u32(end + 16);
  let size = view.u32(end + 12);
  if (end >= 20 && view.u32(end - 20) === LOCATOR_64) {
    const end64 = view.u64(end - 12);
    if (end64 + 56 <= view.length && view.u32(end64) === END_64) {
      size = view.u64(end64 + 40);
      start = view.u64(end64 + 48);
    }
  }
  // Bytes before the archive, as in a program that unpacks itself, move the directory.
  const shifted = end - size;
  const isAt = (at: number): boolean => at + 4 <= view.length && view.u32(at) === CENTRAL;
  if (view.u32(end) === END && size === 0) return { entries: [], state: 'complete' };
  const from = isAt(start) ? start : shifted >= 0 && isAt(shifted) ? shifted : undefined;
  if (from === undefined) return undefined;
  const entries: ArchiveEntry[] = [];
  let at = from;
  while (at + 46 <= view.length && view.u32(at) === CENTRAL) {
    const nameLength = view.u16(at + 28);
    const extraLength = view.u16(at + 30);
    const next = at + 46 + nameLength + extraLength + view.u16(at + 32);
    if (at + 46 + nameLength + extraLength > view.length) return { entries, state: 'damaged' };
    const extra = view.sub(at + 46 + nameLength, extraLength);
    const stored = view.u32(at + 24);
    entries.push(
      makeEntry(view.slice(at + 46, nameLength), view.u16(at + 8), {
        bytes: stored === FULL ? (size64(extra) ?? stored) : stored,
        date: view.u16(at + 14),
        time: view.u16(at + 12),
      }),
    );
    requireEntryCount(entries.length);
    at = next;
  }
  return { entries, state: 'complete' };
}

function size64(extra: ByteView): number | undefined {
  for (let at = 0; at + 4 <= extra.length; at += 4 + extra.u16(at + 2))
    if (extra.u16(at) === 1 && at + 12 <= extra.length) return extra.u64(at + 4);
  return undefined;
}

function readLocal(view: ByteView): readonly ArchiveEntry[] {
  const entries: ArchiveEntry[] = [];
  let at = 0;
  while (at + 30 <= view.length && view.u32(at) === LOCAL) {
    const nameLength = view.u16(at + 26);
    const data = at + 30 + nameLength + view.u16(at + 28);
    if (at + 30 + nameLength > view.length) break;
    entries.push(
      makeEntry(view.slice(at + 30, nameLength), view.u16(at + 6), {
        bytes: view.u32(at + 22),
        date: view.u16(at + 12),
        time: view.u16(at + 10),
      }),
    );
    requireEntryCount(entries.length);
    at = data + view.u32(at + 18);
  }
  return entries;
}

function makeEntry(
  stored: Uint8Array,
  flags: number,
  { bytes, date, time }: { readonly bytes: number; readonly date: number; readonly time: number },
): ArchiveEntry {
  const isUnicode = (flags & 0x0800) !== 0 || isUtf8(stored);
  const name = codePageDecoder(isUnicode ? 65_001 : 437)(stored);
  const modified = formatDosTime(date, time);
  return {
    name,
    kind: name.endsWith('/') ? 'folder' : 'file',
    bytes,
    ...(modified !== undefined && { modified }),
  };
}
