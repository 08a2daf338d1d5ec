import type { FileHandle } from 'node:fs/promises';
import type { Cancel } from '#core/http.ts';
import type { Area } from './area.ts';
import { openInside, type Opened } from './open-inside.ts';

/** Why a file gave no text. */
export type Fault = Exclude<Opened['is'], 'open'> | 'no_text' | 'too_large';

export type TextFile =
  | { readonly is: 'text'; readonly text: string; readonly bytes: number }
  | { readonly is: Fault };

const CHUNK_BYTES = 256_000;

/** A whole text or none of it. Throws only the signal's reason. */
export async function readText(
  real: string,
  area: Area,
  maxBytes: number,
  signal: Cancel,
): Promise<TextFile> {
  signal.throwIfAborted();
  const opened = await openInside(real, area);
  if (opened.is !== 'open') return opened;
  try {
    if (opened.bytes > maxBytes) return { is: 'too_large' };
    const bytes = await readBytes(opened.handle, opened.bytes, maxBytes, signal);
    if (typeof bytes === 'string') return { is: bytes };
    const text = decodeText(bytes);
    return text === undefined ? { is: 'no_text' } : { is: 'text', text, bytes: bytes.length };
  } catch (thrown) {
    signal.throwIfAborted();
    const { code } = thrown as NodeJS.ErrnoException;
    return { is: code === 'EACCES' || code === 'EPERM' ? 'denied' : 'gone' };
  } finally {
    await opened.handle.close();
  }
}

/** UTF-8 without NUL; a byte order mark is taken off. */
export function decodeText(bytes: Uint8Array): string | undefined {
  if (bytes.includes(0)) return undefined;
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    // Not UTF-8, and so no text for us.
    return undefined;
  }
}

/** To its end, however long it was said to be: it may grow meanwhile. Not further than it takes to know that it is no use. */
async function readBytes(
  handle: FileHandle,
  saidBytes: number,
  maxBytes: number,
  signal: Cancel,
): Promise<Buffer | 'too_large' | 'no_text'> {
  const chunks: Buffer[] = [];
  let length = 0;
  for (;;) {
    signal.throwIfAborted();
    // One more than it is said to have finds its end without room for what is not there.
    const wanted = saidBytes > 0 && length <= saidBytes ? saidBytes - length + 1 : CHUNK_BYTES;
    const buffer = Buffer.allocUnsafe(Math.min(wanted, CHUNK_BYTES));
    const { bytesRead } = await handle.read(buffer, 0, buffer.length, null);
    if (bytesRead === 0) return Buffer.concat(chunks, length);
    length += bytesRead;
    if (length > maxBytes) return 'too_large';
    const part = buffer.subarray(0, bytesRead);
    if (part.includes(0)) return 'no_text';
    chunks.push(part);
  }
}
