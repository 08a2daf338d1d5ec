import { createHash } from 'node:crypto';
import type { Stats } from 'node:fs';
import { lstat, open, rename, unlink, type FileHandle } from 'node:fs/promises';
import { basename, dirname, join, sep } from 'node:path';
import { CallError } from '#core/errors/call-error.ts';
import { fix } from '#core/messages/fixes.ts';
import type { AbortSignalLike } from '#core/net/abort.ts';
import { untilAborted } from '#core/net/until-aborted.ts';
import { formatMegabytes } from '#core/text/format.ts';
import type { SavedFile } from '#core/workspace.ts';
import { containsPath, type AllowedRoots } from './allowed-roots.ts';
import { findPath, outsideRootsError } from './find-path.ts';
import { openFolder, type OpenFolder } from './open-folder.ts';
import { MAX_SAVED_BYTES } from './limits.ts';
import { quotePath, toAbsolute } from './to-absolute.ts';

type Chunks = Iterable<Uint8Array> | AsyncIterable<Uint8Array>;

const ALL_MAY_READ = 0o666;
const PERMISSIONS = 0o777;
const ANY_WRITE = 0o222;

let made = 0;

/**
 * Saves a file: a temporary file beside it is written, synced and renamed to it. Everything happens
 * in the folder that was opened and checked, wherever its path leads afterwards; links are neither
 * followed nor replaced.
 */
export async function saveInside(
  given: string,
  field: string,
  content: Chunks,
  allowed: AllowedRoots,
  signal: AbortSignalLike,
): Promise<SavedFile> {
  const { folderPath, name } = await locate(given, field, allowed);
  const folder = await openFolder(folderPath, allowed);
  if (folder === 'changed') throw movedAway(given, field);
  try {
    const before = await checkTarget(folder, name, given, field);
    const written = await writeBeside(folder, name, content, {
      mode: before && before.mode & PERMISSIONS,
      signal,
      beforeRename: async () => {
        await checkTarget(folder, name, given, field);
        if (!(await folder.isInPlace())) throw movedAway(given, field);
        signal.throwIfAborted();
      },
    });
    const change = before ? 'replaced' : 'created';
    return { path: join(folderPath, name), ...written, change };
  } catch (thrown) {
    signal.throwIfAborted();
    throw saveError(thrown, given, field);
  } finally {
    await folder.close();
  }
}

/** The folder of the target, without links, and the name within it. */
async function locate(
  given: string,
  field: string,
  allowed: AllowedRoots,
): Promise<{ folderPath: string; name: string }> {
  const path = toAbsolute(given, field, allowed);
  const name = basename(path);
  if (/[\\/]$/.test(given) || name === '') {
    throw new CallError('validation', `${quotePath(given)} names a folder.`, {
      field,
      fix: 'Name a file.',
    });
  }
  const parent = dirname(path);
  const folder = await findPath(parent, field, allowed).catch((thrown: unknown) => {
    const error = CallError.from(thrown);
    // An error about the folder names what the caller wrote.
    throw error.class === 'permission' ? outsideRootsError(given, field, allowed) : error;
  });
  const folderPath = folder.real;
  if (folder.is !== 'folder') {
    throw new CallError('validation', `${quotePath(parent)} is not a folder.`, { field });
  }
  if (!containsPath(allowed, join(folderPath, name))) {
    throw outsideRootsError(given, field, allowed);
  }
  // Git runs programs that its files name.
  if (join(folderPath, name).split(sep).some(isGitFolder)) {
    throw new CallError('permission', `${quotePath(given)} belongs to git.`, {
      field,
      fix: 'Choose a place outside the .git folder.',
    });
  }
  return { folderPath, name };
}

/** As file systems that ignore case or trailing dots see it. */
function isGitFolder(name: string): boolean {
  return /^(?:\.git|git~1)[. ]*$/i.test(name.normalize('NFKC').replaceAll(/\p{Cf}/gu, ''));
}

