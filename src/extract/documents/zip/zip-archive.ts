import { Inflate } from 'fflate';
import { damaged, needsPassword, tooLarge, unsupported } from '../document-errors.ts';
import { readZipDirectory, type ZipEntry } from './zip-directory.ts';
import { ZIP_LIMITS, type ZipLimits } from './zip-limits.ts';

/** The entries of an archive, unpacked one at a time. */
export interface ZipArchive {
  readonly format: string;
  readonly entries: readonly ZipEntry[];
  has(name: string): boolean;
  /** The bytes of an entry; `undefined` if there is none of this name. */
  read(name: string): Uint8Array | undefined;
  /** Passes the bytes on as they are unpacked; `false` if there is no entry of this name. */
  stream(name: string, onBytes: (bytes: Uint8Array) => void): boolean;
}

const LOCAL_SIGNATURE = 0x04034b50;
const LOCAL_BYTES = 30;
const STORED = 0;
const DEFLATED = 8;
/** Packed bytes at a time; they unpack to at most a thousand times as many. */
const STEP_BYTES = 8192;

/** Opens an archive; `format` names the kind of document in errors. */
export function openZip(
  bytes: Uint8Array,
  format: string,
  limits: ZipLimits = ZIP_LIMITS,
): ZipArchive {
  const entries = readZipDirectory(bytes, format, limits);
  const byName = new Map<string, ZipEntry>();
  // Names of parts do not depend on case (OPC); the first of two equal names counts.
  for (const entry of entries) {
    const key = entry.name.toLowerCase();
    if (!byName.has(key)) byName.set(key, entry);
  }
  const count = { total: 0 };
  const find = (name: string): ZipEntry | undefined =>
    byName.get(name.replace(/^\/+/, '').toLowerCase());

  function stream(name: string, onBytes: (bytes: Uint8Array) => void): boolean {
    const entry = find(name);
    if (entry === undefined) return false;
    unpack(bytes, entry, format, limits, count, onBytes);
    return true;
  }

  return {
    format,
    entries,
    has: (name) => find(name) !== undefined,
    stream,
    read(name) {
      const chunks: Uint8Array[] = [];
      if (!stream(name, (chunk) => chunks.push(chunk))) return undefined;
      return joinBytes(chunks);
    },
  };
}

function unpack(
  bytes: Uint8Array,
  entry: ZipEntry,
  format: string,
  limits: ZipLimits,
  count: { total: number },
  onBytes: (bytes: Uint8Array) => void,
): void {
  if (entry.isEncrypted) throw needsPassword(format, 'missing');
  if (entry.method !== STORED && entry.method !== DEFLATED)
    throw unsupported(format, `its part ${entry.name} has the compression method ${entry.method}`);
  const packed = packedBytes(bytes, entry, format);
  let unpacked = 0;
  const add = (size: number): void => {
    unpacked += size;
    count.total += size;
    if (unpacked > limits.maxEntryBytes) throw tooLarge('unpacked bytes', limits.maxEntryBytes);
    if (count.total > limits.maxTotalBytes) throw tooLarge('unpacked bytes', limits.maxTotalBytes);
    if (unpacked > limits.ratioFromBytes && unpacked > packed.length * limits.maxRatio)
      throw tooLarge('unpacked bytes per packed byte', limits.maxRatio);
  };
  // An honest bomb is refused by what it states, a dishonest one by what it unpacks to.
  const stated = entry.statedBytes;
  if (stated > limits.maxEntryBytes) throw tooLarge('unpacked bytes', limits.maxEntryBytes);
  if (stated > limits.ratioFromBytes && stated > packed.length * limits.maxRatio)
    throw tooLarge('unpacked bytes per packed byte', limits.maxRatio);
  if (entry.method === STORED) {
    add(packed.length);
    onBytes(packed);
    return;
  }
  inflate(packed, entry, format, (chunk) => {
    add(chunk.length);
    onBytes(chunk);
  });
}

function packedBytes(bytes: Uint8Array, entry: ZipEntry, format: string): Uint8Array {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const at = entry.offset;
  if (at < 0 || at + LOCAL_BYTES > bytes.length || view.getUint32(at, true) !== LOCAL_SIGNATURE)
    throw damaged(format, `its part ${entry.name} is missing`);
  const start = at + LOCAL_BYTES + view.getUint16(at + 26, true) + view.getUint16(at + 28, true);
  const end = start + entry.packedBytes;
  if (end > bytes.length) throw damaged(format, `its part ${entry.name} is cut off`);
  return bytes.subarray(start, end);
}

function inflate(
  packed: Uint8Array,
  entry: ZipEntry,
  format: string,
  onChunk: (chunk: Uint8Array) => void,
): void {
  const stream = new Inflate();
  let failure: unknown;
  stream.ondata = (chunk) => {
    if (failure !== undefined || chunk.length === 0) return;
    try {
      onChunk(chunk);
    } catch (error) {
      failure = error;
    }
  };
  for (let at = 0; at < packed.length; at += STEP_BYTES) {
    const end = at + STEP_BYTES;
    try {
      stream.push(packed.subarray(at, end), end >= packed.length);
    } catch (cause) {
      throw damaged(format, `its part ${entry.name} cannot be unpacked`, cause);
    }
    if (failure !== undefined) throw failure;
  }
}

function joinBytes(chunks: readonly Uint8Array[]): Uint8Array {
  const [first] = chunks;
  if (chunks.length === 1 && first !== undefined) return first;
  const joined = new Uint8Array(chunks.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const chunk of chunks) {
    joined.set(chunk, at);
    at += chunk.length;
  }
  return joined;
}
