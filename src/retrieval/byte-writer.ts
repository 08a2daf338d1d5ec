const FIRST_BYTES = 64;

/** Bytes that grow, with numbers in as few bytes as they need. */
export interface ByteWriter {
  readonly length: number;
  number(value: number): void;
  bytes(bytes: Uint8Array): void;
  take(): Uint8Array<ArrayBuffer>;
}

export function createByteWriter(): ByteWriter {
  let buffer = new Uint8Array(FIRST_BYTES);
  let length = 0;

  function reserve(more: number): void {
    if (length + more <= buffer.length) return;
    const larger = new Uint8Array(Math.max(buffer.length * 2, length + more));
    larger.set(buffer);
    buffer = larger;
  }

  return {
    get length() {
      return length;
    },
    number(value) {
      reserve(5);
      let rest = value;
      for (; rest > 0x7f; rest = Math.floor(rest / 128)) buffer[length++] = (rest & 0x7f) | 0x80;
      buffer[length++] = rest;
    },
    bytes(bytes) {
      reserve(bytes.length);
      buffer.set(bytes, length);
      length += bytes.length;
    },
    take: () => buffer.slice(0, length),
  };
}

/** Reads numbers that a ByteWriter has written. */
export interface ByteReader {
  at: number;
  readonly bytes: Uint8Array;
}

export function readVarint(reader: ByteReader): number {
  let value = 0;
  for (let factor = 1; ; factor *= 128) {
    const byte = reader.bytes[reader.at++] ?? 0;
    value += (byte & 0x7f) * factor;
    if (byte < 0x80) return value;
  }
}