/** The file that would be replaced. Refuses anything but a file that may be written. */
async function checkTarget(
  folder: OpenFolder,
  name: string,
  given: string,
  field: string,
): Promise<Stats | undefined> {
  const about = await lstat(folder.entry(name)).catch((thrown: NodeJS.ErrnoException) => {
    if (thrown.code === 'ENOENT') return undefined;
    throw thrown;
  });
  if (!about) return undefined;
  const refuse = (why: string) =>
    new CallError('validation', `${quotePath(given)} ${why}`, {
      field,
      fix: 'Choose another name.',
    });
  if (about.isSymbolicLink()) throw refuse('is a link; files are saved by their own names.');
  if (about.isDirectory()) throw refuse('is a folder.');
  if (!about.isFile()) throw refuse('is a device, a pipe or a socket.');
  if ((about.mode & ANY_WRITE) === 0) {
    throw new CallError('permission', `${quotePath(given)} is read-only.`, {
      field,
      fix: 'Choose another name, or make the file writable.',
    });
  }
  return about;
}

async function writeBeside(
  folder: OpenFolder,
  name: string,
  content: Chunks,
  options: {
    readonly mode: number | undefined;
    readonly signal: AbortSignalLike;
    readonly beforeRename: () => Promise<void>;
  },
): Promise<{ bytes: number; sha256: string }> {
  const { mode, signal, beforeRename } = options;
  const { handle, path } = await createTemporary(folder, mode ?? ALL_MAY_READ);
  let isOpen = true;
  try {
    // The umask does not apply to the permissions of a file that was there.
    if (mode !== undefined) await handle.chmod(mode);
    const written = await writeAll(handle, content, signal);
    await handle.sync();
    isOpen = false;
    await handle.close();
    await beforeRename();
    await rename(path, folder.entry(name));
    await folder.sync();
    return written;
  } catch (thrown) {
    if (isOpen) await handle.close();
    // It has the new name if only the last sync failed.
    await unlink(path).catch(() => undefined);
    throw thrown;
  }
}

async function writeAll(
  handle: FileHandle,
  content: Chunks,
  signal: AbortSignalLike,
): Promise<{ bytes: number; sha256: string }> {
  const digest = createHash('sha256');
  let bytes = 0;
  for await (const chunk of untilAborted(content, signal)) {
    bytes += chunk.length;
    if (bytes > MAX_SAVED_BYTES) {
      const limit = formatMegabytes(MAX_SAVED_BYTES);
      throw new CallError('too_large', `The file would be over the limit of ${limit}.`);
    }
    digest.update(chunk);
    for (let rest = chunk; rest.length > 0;) {
      const { bytesWritten } = await handle.write(rest);
      rest = rest.subarray(bytesWritten);
    }
  }
  return { bytes, sha256: digest.digest('hex') };
}

/** A file that is new: `wx` neither follows a link nor opens what is there. */
async function createTemporary(
  folder: OpenFolder,
  mode: number,
): Promise<{ handle: FileHandle; path: string }> {
  for (;;) {
    const path = folder.entry(`.exai-${process.pid}-${++made}.part`);
    try {
      return { handle: await open(path, 'wx', mode), path };
    } catch (thrown) {
      // An earlier process with this number may have left one.
      if ((thrown as NodeJS.ErrnoException).code !== 'EEXIST') throw thrown;
    }
  }
}

function saveError(thrown: unknown, given: string, field: string): CallError {
  const { code } = thrown as NodeJS.ErrnoException;
  if (code === 'EACCES' || code === 'EPERM' || code === 'EROFS') {
    const message = `The system does not let EX-AI write ${quotePath(given)}.`;
    return new CallError('permission', message, {
      field,
      fix: 'Choose another folder, or give the user that EX-AI runs as the right to write there.',
      cause: thrown,
    });
  }
  return CallError.from(thrown, { field });
}

function movedAway(given: string, field: string): CallError {
  const message = `The folder of ${quotePath(given)} was replaced while the file was saved.`;
  return new CallError('conflict', message, { field, fixes: [fix('retry')] });
}
