import { damaged, tooLarge } from '../document-errors.ts';
import { ByteView } from './byte-view.ts';
import { readDirectory, type CompoundEntry } from './compound-directory.ts';

const MAGIC = [0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1];
const FORMAT = 'compound';
const MAX_REGULAR_SECTOR = 0xffff_fffa;
const HEADER_DIFAT = 109;
const MINI_CUTOFF = 4096;
/** All streams that are read of one file; entries of a hostile one share their sectors. */
const MAX_READ_BYTES = 512 * 1024 * 1024;

export function isCompoundFile(bytes: Uint8Array): boolean {
  return MAGIC.every((byte, at) => bytes[at] === byte);
}

/** The streams of a compound file (MS-CFB), in which old Office documents and Outlook messages are stored. */
export class CompoundFile {
  readonly root: CompoundEntry;
  readonly entries: readonly CompoundEntry[];
  readonly #view: ByteView;
  readonly #sectorSize: number;
  readonly #fat: Uint32Array;
  readonly #miniFat: Uint32Array;
  readonly #miniStream: Uint8Array;
  readonly #miniSectorSize: number;
  #readBytes = 0;
  #isTruncated = false;

  constructor(bytes: Uint8Array) {
    if (!isCompoundFile(bytes)) throw damaged(FORMAT, 'it does not start as a compound file');
    this.#view = new ByteView(bytes, FORMAT);
    const shift = this.#view.u16(30);
    if (shift < 7 || shift > 16) throw damaged(FORMAT, 'its sector size is not valid');
    this.#sectorSize = 1 << shift;
    const miniShift = this.#view.u16(32);
    this.#miniSectorSize = 1 << (miniShift >= 2 && miniShift < shift ? miniShift : 6);
    this.#fat = this.#readFat();
    const directory = this.#chain(this.#view.u32(48), Infinity);
    const { root, entries } = readDirectory(new ByteView(directory, FORMAT));
    this.root = root;
    this.entries = entries;
    this.#miniFat = toNumbers(this.#chain(this.#view.u32(60), Infinity));
    this.#miniStream = this.#chain(root.startSector, root.size);
  }

  /** Whether a stream that was read has fewer bytes than its entry says. */
  get isTruncated(): boolean {
    return this.#isTruncated;
  }

  /** A stream below the root, by its path; letter case does not matter. */
  find(...path: readonly string[]): CompoundEntry | undefined {
    let at: CompoundEntry | undefined = this.root;
    for (const name of path) at = at?.children.get(name.toUpperCase());
    return at;
  }

  /** The same, but if the tree is damaged, any entry of that name. */
  findAnywhere(name: string): CompoundEntry | undefined {
    const wanted = name.toUpperCase();
    return (
      this.find(name) ??
      this.entries.find((each) => each.kind === 'stream' && each.name.toUpperCase() === wanted)
    );
  }

  read(entry: CompoundEntry): Uint8Array {
    const bytes =
      entry.size < MINI_CUTOFF
        ? this.#miniChain(entry.startSector, entry.size)
        : this.#chain(entry.startSector, entry.size);
    if (bytes.length < entry.size) this.#isTruncated = true;
    return bytes;
  }

  readNamed(...path: readonly string[]): Uint8Array | undefined {
    const entry = this.find(...path);
    return entry?.kind === 'stream' ? this.read(entry) : undefined;
  }

  #readFat(): Uint32Array {
    const sectors: number[] = [];
    const perSector = this.#sectorSize / 4;
    const most = this.#sectorCount();
    // Numbers of sectors that the file does not have are of no use.
    const declared = Math.min(this.#view.u32(44), Math.ceil(most / perSector));
    const add = (sector: number): void => {
      if (sector < MAX_REGULAR_SECTOR && sectors.length < declared) sectors.push(sector);
    };
    for (let at = 0; at < HEADER_DIFAT; at++) add(this.#view.u32(76 + at * 4));
    let next = this.#view.u32(68);
    for (let steps = 0; next < MAX_REGULAR_SECTOR && sectors.length < declared; steps++) {
      if (steps > most) throw damaged(FORMAT, 'its sector table has a cycle');
      const difat = toNumbers(this.#sector(next));
      if (difat.length < perSector) break;
      for (let at = 0; at < perSector - 1; at++) add(difat[at] ?? MAX_REGULAR_SECTOR);
      next = difat[perSector - 1] ?? MAX_REGULAR_SECTOR;
    }
    const fat = new Uint32Array(sectors.length * perSector).fill(0xffff_ffff);
    sectors.forEach((sector, at) => fat.set(toNumbers(this.#sector(sector)), at * perSector));
    return fat;
  }

  /** Of the whole file; no stream has more. */
  #sectorCount(): number {
    return Math.ceil(this.#view.length / this.#sectorSize);
  }

  /** May be shorter at the end of a truncated file. */
  #sector(number: number): Uint8Array {
    const from = (number + 1) * this.#sectorSize;
    return this.#view.bytes.subarray(from, from + this.#sectorSize);
  }

  #chain(start: number, size: number): Uint8Array {
    const sectors: Uint8Array[] = [];
    const most = this.#sectorCount();
    let length = 0;
    let next = start;
    for (let steps = 0; next < MAX_REGULAR_SECTOR && length < size; steps++) {
      if (steps > most) throw damaged(FORMAT, 'a stream of it has a cycle');
      const sector = this.#sector(next);
      if (sector.length === 0) break;
      sectors.push(sector);
      length += sector.length;
      next = this.#fat[next] ?? MAX_REGULAR_SECTOR;
    }
    return this.#join(sectors, Math.min(length, size));
  }

  #miniChain(start: number, size: number): Uint8Array {
    const sectors: Uint8Array[] = [];
    const most = Math.ceil(this.#miniStream.length / this.#miniSectorSize);
    let length = 0;
    let next = start;
    for (let steps = 0; next < MAX_REGULAR_SECTOR && length < size; steps++) {
      if (steps > most) throw damaged(FORMAT, 'a stream of it has a cycle');
      const from = next * this.#miniSectorSize;
      const sector = this.#miniStream.subarray(from, from + this.#miniSectorSize);
      if (sector.length === 0) break;
      sectors.push(sector);
      length += sector.length;
      next = this.#miniFat[next] ?? MAX_REGULAR_SECTOR;
    }
    return this.#join(sectors, Math.min(length, size));
  }

  #join(sectors: readonly Uint8Array[], size: number): Uint8Array {
    this.#readBytes += size;
    if (this.#readBytes > MAX_READ_BYTES) throw tooLarge('bytes in its streams', MAX_READ_BYTES);
    const joined = new Uint8Array(size);
    let at = 0;
    for (const sector of sectors) {
      const part = sector.subarray(0, size - at);
      joined.set(part, at);
      at += part.length;
    }
    return joined;
  }
}

function toNumbers(bytes: Uint8Array): Uint32Array {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return Uint32Array.from({ length: bytes.length >> 2 }, (_, at) => view.getUint32(at * 4, true));
}
