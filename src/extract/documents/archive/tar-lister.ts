import { Buffer } from 'node:buffer';
import { decodeCharset } from '../mail/charset.ts';
import { formatUnixTime, requireEntryCount, type ArchiveEntry } from './archive-entry.ts';

const BLOCK = 512;
const MAX_LONG_NAME = 1024 * 1024;

/** Lists a TAR archive as its bytes come; the files in it are not kept. */
export class TarLister {
  readonly entries: ArchiveEntry[] = [];
  #state: 'reading' | 'ended' | 'damaged' = 'reading';
  #header = Buffer.alloc(BLOCK);
  #filled = 0;
  #skip = 0;
  /** Bytes of a long name or of extended attributes that are still to come. */
  #capture = 0;
  #captured: Uint8Array[] = [];
  #capturedType = '';
  #longName: string | undefined;
  #attributes = new Map<string, string>();

  get state(): 'complete' | 'damaged' {
    const isOpen = this.#state === 'reading' && (this.#skip > 0 || this.#filled > 0);
    return this.#state === 'damaged' || isOpen ? 'damaged' : 'complete';
  }

  push(chunk: Uint8Array): void {
    let at = 0;
    while (at < chunk.length && this.#state === 'reading') {
      const left = chunk.length - at;
      if (this.#skip > 0) {
        const here = Math.min(left, this.#skip);
        if (this.#capture > 0) this.#keep(chunk.subarray(at, at + Math.min(here, this.#capture)));
        this.#skip -= here;
        at += here;
      } else {
        const here = Math.min(left, BLOCK - this.#filled);
        this.#header.set(chunk.subarray(at, at + here), this.#filled);
        this.#filled += here;
        at += here;
        if (this.#filled === BLOCK) this.#readHeader();
      }
    }
  }

  #keep(part: Uint8Array): void {
    this.#captured.push(part.slice());
    this.#capture -= part.length;
    if (this.#capture > 0) return;
    const text = decodeCharset(Buffer.concat(this.#captured), undefined);
    this.#captured = [];
    if (this.#capturedType === 'L') this.#longName = text.replace(/\0.*$/s, '');
    else this.#attributes = parseAttributes(text);
  }

  #readHeader(): void {
    this.#filled = 0;
    const header = this.#header;
    if (header.every((byte) => byte === 0)) {
      this.#state = 'ended';
      return;
    }
    if (!isHeader(header)) {
      this.#state = 'damaged';
      return;
    }
    const type = String.fromCharCode(header[156] ?? 0);
    const bytes = Number(this.#attributes.get('size') ?? readNumber(header, 124, 12));
    if (!Number.isSafeInteger(bytes) || bytes < 0) {
      this.#state = 'damaged';
      return;
    }
    this.#skip = Math.ceil(bytes / BLOCK) * BLOCK;
    if (type === 'L' || type === 'x') {
      this.#capturedType = type;
      this.#capture = bytes > 0 && bytes <= MAX_LONG_NAME ? bytes : 0;
    } else if (type !== 'g' && type !== 'K') this.#add(header, type, bytes);
  }

  #add(header: Buffer, type: string, bytes: number): void {
    const prefix =
      header.toString('latin1', 257, 262) === 'ustar' ? readText(header, 345, 155) : '';
    const short = readText(header, 0, 100);
    const name =
      this.#attributes.get('path') ??
      this.#longName ??
      (prefix === '' ? short : `${prefix}/${short}`);
    const stated = this.#attributes.get('mtime');
    const modified = formatUnixTime(
      stated === undefined ? readNumber(header, 136, 12) : Math.floor(Number(stated)),
    );
    const isFolder = type === '5' || name.endsWith('/');
    const isLink = type === '1' || type === '2';
    if (isLink || isFolder) this.#skip = 0;
    this.entries.push({
      name,
      kind: isFolder ? 'folder' : isLink ? 'link' : 'file',
      bytes: isFolder || isLink ? 0 : bytes,
      ...(modified !== undefined && { modified }),
    });
    requireEntryCount(this.entries.length);
    this.#longName = undefined;
    this.#attributes = new Map();
  }
}

/** Whether a block starts a file: its bytes have the sum that it states. */
export function isTarHeader(bytes: Uint8Array): boolean {
  return (
    bytes.length >= BLOCK &&
    isHeader(Buffer.from(bytes.buffer, bytes.byteOffset, BLOCK)) &&
    bytes[0] !== 0
  );
}

function isHeader(header: Buffer): boolean {
  const stated = readNumber(header, 148, 8);
  let sum = 8 * 0x20;
  for (let at = 0; at < BLOCK; at++) if (at < 148 || at >= 156) sum += header[at] ?? 0;
  return sum === stated;
}

function readText(header: Buffer, at: number, length: number): string {
  const field = header.subarray(at, at + length);
  const end = field.indexOf(0);
  return decodeCharset(end < 0 ? field : field.subarray(0, end), undefined);
}

/** In octal digits, or in binary if its first bit is set. */
function readNumber(header: Buffer, at: number, length: number): number {
  if (((header[at] ?? 0) & 0x80) !== 0) return Number(header.readBigUInt64BE(at + length - 8));
  const digits = /[0-7]+/.exec(header.toString('latin1', at, at + length))?.[0];
  return digits === undefined ? 0 : Number.parseInt(digits, 8);
}

/** Lines of `length key=value`. */
function parseAttributes(text: string): Map<string, string> {
  const found = new Map<string, string>();
  for (const line of text.split('\n')) {
    const match = /^\d+ ([^=]{1,200})=(.*)$/s.exec(line);
    if (match !== null) found.set(match[1] ?? '', match[2] ?? '');
  }
  return found;
}
