import type { ByteView } from '../byte-view.ts';
import { codePageDecoder, type DecodeBytes } from '../code-page.ts';

/** How a workbook stores its strings. */
export interface StringFormat {
  readonly version: 'biff8' | 'older';
  readonly decode: DecodeBytes;
}

const latin1 = codePageDecoder(1252);

/** A string whose length is in one or two bytes before it. */
export function readBiffString(
  body: ByteView,
  at: number,
  lengthBytes: 1 | 2,
  format: StringFormat,
): string {
  const length = lengthBytes === 1 ? body.u8(at) : body.u16(at);
  const from = at + lengthBytes;
  if (format.version === 'older') return format.decode(within(body, from, length));
  if (length === 0 || from >= body.length) return '';
  const flags = body.u8(from);
  // Rich text and Asian phonetics have their lengths before the characters.
  const start = from + 1 + ((flags & 8) === 0 ? 0 : 2) + ((flags & 4) === 0 ? 0 : 4);
  return readCharacters(body, start, length, flags);
}

/** Characters of one or two bytes each, as the flags say; as many as there are. */
export function readCharacters(body: ByteView, at: number, count: number, flags: number): string {
  if ((flags & 1) === 0) return decodeNarrow(within(body, at, count));
  const room = Math.max(0, Math.floor((body.length - at) / 2));
  return body.utf16(at, Math.min(count, room));
}

function within(body: ByteView, at: number, length: number): Uint8Array {
  return body.bytes.subarray(at, Math.min(body.length, at + length));
}

/** One byte is the lower half of a UTF-16 unit; some programs write Windows-1252. */
function decodeNarrow(bytes: Uint8Array): string {
  return latin1(bytes);
}

/** Reads the table of strings, which continues in further records at any place. */
export function readSharedStrings(bodies: readonly ByteView[]): readonly string[] {
  return new SharedStringReader(bodies).read();
}

class SharedStringReader {
  readonly #bodies: readonly ByteView[];
  #record = 0;
  #at = 8;

  constructor(bodies: readonly ByteView[]) {
    this.#bodies = bodies;
  }

  read(): readonly string[] {
    const first = this.#bodies[0];
    if (first === undefined || first.length < 8) return [];
    const count = first.u32(4);
    const strings: string[] = [];
    while (strings.length < count && this.#hasMore()) strings.push(this.#string());
    return strings;
  }

  #string(): string {
    let left = this.#number(2);
    let flags = this.#number(1);
    const runs = (flags & 8) === 0 ? 0 : this.#number(2);
    const phonetics = (flags & 4) === 0 ? 0 : this.#number(4);
    const parts: string[] = [];
    while (left > 0 && this.#hasMore()) {
      const body = this.#bodies[this.#record];
      if (body === undefined) break;
      const charBytes = (flags & 1) === 0 ? 1 : 2;
      const here = Math.min(left, Math.floor((body.length - this.#at) / charBytes));
      parts.push(readCharacters(body, this.#at, here, flags));
      this.#at += here * charBytes;
      left -= here;
      if (left === 0) break;
      // The rest is in the next record, which states again how wide its characters are.
      this.#nextRecord();
      if (this.#hasMore()) flags = this.#number(1);
    }
    this.#skip(runs * 4 + phonetics);
    return parts.join('');
  }

  #hasMore(): boolean {
    while (this.#record < this.#bodies.length) {
      if (this.#at < (this.#bodies[this.#record]?.length ?? 0)) return true;
      this.#nextRecord();
    }
    return false;
  }

  #nextRecord(): void {
    this.#record++;
    this.#at = 0;
  }

  /** A number never crosses records, but a damaged file may end in it. */
  #number(bytes: 1 | 2 | 4): number {
    if (!this.#hasMore()) return 0;
    const body = this.#bodies[this.#record];
    const at = this.#at;
    if (body === undefined || at + bytes > body.length) {
      this.#nextRecord();
      return 0;
    }
    this.#at += bytes;
    return bytes === 1 ? body.u8(at) : bytes === 2 ? body.u16(at) : body.u32(at);
  }

  #skip(bytes: number): void {
    let left = bytes;
    while (left > 0 && this.#hasMore()) {
      const here = Math.min(left, (this.#bodies[this.#record]?.length ?? 0) - this.#at);
      this.#at += here;
      left -= here;
    }
  }
}
