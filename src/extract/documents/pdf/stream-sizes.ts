import { inflateRawSync } from 'node:zlib';
import { tooLarge } from '../document-errors.ts';

const MEGABYTE = 1024 * 1024;
/** The largest stream that is unpacked, and all large ones together. */
const MAX_STREAM_BYTES = 128 * MEGABYTE;
const MAX_TOTAL_BYTES = 512 * MEGABYTE;
/** Deflate reaches 1 : 1032 at most, so that smaller ones stay under the limit. */
const MIN_PACKED_BYTES = 100_000;
const DICTIONARY_BYTES = 2_000;

/**
 * Refuses a document whose compressed streams unpack to more than the limits, before pdf.js unpacks
 * them. Pictures are never unpacked and do not count.
 */
export function requireStreamSizes(bytes: Uint8Array): void {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let total = 0;
  let at = 0;
  for (;;) {
    const keyword = file.indexOf('stream', at, 'latin1');
    if (keyword < 0) return;
    at = keyword + 6;
    if (file.toString('latin1', keyword - 3, keyword) === 'end') continue;
    const end = file.indexOf('endstream', at, 'latin1');
    const stop = end < 0 ? file.length : end;
    const packed = file.subarray(dataStart(file, at), stop);
    at = stop;
    if (packed.length < MIN_PACKED_BYTES) continue;
    const dictionary = dictionaryBefore(file, keyword);
    if (/\/Subtype\s*\/Image\b/.test(dictionary)) continue;
    const filters = dictionary.match(/\/(?:FlateDecode|Fl)\b/g)?.length ?? 0;
    total += unpackedBytes(packed, filters);
    if (total > MAX_TOTAL_BYTES) throw tooLarge('unpacked bytes', MAX_TOTAL_BYTES);
  }
}

function dataStart(file: Buffer, at: number): number {
  if (file[at] === 0x0d && file[at + 1] === 0x0a) return at + 2;
  return file[at] === 0x0a || file[at] === 0x0d ? at + 1 : at;
}

function dictionaryBefore(file: Buffer, keyword: number): string {
  const text = file.toString('latin1', Math.max(0, keyword - DICTIONARY_BYTES), keyword);
  return text.slice(text.lastIndexOf(' obj') + 1);
}

function unpackedBytes(packed: Buffer, filters: number): number {
  let data = packed;
  for (let left = Math.min(filters, 3); left > 0; left -= 1) {
    try {
      // Without the two bytes of the zlib header, so that a wrong checksum does not matter.
      data = inflateRawSync(data.subarray(2), { maxOutputLength: MAX_STREAM_BYTES });
    } catch (thrown) {
      if (thrown instanceof RangeError) throw tooLarge('unpacked bytes', MAX_STREAM_BYTES);
      return data.length; // Encrypted, or damaged.
    }
  }
  return data.length;
}
