import { damaged, unsupported } from '../document-errors.ts';
import type { ByteView } from '../legacy/byte-view.ts';

/** A place in the header of a 7z archive. */
export class HeaderCursor {
  readonly view: ByteView;
  at = 0;

  constructor(view: ByteView) {
    this.view = view;
  }

  byte(): number {
    return this.view.u8(this.at++);
  }

  /** The leading one bits of the first byte say how many bytes follow. */
  number(): number {
    const first = this.byte();
    let mask = 0x80;
    let value = 0;
    let scale = 1;
    for (let index = 0; index < 8; index++) {
      if ((first & mask) === 0) return value + (first & (mask - 1)) * scale;
      value += this.byte() * scale;
      scale *= 256;
      mask >>= 1;
    }
    return value;
  }

  /** A count of things that each need a part of the header. */
  count(): number {
    const value = this.number();
    if (value > this.view.length * 8) throw damaged('7z', 'a count in its header is not valid');
    return value;
  }

  bits(count: number): readonly boolean[] {
    const start = this.at;
    this.at += Math.ceil(count / 8);
    return Array.from(
      { length: count },
      (_, index) => (this.view.u8(start + (index >> 3)) & (0x80 >> (index & 7))) !== 0,
    );
  }

  /** Bits with a byte before them that says whether all are set. */
  definedBits(count: number): readonly boolean[] {
    return this.byte() === 0 ? this.bits(count) : Array.from({ length: count }, () => true);
  }
}

export interface PackedFolder {
  /** The methods in hexadecimal, as `030101` for LZMA. */
  readonly methods: readonly string[];
  readonly properties: Uint8Array;
  unpackedBytes: number;
  hasDigest: boolean;
}

export interface PackedStreams {
  readonly packedAt: number;
  readonly packedSizes: readonly number[];
  readonly folders: readonly PackedFolder[];
  /** The sizes of all files that are stored, in their order. */
  readonly fileSizes: readonly number[];
}

const ID = { end: 0, pack: 6, unpack: 7, subStreams: 8, size: 9, digest: 10, folder: 11 } as const;
const UNPACK_SIZES = 12;
const STREAM_COUNTS = 13;

export function readStreams(cursor: HeaderCursor): PackedStreams {
  let packedAt = 0;
  let packedSizes: readonly number[] = [];
  let folders: readonly PackedFolder[] = [];
  let fileSizes: readonly number[] | undefined;
  for (let id = cursor.byte(); id !== ID.end; id = cursor.byte()) {
    if (id === ID.pack) ({ packedAt, packedSizes } = readPack(cursor));
    else if (id === ID.unpack) folders = readFolders(cursor);
    else if (id === ID.subStreams) fileSizes = readFileSizes(cursor, folders);
    else throw damaged('7z', 'its header is not valid');
  }
  return {
    packedAt,
    packedSizes,
    folders,
    fileSizes: fileSizes ?? folders.map(({ unpackedBytes }) => unpackedBytes),
  };
}

function readPack(cursor: HeaderCursor): { packedAt: number; packedSizes: readonly number[] } {
  const packedAt = cursor.number();
  const count = cursor.count();
  let packedSizes: readonly number[] = [];
  for (let id = cursor.byte(); id !== ID.end; id = cursor.byte()) {
    if (id === ID.size) packedSizes = Array.from({ length: count }, () => cursor.number());
    else if (id === ID.digest) skipDigests(cursor, count);
    else throw damaged('7z', 'its header is not valid');
  }
  return { packedAt, packedSizes };
}

function readFolders(cursor: HeaderCursor): readonly PackedFolder[] {
  if (cursor.byte() !== ID.folder) throw damaged('7z', 'its header is not valid');
  const count = cursor.count();
  if (cursor.byte() !== 0) throw unsupported('7z', 'its header is stored in parts');
  const outputs: number[] = [];
  const folders = Array.from({ length: count }, () => readFolder(cursor, outputs));
  if (cursor.byte() !== UNPACK_SIZES) throw damaged('7z', 'its header is not valid');
  folders.forEach((folder, at) => {
    // The size of the whole is that of the first output in all usual chains of methods.
    for (let output = 0; output < (outputs[at] ?? 1); output++) {
      const size = cursor.number();
      if (output === 0) folder.unpackedBytes = size;
    }
  });
  for (let id = cursor.byte(); id !== ID.end; id = cursor.byte()) {
    if (id !== ID.digest) throw damaged('7z', 'its header is not valid');
    const defined = skipDigests(cursor, folders.length);
    folders.forEach((folder, at) => (folder.hasDigest = defined[at] === true));
  }
  return folders;
}

function readFolder(cursor: HeaderCursor, outputs: number[]): PackedFolder {
  const coders = cursor.count();
  const methods: string[] = [];
  let properties = new Uint8Array();
  let inputs = 0;
  let outs = 0;
  for (let coder = 0; coder < coders; coder++) {
    const flags = cursor.byte();
    const id = cursor.view.slice(cursor.at, flags & 0x0f);
    cursor.at += id.length;
    methods.push(Array.from(id, (byte) => byte.toString(16).padStart(2, '0')).join(''));
    inputs += (flags & 0x10) === 0 ? 1 : cursor.count();
    outs += (flags & 0x10) === 0 ? 1 : cursor.count();
    if ((flags & 0x20) !== 0) {
      const length = cursor.count();
      const own = cursor.view.slice(cursor.at, length);
      if (coder === 0) properties = new Uint8Array(own);
      cursor.at += length;
    }
  }
  const pairs = Math.max(0, outs - 1);
  for (let pair = 0; pair < pairs * 2; pair++) cursor.number();
  const packed = inputs - pairs;
  if (packed > 1) for (let stream = 0; stream < packed; stream++) cursor.number();
  outputs.push(outs);
  return { methods, properties, unpackedBytes: 0, hasDigest: false };
}

function readFileSizes(cursor: HeaderCursor, folders: readonly PackedFolder[]): readonly number[] {
  let counts: readonly number[] = folders.map(() => 1);
  let id = cursor.byte();
  if (id === STREAM_COUNTS) {
    counts = folders.map(() => cursor.count());
    id = cursor.byte();
  }
  const sizes: number[] = [];
  const hasSizes = id === ID.size;
  folders.forEach((folder, at) => {
    const count = counts[at] ?? 0;
    let rest = folder.unpackedBytes;
    for (let stream = 0; stream < count; stream++) {
      const isLast = stream === count - 1;
      const size = isLast || !hasSizes ? rest : cursor.number();
      sizes.push(size);
      rest = Math.max(0, rest - size);
    }
  });
  if (hasSizes) id = cursor.byte();
  while (id !== ID.end) {
    if (id !== ID.digest) throw damaged('7z', 'its header is not valid');
    const unknown = folders.reduce((sum, { hasDigest }, at) => {
      const count = counts[at] ?? 0;
      return sum + (count === 1 && hasDigest ? 0 : count);
    }, 0);
    skipDigests(cursor, unknown);
    id = cursor.byte();
  }
  return sizes;
}

function skipDigests(cursor: HeaderCursor, count: number): readonly boolean[] {
  const defined = cursor.definedBits(count);
  cursor.at += defined.filter(Boolean).length * 4;
  return defined;
}
