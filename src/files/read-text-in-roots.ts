import type { FileHandle } from 'node:fs/promises';
import type { AbortSignalLike } from '#core/net/abort.ts';
import type { AllowedRoots } from './allowed-roots.ts';
import { openInside, type Opened } from './open-inside.ts';

/** Why a file gave no text. */
export type ReadFault = Exclude<Opened['is'], 'open'> | 'no_text' | 'too_large';

export type TextFileResult =
  | { readonly is: 'text'; readonly text: string; readonly bytes: number }
  | { readonly is: ReadFault };

/** Bytes to text; nothing where they are not a text. */
export type Decode = (bytes: Uint8Array) => string | undefined;

const CHUNK_BYTES = 256_000;

/** Reads a whole text file or none of it. Throws only the signal's reason. */
export async function readTextInRoots(
  real: string,
  allowed: AllowedRoots,
  maxBytes: number,
  signal: AbortSignalLike,
  decode: Decode = decodeText,
): Promise<TextFileResult> {
  signal.throwIfAborted();
  const opened = await openInside(real, allowed);
  if (opened.is !== 'open') return opened;
  try {
    if (opened.bytes > maxBytes) return { is: 'too_large' };
    const stopsAtNul = decode === decodeText;
    const bytes = await readBytes(opened.handle, opened.bytes, maxBytes, signal, { stopsAtNul });
    if (typeof bytes === 'string') return { is: bytes };
    const text = decode(bytes);
    return text === undefined ? { is: 'no_text' } : { is: 'text', text, bytes: bytes.length };
  } catch (thrown) {
    signal.throwIfAborted();
    const { code } = thrown as NodeJS.ErrnoException;
    return { is: code === 'EACCES' || code === 'EPERM' ? 'denied' : 'gone' };
  } finally {
    await opened.handle.close();
  }
}

/** Decodes UTF-8 without NUL; a byte order mark is removed. */
export function decodeText(bytes: Uint8Array): string | undefined {
  if (bytes.includes(0)) return undefined;
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    // Not UTF-8.
    return undefined;
  }
}

/** Any bytes as text: what is not UTF-8 becomes a replacement character. */
export function decodeAnyText(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes);
}

/**
 * Reads to the end of the file, which may grow meanwhile, but stops once it is too large or not
 * text.
 */
async function readBytes(
  handle: FileHandle,
  saidBytes: number,
  maxBytes: number,
  signal: AbortSignalLike,
  { stopsAtNul }: { readonly stopsAtNul: boolean },
): Promise<Buffer | 'too_large' | 'no_text'> {
  const chunks: Buffer[] = [];
  let length = 0;
  for (;;) {
    signal.throwIfAborted();
    // One byte more than the expected size detects the end without a large buffer.
    const wanted = saidBytes > 0 && length <= saidBytes ? saidBytes - length + 1 : CHUNK_BYTES;
    const buffer = Buffer.allocUnsafe(Math.min(wanted, CHUNK_BYTES));
    const { bytesRead } = await handle.read(buffer, 0, buffer.length, null);
    if (bytesRead === 0) return Buffer.concat(chunks, length);
    length += bytesRead;
    if (length > maxBytes) return 'too_large';
    const part = buffer.subarray(0, bytesRead);
    if (stopsAtNul && part.includes(0)) return 'no_text';
    chunks.push(part);
  }
}
