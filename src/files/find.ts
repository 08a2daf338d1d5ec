import type { Stats } from 'node:fs';
import { lstat, opendir, realpath, stat } from 'node:fs/promises';
import { basename, dirname, relative, sep } from 'node:path';
import { CallError } from '#core/call-error.ts';
import { didYouMean } from '#core/nearest.ts';
import { holds, HOW_TO_OPEN, inWords, seemsInside, type Area } from './area.ts';
import { isFileUrl, shown, toAbsolute } from './to-absolute.ts';

/** Something that was named and may be read. */
export interface Place {
  readonly given: string;
  /** As given; the path where it was a URL. */
  readonly name: string;
  /** Without links. */
  readonly real: string;
  readonly is: 'file' | 'folder';
  readonly bytes: number;
}

const MAX_NEIGHBOURS = 2_000;

/** Follows links first and judges then. Of what lies outside it tells nothing, not even whether it is there. */
export async function find(given: string, field: string, area: Area): Promise<Place> {
  const path = toAbsolute(given, field, area);
  let real: string;
  let about: Stats;
  try {
    real = await realpath(path);
    if (!holds(area, real)) throw outside(given, field, area);
    about = await stat(real);
  } catch (thrown) {
    if (thrown instanceof CallError || !seemsInside(area, path)) throw outside(given, field, area);
    throw await missing(given, path, field, area, thrown);
  }
  const place = { given, name: isFileUrl(given) ? path : given, real };
  if (about.isDirectory()) return { ...place, is: 'folder', bytes: 0 };
  if (about.isFile()) return { ...place, is: 'file', bytes: about.size };
  throw notAFile(given, field);
}

export function outside(given: string, field: string, area: Area): CallError {
  return new CallError(
    'permission',
    `${shown(given)} is not in the folders that this caller may read: ${inWords(area)}.`,
    { field, fixes: HOW_TO_OPEN },
  );
}

export function notAFile(given: string, field: string): CallError {
  const why = 'is neither a file nor a folder but a device, a pipe or a socket.';
  return new CallError('validation', `${shown(given)} ${why}`, { field, fix: 'Name a file.' });
}

export function denied(given: string, field: string): CallError {
  return new CallError('permission', `The system does not let EX-AI read ${shown(given)}.`, {
    field,
    fix: 'Give the user that EX-AI runs as the right to read it.',
  });
}

async function missing(
  given: string,
  path: string,
  field: string,
  area: Area,
  thrown: unknown,
): Promise<CallError> {
  const { code } = thrown as NodeJS.ErrnoException;
  if (code === 'EACCES' || code === 'EPERM') return denied(given, field);
  if (code === 'ELOOP' || code === 'ENAMETOOLONG') {
    const why =
      code === 'ELOOP' ? 'is a link that leads to itself' : 'is longer than a path can be';
    return new CallError('validation', `${shown(given)} ${why}.`, { field });
  }
  if (code !== 'ENOENT' && code !== 'ENOTDIR') return CallError.from(thrown, { field });
  const { folder, name } = await deepest(path);
  // A link that leads nowhere is told like one that leads outside: else it would tell what is there.
  if (folder === undefined || !holds(area, folder)) return outside(given, field, area);
  const hint = didYouMean(name, await namesIn(folder)) || '.';
  const where = name === basename(path) ? '' : ` (there is no ${shown(name)} on the way)`;
  return new CallError('not_found', `There is no ${shown(given)}${where}${hint}`, {
    field,
    fix: 'Relative paths begin at the first root; give the path in full where in doubt.',
  });
}

/** The last folder on the way that is there, and the first name that is not. */
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
      // Not there either: one up.
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
    // A file in the middle of a path has no neighbours, and a hint is worth no failure.
  }
  return names;
}

/** What a folder holds, by the name that the folder was given. */
export function nameWithin(folder: string, inner: string): string {
  const path = inner.split(sep).join('/');
  if (folder === '.' || folder === './') return path;
  return folder.endsWith('/') ? `${folder}${path}` : `${folder}/${path}`;
}
