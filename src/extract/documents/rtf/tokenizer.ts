import { Buffer } from 'node:buffer';

export type RtfToken = 'open' | 'close' | 'word' | 'symbol' | 'byte' | 'text' | 'end';

const OPEN = 0x7b;
const CLOSE = 0x7d;
const BACKSLASH = 0x5c;
const MAX_WORD = 40;

/** Splits RTF into groups, control words and text. The last token is in its fields. */
export class RtfTokenizer {
  word = '';
  param: number | undefined;
  /** The value of a byte written in hexadecimal, or the code of a control symbol. */
  value = 0;
  /** Where a text is in the bytes. */
  start = 0;
  end = 0;
  readonly bytes: Uint8Array;
  readonly #buffer: Buffer;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
    this.#buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  next(): RtfToken {
    const { bytes } = this;
    while (this.#at < bytes.length && isLineEnd(bytes[this.#at])) this.#at++;
    const first = bytes[this.#at];
    if (first === undefined) return 'end';
    if (first === OPEN || first === CLOSE) {
      this.#at++;
      return first === OPEN ? 'open' : 'close';
    }
    return first === BACKSLASH ? this.#control() : this.#text();
  }

  /** Binary data follows its control word. */
  skip(count: number): void {
    this.#at = Math.min(this.bytes.length, this.#at + Math.max(0, count));
  }

  #text(): RtfToken {
    const { bytes } = this;
    let to = this.#at;
    for (; to < bytes.length; to++) {
      const byte = bytes[to];
      if (byte === OPEN || byte === CLOSE || byte === BACKSLASH || isLineEnd(byte)) break;
    }
    this.start = this.#at;
    this.end = to;
    this.#at = to;
    return 'text';
  }

  #control(): RtfToken {
    const { bytes } = this;
    const after = bytes[this.#at + 1];
    if (after === undefined) {
      this.#at++;
      return 'end';
    }
    if (!isLetter(after)) {
      if (after === 0x27) return this.#hexadecimal();
      this.value = after;
      this.#at += 2;
      return 'symbol';
    }
    let to = this.#at + 1;
    while (isLetter(bytes[to]) && to - this.#at <= MAX_WORD) to++;
    this.word = this.#buffer.toString('latin1', this.#at + 1, to);
    to = this.#param(to);
    // One blank belongs to the control word.
    this.#at = bytes[to] === 0x20 ? to + 1 : to;
    return 'word';
  }

  #param(at: number): number {
    const { bytes } = this;
    let to = at;
    const isNegative = bytes[to] === 0x2d && isDigit(bytes[to + 1]);
    if (isNegative) to++;
    this.param = undefined;
    let value = 0;
    for (; isDigit(bytes[to]); to++) {
      value = Math.min(value * 10 + (bytes[to] ?? 0x30) - 0x30, 0x7fff_ffff);
      this.param = isNegative ? -value : value;
    }
    return to;
  }

  #hexadecimal(): RtfToken {
    const high = hexDigit(this.bytes[this.#at + 2]);
    const low = hexDigit(this.bytes[this.#at + 3]);
    if (high < 0 || low < 0) {
      this.value = 0;
      this.#at += 2;
      return 'symbol';
    }
    this.value = high * 16 + low;
    this.#at += 4;
    return 'byte';
  }
}

function isLineEnd(byte: number | undefined): boolean {
  return byte === 0x0a || byte === 0x0d || byte === 0;
}

function isLetter(byte: number | undefined): boolean {
  return byte !== undefined && ((byte >= 0x61 && byte <= 0x7a) || (byte >= 0x41 && byte <= 0x5a));
}

function isDigit(byte: number | undefined): boolean {
  return byte !== undefined && byte >= 0x30 && byte <= 0x39;
}

function hexDigit(byte: number | undefined): number {
  if (byte === undefined) return -1;
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30;
  const lower = byte | 0x20;
  return lower >= 0x61 && lower <= 0x66 ? lower - 0x57 : -1;
}
