import { Buffer } from 'node:buffer';

const SECTOR = 512;
const END = 0xffff_fffe;
const NONE = 0xffff_ffff;

/** A small compound file for tests: streams below the root, each filled up to 4096 bytes. */
export function buildCompoundFile(streams: Readonly<Record<string, Buffer>>): Buffer {
  const contents = Object.entries(streams).map(([name, bytes]) => ({
    name,
    bytes: padTo(bytes, Math.max(4096, Math.ceil(bytes.length / SECTOR) * SECTOR)),
  }));
  const directorySectors = Math.ceil((contents.length + 1) / 4);
  const fat: number[] = [0xffff_fffd, ...chain(1, directorySectors)];
  const entries = [entry('Root Entry', 5, { child: contents.length > 0 ? 1 : NONE })];
  contents.forEach(({ name, bytes }, at) => {
    const start = fat.length;
    fat.push(...chain(start, bytes.length / SECTOR));
    const right = at + 1 < contents.length ? at + 2 : NONE;
    entries.push(entry(name, 2, { right, start, size: bytes.length }));
  });
  const table = Buffer.alloc(SECTOR, 0xff);
  fat.forEach((next, at) => table.writeUInt32LE(next, at * 4));
  const directory = padTo(Buffer.concat(entries), directorySectors * SECTOR);
  return Buffer.concat([header(), table, directory, ...contents.map(({ bytes }) => bytes)]);
}

function header(): Buffer {
  const bytes = Buffer.alloc(SECTOR);
  Buffer.from('d0cf11e0a1b11ae1', 'hex').copy(bytes);
  bytes.writeUInt16LE(3, 26);
  bytes.writeUInt16LE(0xfffe, 28);
  bytes.writeUInt16LE(9, 30);
  bytes.writeUInt16LE(6, 32);
  bytes.writeUInt32LE(1, 44);
  bytes.writeUInt32LE(1, 48);
  bytes.writeUInt32LE(4096, 56);
  bytes.writeUInt32LE(END, 60);
  bytes.writeUInt32LE(END, 68);
  bytes.fill(0xff, 76);
  bytes.writeUInt32LE(0, 76);
  return bytes;
}

function chain(start: number, count: number): number[] {
  return Array.from({ length: count }, (_, at) => (at === count - 1 ? END : start + at + 1));
}

interface EntryOptions {
  readonly child?: number;
  readonly right?: number;
  readonly start?: number;
  readonly size?: number;
}

function entry(name: string, kind: number, options: EntryOptions): Buffer {
  const bytes = Buffer.alloc(128);
  bytes.write(name, 0, 'utf16le');
  bytes.writeUInt16LE(name.length * 2 + 2, 64);
  bytes[66] = kind;
  bytes.writeUInt32LE(NONE, 68);
  bytes.writeUInt32LE(options.right ?? NONE, 72);
  bytes.writeUInt32LE(options.child ?? NONE, 76);
  bytes.writeUInt32LE(options.start ?? END, 116);
  bytes.writeUInt32LE(options.size ?? 0, 120);
  return bytes;
}

function padTo(bytes: Buffer, length: number): Buffer {
  return Buffer.concat([bytes, Buffer.alloc(length - bytes.length)]);
}
