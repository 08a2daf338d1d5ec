import { lstat, realpath, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { CallError } from '#core/call-error.ts';
import { command } from '#core/messages/fixes.ts';
import { holds, isInside, type Area } from '../area.ts';
import type { Place } from '../find.ts';
import { shown } from '../to-absolute.ts';
import { kindOf, readGitText } from './read-git-file.ts';
import { damaged, keptOutside, PATH_FIELD } from './repository-fault.ts';

/** Where the parts of a repository are, without links. Nothing of it has been read but that. */
export interface Repository {
  /** The folder that has `.git`. */
  readonly folder: string;
  /** `.git` itself, where it is a file that leads on. */
  readonly gitFile: string | undefined;
  readonly gitDir: string;
  /** The same, unless this is one of several work trees. */
  readonly commonDir: string;
  /** What may be read for it: the roots, and folders outside them that belong to it beyond doubt. */
  readonly area: Area;
}

const MAX_NOTE_BYTES = 8_000;
const GIT_FILE = 'gitdir: ';

/** Looks where git would, in the folder and those above it. Throws where there is none, or none that may be read. */
export async function findRepository(place: Place, area: Area): Promise<Repository> {
  const first = place.is === 'folder' ? place.real : dirname(place.real);
  const { dev } = await stat(first);
  for (let folder = first; ; folder = dirname(folder)) {
    const found = await repositoryIn(folder, area);
    if (found !== undefined) return found;
    if (await isGitDir(folder, folder)) throw noFiles(place);
    const above = dirname(folder);
    // As git does, another disk is not searched.
    if (above === folder || (await stat(above)).dev !== dev) throw noRepository(place);
  }
}

export function noFiles(place: Place): CallError {
  return new CallError(
    'validation',
    `${shown(place.given)} is the inside of a repository, which has no files to compare.`,
    { field: PATH_FIELD, fix: 'Name a folder that the repository is checked out to.' },
  );
}

function noRepository(place: Place): CallError {
  return new CallError('validation', `${shown(place.given)} is in no git repository.`, {
    field: PATH_FIELD,
    fixes: [command('git init', 'make this one'), 'Or name a folder of a repository.'],
  });
}

/** Nothing where git would go on to the folder above. */
export async function repositoryIn(folder: string, area: Area): Promise<Repository | undefined> {
  const path = join(folder, '.git');
  const about = await lstat(path).catch(() => undefined);
  if (about === undefined) return undefined;
  const kind = await kindOf(path);
  const isFile = kind === 'file';
  if (!isFile && kind !== 'folder') {
    if (about.isSymbolicLink()) throw keptOutside('.git');
    return undefined;
  }
  const gitDir = isFile ? await namedBy(folder, area) : await realpath(path);
  const commonDir = await commonDirOf(gitDir, area);
  const own = await ownFolders(folder, gitDir, commonDir, area);
  const open: Area = { ...area, roots: [...area.roots, ...own] };
  if (!holds(open, gitDir) || !holds(open, commonDir)) throw keptOutside('.git');
  if (!(await isGitDir(gitDir, commonDir))) {
    if (isFile) throw damaged('.git');
    return undefined;
  }
  return { folder, gitFile: isFile ? path : undefined, gitDir, commonDir, area: open };
}

async function namedBy(folder: string, area: Area): Promise<string> {
  const path = await namedByGitFile(folder, area);
  if (path === undefined) throw damaged('.git');
  const real = await realpath(path).catch(() => undefined);
  if (real === undefined) throw holds(area, path) ? damaged('.git') : keptOutside('.git');
  return real;
}

/** The folder that a file `.git` leads to; nothing when it is not written so. */
export async function namedByGitFile(folder: string, area: Area): Promise<string | undefined> {
  const note = await readGitText(folder, '.git', withFolder(area, folder), MAX_NOTE_BYTES);
  if (note?.startsWith(GIT_FILE) !== true) return undefined;
  const target = firstLine(note.slice(GIT_FILE.length));
  return target === undefined ? undefined : resolve(folder, target);
}

async function commonDirOf(gitDir: string, area: Area): Promise<string> {
  const note = await readGitText(gitDir, 'commondir', withFolder(area, gitDir), MAX_NOTE_BYTES);
  if (note === undefined) return gitDir;
  const target = firstLine(note);
  if (target === undefined) throw damaged('commondir');
  const path = resolve(gitDir, target);
  const real = await realpath(path).catch(() => undefined);
  if (real === undefined) throw holds(area, path) ? damaged('commondir') : keptOutside('commondir');
  return real;
}

/** Folders outside the roots that belong to it beyond doubt: nobody who only writes in the roots could have put them there. */
async function ownFolders(
  folder: string,
  gitDir: string,
  commonDir: string,
  area: Area,
): Promise<readonly string[]> {
  const isAround = area.roots.some((root) => root !== folder && isInside(root, folder));
  if (isAround && gitDir === join(folder, '.git') && commonDir === gitDir) return [gitDir];
  if (dirname(gitDir) !== join(commonDir, 'worktrees')) return [];
  const note = await readGitText(gitDir, 'gitdir', withFolder(area, gitDir), MAX_NOTE_BYTES);
  const back = note?.trim() ?? '';
  if (basename(back) !== '.git') return [];
  const tree = await realpath(dirname(resolve(gitDir, back))).catch(() => undefined);
  return tree === folder ? [commonDir] : [];
}

/** Nothing where there are more, or none. */
function firstLine(note: string): string | undefined {
  const [line = '', ...more] = note.split(/\r?\n/);
  const isOne = more.every((rest) => rest === '') && line !== '' && !line.includes('\0');
  return isOne ? line : undefined;
}

/** For a note that only says where to go on, and is read before it is known whether we may. */
function withFolder(area: Area, folder: string): Area {
  return { ...area, roots: [...area.roots, folder] };
}

async function isGitDir(gitDir: string, commonDir: string): Promise<boolean> {
  // A pipe is taken for one, so that it is refused with words; of a link it may not be known yet where it leads.
  const head = await lstat(join(gitDir, 'HEAD')).catch(() => undefined);
  if (head === undefined || head.isDirectory()) return false;
  const kinds = [await kindOf(join(commonDir, 'objects')), await kindOf(join(commonDir, 'refs'))];
  return kinds.every((kind) => kind === 'folder');
}
