import { isUtf8 } from 'node:buffer';
import { damaged, needsPassword } from '../document-errors.ts';
import { ByteView } from '../legacy/byte-view.ts';
import { codePageDecoder } from '../legacy/code-page.ts';
import {
  formatDosTime,
  formatUnixTime,
  requireEntryCount,
  type ArchiveEntry,
  type ArchiveListing,
} from './archive-entry.ts';

const RAR4_MAIN = 0x73;
const RAR4_FILE = 0x74;
const RAR4_END = 0x7b;
const RAR5_FILE = 2;
const RAR5_ENCRYPTION = 4;
const RAR5_END = 5;

/** Lists the headers of a RAR archive, which are not compressed. */
export function listRar(bytes: Uint8Array): ArchiveListing {
  const view = new ByteView(bytes, 'RAR');
  return bytes[6] === 1 ? listRar5(view) : listRar4(view);
}

function listRar4(view: ByteView): ArchiveListing {
  const entries: ArchiveEntry[] = [];
  let at = 7;
  while (at + 7 <= view.length) {
    const type = view.u8(at + 2);
    const flags = view.u16(at + 3);
    const size = view.u16(at + 5);
    if (size < 7 || at + size > view.length) return { entries, state: 'damaged' };
    if (type === RAR4_END) break;
    if (type === RAR4_MAIN && (flags & 0x80) !== 0) throw needsPassword('RAR', 'missing');
    if (type === RAR4_FILE && size >= 32) entries.push(readRar4File(view.sub(at, size), flags));
    requireEntryCount(entries.length);
    const hasData = type === RAR4_FILE || (flags & 0x8000) !== 0;
    const high = type === RAR4_FILE && (flags & 0x0100) !== 0 && size >= 36 ? view.u32(at + 32) : 0;
    at += size + (hasData && size >= 11 ? view.u32(at + 7) + high * 0x1_0000_0000 : 0);
  }
  if (entries.length === 0 && view.length < 20) throw damaged('RAR', 'it has no headers');
  return { entries, state: at > view.length ? 'damaged' : 'complete' };
}

function readRar4File(header: ByteView, flags: number): ArchiveEntry {
  const isLarge = (flags & 0x0100) !== 0;
  const nameAt = isLarge ? 40 : 32;
  const length = Math.min(header.u16(26), Math.max(0, header.length - nameAt));
  const stored = header.bytes.subarray(nameAt, nameAt + length);
  // A zero separates the name for old programs from its packed form in Unicode.
  const zero = stored.indexOf(0);
  const plain = zero < 0 ? stored : stored.subarray(0, zero);
  const modified = formatDosTime(header.u16(22), header.u16(20));
  const high = isLarge && header.length >= 40 ? header.u32(36) : 0;
  return {
    name: codePageDecoder(isUtf8(plain) ? 65_001 : 437)(plain).replaceAll('\\', '/'),
    kind: (flags & 0xe0) === 0xe0 ? 'folder' : 'file',
    bytes: header.u32(11) + high * 0x1_0000_0000,
    ...(modified !== undefined && { modified }),
  };
}

/** A number in groups of seven bits; `next` is the place after it. */
function readVint(view: ByteView, at: number): { readonly value: number; readonly next: number } {
  let value = 0;
  let scale = 1;
  for (let index = 0; index < 10; index++) {
    const byte = view.u8(at + index);
    value += (byte & 0x7f) * scale;
    scale *= 128;
    if ((byte & 0x80) === 0) return { value, next: at + index + 1 };
  }
  throw damaged('RAR', 'a number in it has no end');
}

function listRar5(view: ByteView): ArchiveListing {
  const entries: ArchiveEntry[] = [];
  let at = 8;
  while (at + 7 <= view.length) {
    const size = readVint(view, at + 4);
    const end = size.next + size.value;
    if (size.value === 0 || end > view.length) return { entries, state: 'damaged' };
    const type = readVint(view, size.next);
    const flags = readVint(view, type.next);
    if (type.value === RAR5_ENCRYPTION) throw needsPassword('RAR', 'missing');
    if (type.value === RAR5_END) break;
    let next = flags.next;
    if ((flags.value & 1) !== 0) next = readVint(view, next).next;
    let data = 0;
    if ((flags.value & 2) !== 0) {
      const stored = readVint(view, next);
      data = stored.value;
      next = stored.next;
    }
    if (type.value === RAR5_FILE) entries.push(readRar5File(view, next));
    requireEntryCount(entries.length);
    at = end + data;
  }
  return { entries, state: at > view.length ? 'damaged' : 'complete' };
}

function readRar5File(view: ByteView, at: number): ArchiveEntry {
  const flags = readVint(view, at);
  const bytes = readVint(view, flags.next);
  let next = readVint(view, bytes.next).next;
  let modified: string | undefined;
  if ((flags.value & 2) !== 0) {
    modified = formatUnixTime(view.u32(next));
    next += 4;
  }
  if ((flags.value & 4) !== 0) next += 4;
  next = readVint(view, next).next;
  next = readVint(view, next).next;
  const length = readVint(view, next);
  return {
    name: codePageDecoder(65_001)(view.slice(length.next, length.value)),
    kind: (flags.value & 1) !== 0 ? 'folder' : 'file',
    bytes: bytes.value,
    ...(modified !== undefined && { modified }),
  };
}
