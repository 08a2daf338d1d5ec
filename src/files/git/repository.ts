import { lstat, realpath, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { CallError } from '#core/errors/call-error.ts';
import { commandFix } from '#core/messages/fixes.ts';
import { containsPath, isInside, type AllowedRoots } from '../allowed-roots.ts';
import type { FoundPath } from '../find-path.ts';
import { quotePath } from '../to-absolute.ts';
import type { UserSettings } from './git-settings.ts';
import type { Git } from './git.ts';
import { fileKind, readGitText } from './read-git-file.ts';
import { damagedRepository, outsideRoots, PATH_FIELD } from './repository-errors.ts';

/** The folders of a repository, without links. Nothing else of it has been read. */
export interface Repository {
  /** The folder that contains `.git`. */
  readonly folder: string;
  /** `.git` itself, if it is a file that points elsewhere. */
  readonly gitFile: string | undefined;
  readonly gitDir: string;
  /** The same as `gitDir` except in a linked work tree. */
  readonly commonDir: string;
  /** What may be read for it: the roots, and folders outside them that certainly belong to it. */
  readonly allowed: AllowedRoots;
}

const MAX_NOTE_BYTES = 8_000;
const GIT_FILE = 'gitdir: ';

/**
 * Finds the repository as git does, in the folder and its parents. Throws if there is none, or none
 * that may be read.
 */
export async function findRepository(place: FoundPath, allowed: AllowedRoots): Promise<Repository> {
  const first = place.is === 'folder' ? place.real : dirname(place.real);
  const { dev } = await stat(first);
  for (let folder = first; ; folder = dirname(folder)) {
    const found = await repositoryIn(folder, allowed);
    if (found !== undefined) return found;
    if (await isGitDir(folder, folder)) throw noWorkTree(place);
    const above = dirname(folder);
    // Like git, stops at another file system.
    if (above === folder || (await stat(above)).dev !== dev) throw noRepository(place);
  }
}

export function noWorkTree(place: FoundPath): CallError {
  return new CallError(
    'validation',
    `${quotePath(place.given)} is the inside of a repository, which has no files to compare.`,
    { field: PATH_FIELD, fix: 'Name a folder that the repository is checked out to.' },
  );
}

function noRepository(place: FoundPath): CallError {
  return new CallError('validation', `${quotePath(place.given)} is in no git repository.`, {
    field: PATH_FIELD,
    fixes: [commandFix('git init', 'make this one'), 'Or name a folder of a repository.'],
  });
}

/** Undefined if git would continue with the parent folder. */
export async function repositoryIn(
  folder: string,
  allowed: AllowedRoots,
): Promise<Repository | undefined> {
  const path = join(folder, '.git');
  const about = await lstat(path).catch(() => undefined);
  if (about === undefined) return undefined;
  const kind = await fileKind(path);
  const isFile = kind === 'file';
  if (!isFile && kind !== 'folder') {
    if (about.isSymbolicLink()) throw outsideRoots('.git');
    return undefined;
  }
  const gitDir = isFile ? await namedBy(folder, allowed) : await realpath(path);
  const commonDir = await commonDirOf(gitDir, allowed);
  const own = await ownFolders(folder, gitDir, commonDir, allowed);
  const open: AllowedRoots = { ...allowed, roots: [...allowed.roots, ...own] };
  if (!containsPath(open, gitDir) || !containsPath(open, commonDir)) throw outsideRoots('.git');
  if (!(await isGitDir(gitDir, commonDir))) {
    if (isFile) throw damagedRepository('.git');
    return undefined;
  }
  return { folder, gitFile: isFile ? path : undefined, gitDir, commonDir, allowed: open };
}

async function namedBy(folder: string, allowed: AllowedRoots): Promise<string> {
  const path = await namedByGitFile(folder, allowed);
  if (path === undefined) throw damagedRepository('.git');
  const real = await realpath(path).catch(() => undefined);
  if (real === undefined)
    throw containsPath(allowed, path) ? damagedRepository('.git') : outsideRoots('.git');
  return real;
}

/** The folder that a `.git` file points to; undefined for another content. */
export async function namedByGitFile(
  folder: string,
  allowed: AllowedRoots,
): Promise<string | undefined> {
  const note = await readGitText(folder, '.git', withFolder(allowed, folder), MAX_NOTE_BYTES);
  if (note?.startsWith(GIT_FILE) !== true) return undefined;
  const target = firstLine(note.slice(GIT_FILE.length));
  return target === undefined ? undefined : resolve(folder, target);
}

async function commonDirOf(gitDir: string, allowed: AllowedRoots): Promise<string> {
  const note = await readGitText(gitDir, 'commondir', withFolder(allowed, gitDir), MAX_NOTE_BYTES);
  if (note === undefined) return gitDir;
  const target = firstLine(note);
  if (target === undefined) throw damagedRepository('commondir');
  const path = resolve(gitDir, target);
  const real = await realpath(path).catch(() => undefined);
  if (real === undefined)
    throw containsPath(allowed, path) ? damagedRepository('commondir') : outsideRoots('commondir');
  return real;
}

/**
 * Folders outside the roots that certainly belong to the repository, because they cannot have been
 * created by writing inside the roots.
 */
async function ownFolders(
  folder: string,
  gitDir: string,
  commonDir: string,
  allowed: AllowedRoots,
): Promise<readonly string[]> {
  const isAround = allowed.roots.some((root) => root !== folder && isInside(root, folder));
  if (isAround && gitDir === join(folder, '.git') && commonDir === gitDir) return [gitDir];
  if (dirname(gitDir) !== join(commonDir, 'worktrees')) return [];
  const note = await readGitText(gitDir, 'gitdir', withFolder(allowed, gitDir), MAX_NOTE_BYTES);
  const back = note?.trim() ?? '';
  if (basename(back) !== '.git') return [];
  const tree = await realpath(dirname(resolve(gitDir, back))).catch(() => undefined);
  return tree === folder ? [commonDir] : [];
}

/** The only line of a file; undefined if there are several or none. */
function firstLine(note: string): string | undefined {
  const [line = '', ...more] = note.split(/\r?\n/);
  const isOne = more.every((rest) => rest === '') && line !== '' && !line.includes('\0');
  return isOne ? line : undefined;
}

/** Adds a folder for reading a pointer file, before it is known whether its target may be read. */
function withFolder(allowed: AllowedRoots, folder: string): AllowedRoots {
  return { ...allowed, roots: [...allowed.roots, folder] };
}

async function isGitDir(gitDir: string, commonDir: string): Promise<boolean> {
  // A pipe counts as HEAD here, so that it gives a clear error later; where a link leads may not be
  // known yet.
  const head = await lstat(join(gitDir, 'HEAD')).catch(() => undefined);
  if (head === undefined || head.isDirectory()) return false;
  const kinds = [
    await fileKind(join(commonDir, 'objects')),
    await fileKind(join(commonDir, 'refs')),
  ];
  return kinds.every((kind) => kind === 'folder');
}

/**
 * Applies git's own rule: a repository of another user is read only if safe.directory names it. Git
 * skips the rule for an explicit repository, as used here.
 */
export async function checkTrust(
  repository: Repository,
  place: FoundPath,
  user: UserSettings,
  git: Git,
): Promise<void> {
  const { folder } = repository;
  if ((await isOurs(repository, git)) || isNamed(folder, user)) return;
  const message = `git does not trust the repository of ${quotePath(place.given)}, as it belongs to another user.`;
  const trust = commandFix(
    `git config --global --add safe.directory '${folder}'`,
    'if you do, say so',
  );
  throw new CallError('permission', message, { field: PATH_FIELD, fixes: [trust] });
}

async function isOurs({ folder, gitFile, gitDir }: Repository, git: Git): Promise<boolean> {
  const ownId = process.geteuid?.();
  if (ownId === undefined) {
    // On Windows only git can tell the owner. For this command git reads the repository's settings
    // but runs nothing from them.
    const { stderr } = await git.lookingIn(folder).run(['rev-parse', '--git-dir']);
    return !/dubious ownership|unsafe repository/.test(stderr);
  }
  for (const path of [gitFile ?? folder, folder, gitDir]) {
    if ((await lstat(path)).uid !== ownId) return false;
  }
  return true;
}

function isNamed(folder: string, { safeDirectories, home }: UserSettings): boolean {
  let isSafe = false;
  for (const value of safeDirectories) {
    const path = home !== '' && value.startsWith('~/') ? join(home, value.slice(2)) : value;
    // An empty value clears the earlier ones.
    if (path === '') isSafe = false;
    else if (path === '*' || path === folder) isSafe = true;
    else if (path.endsWith('/*') && folder.startsWith(path.slice(0, -1))) isSafe = true;
  }
  return isSafe;
}
