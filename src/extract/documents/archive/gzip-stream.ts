import { Gunzip } from 'fflate';
import { tooLarge } from '../document-errors.ts';

/** Unpacked bytes of one stream; they pass through, and are not kept. */
const MAX_UNPACKED = 512 * 1024 * 1024;
const CHUNK = 64 * 1024;

/** Unpacks and passes on what comes; `damaged` if the stream ends with an error. */
export function unpackGzip(
  bytes: Uint8Array,
  take: (chunk: Uint8Array) => 'more' | 'enough',
): 'complete' | 'damaged' {
  let unpacked = 0;
  let wants: 'more' | 'enough' = 'more';
  const stream = new Gunzip((chunk) => {
    unpacked += chunk.length;
    if (wants === 'more') wants = take(chunk);
  });
  for (let at = 0; at < bytes.length && wants === 'more'; at += CHUNK) {
    const isLast = at + CHUNK >= bytes.length;
    try {
      stream.push(bytes.subarray(at, at + CHUNK), isLast);
    } catch (error) {
      if (isUnpackError(error)) return 'damaged';
      throw error;
    }
    if (unpacked > MAX_UNPACKED) throw tooLarge('unpacked bytes', MAX_UNPACKED);
  }
  return 'complete';
}

/** Errors of the library have a number as their code. */
function isUnpackError(error: unknown): boolean {
  return error instanceof Error && typeof (error as { code?: unknown }).code === 'number';
}

/** The name of the file, if the header has one. */
export function gzipName(bytes: Uint8Array): string | undefined {
  const flags = bytes[3] ?? 0;
  if ((flags & 8) === 0) return undefined;
  const start = (flags & 4) === 0 ? 10 : 12 + (bytes[10] ?? 0) + (bytes[11] ?? 0) * 256;
  const end = bytes.indexOf(0, start);
  return end < 0 || end - start > 1000
    ? undefined
    : new TextDecoder('latin1').decode(bytes.subarray(start, end));
}
