import type { Stats } from 'node:fs';
import { lstat, opendir, realpath, stat } from 'node:fs/promises';
import { basename, dirname, relative, sep } from 'node:path';
import { CallError } from '#core/errors/call-error.ts';
import { codedError } from '#core/errors/coded-error.ts';
import { reason } from '#core/messages/reasons.ts';
import { nearest } from '#core/text/text.ts';
import {
  containsPath,
  OPEN_FOLDER_FIXES,
  seemsToContain,
  shownRoots,
  type AllowedRoots,
} from './allowed-roots.ts';
import { isFileUrl, quotePath, truncatePath, toAbsolute } from './to-absolute.ts';

/** A named path that may be read. */
export interface FoundPath {
  readonly given: string;
  /** As given; a file URL becomes its path. */
  readonly name: string;
  /** Without links. */
  readonly real: string;
  readonly is: 'file' | 'folder';
  readonly bytes: number;
}

const MAX_NEIGHBOURS = 2_000;

/**
 * Resolves links first and checks permission then. An error about a path outside the roots does not
 * reveal whether it exists.
 */
export async function findPath(
  given: string,
  field: string,
  allowed: AllowedRoots,
): Promise<FoundPath> {
  const path = toAbsolute(given, field, allowed);
  let real: string;
  let about: Stats;
  try {
    real = await realpath(path);
    if (!containsPath(allowed, real)) throw outsideRootsError(given, field, allowed);
    about = await stat(real);
  } catch (thrown) {
    if (thrown instanceof CallError || !seemsToContain(allowed, path))
      throw outsideRootsError(given, field, allowed);
    throw await missing(given, path, field, allowed, thrown);
  }
  const place = { given, name: isFileUrl(given) ? path : given, real };
  if (about.isDirectory()) return { ...place, is: 'folder', bytes: 0 };
  if (about.isFile()) return { ...place, is: 'file', bytes: about.size };
  throw notAFile(given, field);
}

export function outsideRootsError(given: string, field: string, allowed: AllowedRoots): CallError {
  const what = { path: truncatePath(given), ...shownRoots(allowed) };
  return codedError('permission', reason('file_outside_roots', what), {
    field,
    fixes: OPEN_FOLDER_FIXES,
  });
}

export function notAFile(given: string, field: string): CallError {
  const why = 'is neither a file nor a folder but a device, a pipe or a socket.';
  return new CallError('validation', `${quotePath(given)} ${why}`, { field, fix: 'Name a file.' });
}

export function accessDenied(given: string, field: string): CallError {
  return new CallError('permission', `The system does not let EX-AI read ${quotePath(given)}.`, {
    field,
    fix: 'Give the user that EX-AI runs as the right to read it.',
  });
}

async function missing(
  given: string,
  path: string,
  field: string,
  allowed: AllowedRoots,
  thrown: unknown,
): Promise<CallError> {
  const { code } = thrown as NodeJS.ErrnoException;
  if (code === 'EACCES' || code === 'EPERM') return accessDenied(given, field);
  if (code === 'ELOOP' || code === 'ENAMETOOLONG') {
    const why =
      code === 'ELOOP' ? 'is a link that leads to itself' : 'is longer than a path can be';
    return new CallError('validation', `${quotePath(given)} ${why}.`, { field });
  }
  if (code !== 'ENOENT' && code !== 'ENOTDIR') return CallError.from(thrown, { field });
  const { folder, name } = await deepest(path);
  // A dangling link gives the same error as one that leads outside, so that it reveals nothing.
  if (folder === undefined || !containsPath(allowed, folder))
    return outsideRootsError(given, field, allowed);
  const meant = nearest(name, await namesIn(folder));
  const what = {
    path: truncatePath(given),
    ...(name !== basename(path) && { folder: truncatePath(name) }),
    ...(meant !== undefined && { meant }),
  };
  return codedError('not_found', reason('missing_file', what), {
    field,
    fix: 'Relative paths start at the first allowed folder; use an absolute path for another one.',
  });
}

/** The deepest existing folder of a path, and the first missing name. */
async function deepest(path: string): Promise<{ folder: string | undefined; name: string }> {
  for (let at = path; dirname(at) !== at; at = dirname(at)) {
    try {
      await lstat(at);
      const isDangling = await realpath(at).then(
        () => false,
        () => true,
      );
      if (isDangling) return { folder: undefined, name: basename(at) };
      const [name = ''] = relative(at, path).split(sep);
      return { folder: await realpath(at), name };
    } catch {
      // Missing as well: one level up.
    }
  }
  return { folder: undefined, name: '' };
}

async function namesIn(folder: string): Promise<readonly string[]> {
  const names: string[] = [];
  try {
    for await (const { name } of await opendir(folder)) {
      if (names.push(name) === MAX_NEIGHBOURS) break;
    }
  } catch {
    // A file in the middle of a path has no entries, and a hint is not worth an error.
  }
  return names;
}

/** The name of a file inside a folder, starting with the folder's name as given. */
export function nameWithin(folder: string, inner: string): string {
  const path = inner.split(sep).join('/');
  if (folder === '.' || folder === './') return path;
  return folder.endsWith('/') ? `${folder}${path}` : `${folder}/${path}`;
}
