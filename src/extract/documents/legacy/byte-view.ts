import { Buffer } from 'node:buffer';
import { damaged } from '../document-errors.ts';

/** Little-endian numbers of a binary format; reading past the end is a damaged document. */
export class ByteView {
  readonly bytes: Uint8Array;
  readonly #view: DataView;
  readonly #format: string;

  constructor(bytes: Uint8Array, format: string) {
    this.bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#format = format;
  }

  get length(): number {
    return this.bytes.length;
  }

  u8(at: number): number {
    this.#require(at, 1);
    return this.#view.getUint8(at);
  }

  u16(at: number): number {
    this.#require(at, 2);
    return this.#view.getUint16(at, true);
  }

  u32(at: number): number {
    this.#require(at, 4);
    return this.#view.getUint32(at, true);
  }

  i32(at: number): number {
    this.#require(at, 4);
    return this.#view.getInt32(at, true);
  }

  f64(at: number): number {
    this.#require(at, 8);
    return this.#view.getFloat64(at, true);
  }

  /** 64 bits as a number; beyond 2^53 it is not exact, and no size is. */
  u64(at: number): number {
    return this.u32(at) + this.u32(at + 4) * 0x1_0000_0000;
  }

  slice(at: number, length: number): Uint8Array {
    this.#require(at, length);
    return this.bytes.subarray(at, at + length);
  }

  sub(at: number, length: number): ByteView {
    return new ByteView(this.slice(at, length), this.#format);
  }

  utf16(at: number, chars: number): string {
    return decodeUtf16(this.slice(at, chars * 2));
  }

  #require(at: number, length: number): void {
    if (at < 0 || length < 0 || at + length > this.bytes.length)
      throw damaged(this.#format, 'it ends too early, or points outside of its bytes');
  }
}

/** Code units as they are: a surrogate pair may be in two pieces of a text. */
export function decodeUtf16(bytes: Uint8Array): string {
  const even = bytes.length & ~1;
  return Buffer.from(bytes.buffer, bytes.byteOffset, even).toString('utf16le');
}
