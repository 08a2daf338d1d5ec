import { createHash } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import { CallError } from '#core/errors/call-error.ts';
import type { AbortSignalLike } from '#core/net/abort.ts';
import { attachmentName } from '#core/text/attachment-name.ts';
import { formatMegabytes } from '#core/text/format.ts';
import type { OpenedFile } from '#core/workspace.ts';
import type { AllowedRoots } from './allowed-roots.ts';
import { findPath, type FoundPath } from './find-path.ts';
import { MAX_OPENED_ALL_BYTES, MAX_OPENED_FILE_BYTES, MAX_OPENED_FILES } from './limits.ts';
import { openFaultError, refuseSecretLink } from './named-file.ts';
import { openInside } from './open-inside.ts';
import { quotePath } from './to-absolute.ts';

const CHUNK_BYTES = 1024 * 1024;

/** Checks all paths before any of them is opened. A file that is named twice counts once. */
export async function findFiles(
  paths: readonly string[],
  field: string,
  allowed: AllowedRoots,
  signal: AbortSignalLike,
): Promise<readonly FoundPath[]> {
  if (paths.length > MAX_OPENED_FILES) {
    const message = `${field} names ${paths.length} files; at most ${MAX_OPENED_FILES} can be opened at once.`;
    throw new CallError('too_large', message, { field, fix: 'Name those that matter most.' });
  }
  const places = new Map<string, FoundPath>();
  let bytes = 0;
  for (const given of paths) {
    signal.throwIfAborted();
    const place = await findPath(given, field, allowed);
    if (places.has(place.real)) continue;
    if (place.is === 'folder') throw isFolder(given, field);
    refuseSecretLink(place, field);
    if (place.bytes > MAX_OPENED_FILE_BYTES) throw openedTooLarge(given, field);
    bytes += place.bytes;
    if (bytes > MAX_OPENED_ALL_BYTES) throw openedTooMuch(given, field);
    places.set(place.real, place);
  }
  return [...places.values()];
}

/**
 * Reads a checked file whole. The file that was opened is the one that was checked, or the call
 * fails.
 */
export async function openFile(
  { given, name, real }: FoundPath,
  field: string,
  allowed: AllowedRoots,
  signal: AbortSignalLike,
): Promise<OpenedFile> {
  signal.throwIfAborted();
  const opened = await openInside(real, allowed);
  if (opened.is !== 'open') throw openFaultError(given, opened.is, field);
  try {
    if (opened.bytes > MAX_OPENED_FILE_BYTES) throw openedTooLarge(given, field);
    const read = await readWhole(opened.handle, opened.bytes, signal);
    if (read === 'too_large') throw openedTooLarge(given, field);
    return { name: attachmentName(name), path: real, ...read };
  } catch (thrown) {
    signal.throwIfAborted();
    throw CallError.from(thrown, { field });
  } finally {
    await opened.handle.close();
  }
}

/** Reads to the end of the file, which may grow or shrink meanwhile. */
async function readWhole(
  handle: FileHandle,
  saidBytes: number,
  signal: AbortSignalLike,
): Promise<{ bytes: Uint8Array; sha256: string } | 'too_large'> {
  const digest = createHash('sha256');
  // One byte more than the expected size shows the end.
  let buffer = Buffer.allocUnsafeSlow(saidBytes + 1);
  let length = 0;
  for (;;) {
    signal.throwIfAborted();
    if (length === buffer.length) {
      const larger = Buffer.allocUnsafeSlow(Math.min(2 * length, MAX_OPENED_FILE_BYTES) + 1);
      buffer.copy(larger);
      buffer = larger;
    }
    const room = Math.min(buffer.length - length, CHUNK_BYTES);
    const { bytesRead } = await handle.read(buffer, length, room, null);
    if (bytesRead === 0) break;
    digest.update(buffer.subarray(length, length + bytesRead));
    length += bytesRead;
    if (length > MAX_OPENED_FILE_BYTES) return 'too_large';
  }
  return { bytes: buffer.subarray(0, length), sha256: digest.digest('hex') };
}

function isFolder(given: string, field: string): CallError {
  return new CallError('validation', `${quotePath(given)} is a folder.`, {
    field,
    fix: 'Name a file.',
  });
}

export function openedTooLarge(given: string, field: string): CallError {
  const limit = formatMegabytes(MAX_OPENED_FILE_BYTES);
  const message = `${quotePath(given)} is over the limit of ${limit} for one file.`;
  return new CallError('too_large', message, { field, fix: 'Name a smaller file.' });
}

export function openedTooMuch(given: string, field: string): CallError {
  const limit = formatMegabytes(MAX_OPENED_ALL_BYTES);
  const message = `With ${quotePath(given)} the files are over the limit of ${limit} in all.`;
  return new CallError('too_large', message, { field, fix: 'Name fewer of them.' });
}
