import type { Dirent } from 'node:fs';
import { opendir, readdir, realpath, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { CallError } from '#core/errors/call-error.ts';
import type { AbortSignalLike } from '#core/net/abort.ts';
import { oneLine } from '#core/text/text.ts';
import { containsPath, type AllowedRoots } from '../allowed-roots.ts';
import { gitFailure, type Git } from './git.ts';
import { readGitText } from './read-git-file.ts';
import { createGitRefs } from './refs.ts';
import {
  outsideRoots,
  notARegularFile,
  PATH_FIELD,
  repositoryTooLarge,
  unsupportedRepository,
} from './repository-errors.ts';
import { namedByGitFile, repositoryIn, type Repository } from './repository.ts';
import { folderOf, type TrackedPaths } from './tracked.ts';

/** The same limit as git's. */
const MAX_LENDERS_DEEP = 5;
const MAX_LENDERS = 50;
const MAX_NOTE_BYTES = 1_000_000;
/** Git packs objects long before. */
const MAX_ENTRIES = 200_000;
/** Folders in which git looks for objects. */
const SEARCHED = /^(?:[0-9a-f]{2}|pack|info)$/;

/**
 * Checks that all objects of a repository are files inside the readable roots, because a repository
 * shows whatever its objects contain. The same holds for the objects of alternates.
 */
export async function checkObjects(
  { commonDir, allowed }: Repository,
  signal: AbortSignalLike,
): Promise<string> {
  const objects = await realpath(join(commonDir, 'objects'));
  const state = { lenders: 0, entries: 0 };
  await checkObjectFolder(objects, allowed, signal, MAX_LENDERS_DEEP, state);
  return objects;
}

interface Seen {
  lenders: number;
  entries: number;
}

async function checkObjectFolder(
  objects: string,
  allowed: AllowedRoots,
  signal: AbortSignalLike,
  deep: number,
  seen: Seen,
): Promise<void> {
  if (deep < 0 || ++seen.lenders > MAX_LENDERS) throw outsideRoots('objects/info/alternates');
  const folders = [''];
  for (const folder of folders) {
    signal.throwIfAborted();
    const name = join('objects', folder);
    const real = await realpath(join(objects, folder)).catch(() => undefined);
    if (real === undefined) continue;
    if (!containsPath(allowed, real)) throw outsideRoots(name);
    for await (const entry of await opendir(real, { bufferSize: 256 })) {
      if (++seen.entries > MAX_ENTRIES) throw repositoryTooLarge('objects', `${MAX_ENTRIES} files`);
      const inner = join(folder, entry.name);
      const kind = await kindOfEntry(
        join(real, entry.name),
        entry,
        allowed,
        join('objects', inner),
      );
      if (kind === 'special') throw notARegularFile(join('objects', inner));
      const isSearched = folder === '' ? SEARCHED.test(entry.name) : inner === COMMIT_GRAPHS;
      if (kind === 'folder' && isSearched) folders.push(inner);
    }
  }
  const note = await readGitText(objects, 'info/alternates', allowed, MAX_NOTE_BYTES);
  for (const lender of (note ?? '').split('\n')) {
    if (lender === '' || lender.startsWith('#')) continue;
    // Quoted paths exist for names with line breaks; they are refused.
    if (lender.startsWith('"')) throw outsideRoots('objects/info/alternates');
    const real = await realpath(resolve(objects, lender)).catch(() => resolve(objects, lender));
    if (!containsPath(allowed, real)) throw outsideRoots('objects/info/alternates');
    await checkObjectFolder(real, allowed, signal, deep - 1, seen);
  }
}

const COMMIT_GRAPHS = join('info', 'commit-graphs');

async function kindOfEntry(
  path: string,
  entry: Dirent,
  allowed: AllowedRoots,
  name: string,
): Promise<'file' | 'folder' | 'special'> {
  if (entry.isFile()) return 'file';
  if (entry.isDirectory()) return 'folder';
  if (!entry.isSymbolicLink()) return 'special';
  const real = await realpath(path).catch(() => undefined);
  // A dangling link gives the same error as one that leads outside, so that it reveals nothing.
  if (real === undefined || !containsPath(allowed, real)) throw outsideRoots(name);
  const about = await stat(real);
  return about.isFile() ? 'file' : about.isDirectory() ? 'folder' : 'special';
}

interface WorkTree {
  readonly top: string;
  /** The folders to check, relative to the top; '' is all of it. */
  readonly parts: readonly string[];
  readonly repository: Repository;
  readonly idChars: number;
}

/**
 * Files that git opens in every folder it visits; a pipe would block it. Git does not follow links
 * here.
 */
const OPENED = new Set(['.gitignore', '.gitattributes']);
/** Beyond this limit only git's timeout applies. */
const MAX_FOLDERS = 20_000;
const AT_ONCE = 16;
const MAX_NAME_CHARS = 200;
const MAX_IGNORED_BYTES = 20_000_000;

/**
 * Throws if a file that git would open in the work tree is a pipe, a device or a socket. Visits the
 * same folders as git: those of tracked files, and others that are not ignored. Paths are byte
 * strings (latin1).
 */
export async function checkWorkTree(
  git: Git,
  tree: WorkTree,
  { folders, submodules }: TrackedPaths,
  signal: AbortSignalLike,
): Promise<void> {
  const parts = tree.parts.map(toBytes);
  const isMeant = (path: string) =>
    parts.some((part) => isWithin(path, part) || isWithin(part, path));
  for (const path of submodules) if (isMeant(path)) await checkSubmodule(path, tree);

  let next = [...new Set([...folders, ...parts.flatMap(withThoseAbove)])].filter(isMeant);
  for (let seen = 0; next.length > 0;) {
    seen += next.length;
    const found: string[] = [];
    for (let at = 0; at < next.length; at += AT_ONCE) {
      signal.throwIfAborted();
      const some = next.slice(at, at + AT_ONCE);
      const inner = some.map((folder) => checkFolder(folder, tree, folders));
      found.push(...(await Promise.all(inner)).flat());
    }
    const others = found.filter(
      (folder) => !folders.has(folder) && !submodules.has(folder) && isMeant(folder),
    );
    const few = others.slice(0, Math.max(0, MAX_FOLDERS - seen));
    next = await notIgnored(git, await reachedWithoutLinks(few, tree.top));
  }
}

/** The folders inside a folder; none inside a nested repository, which git does not enter. */
async function checkFolder(
  folder: string,
  { top, repository }: WorkTree,
  tracked: TrackedPaths['folders'],
): Promise<readonly string[]> {
  // Git does not enter a missing or locked folder either.
  const entries = await readdir(pathOf(top, folder), {
    withFileTypes: true,
    encoding: 'buffer',
  }).catch(() => []);
  const inner: string[] = [];
  let hasGit = false;
  for (const entry of entries) {
    const name = entry.name.toString('latin1');
    if (name === '.git') hasGit = true;
    else if (entry.isDirectory()) inner.push(joined(folder, name));
    else if (OPENED.has(name) && !entry.isFile() && !entry.isSymbolicLink()) {
      throw notARegularFile(toUtf8(joined(folder, name)));
    }
  }
  const isOwn = hasGit && !tracked.has(folder) && (await isNested(folder, top, repository));
  return isOwn ? [] : inner;
}

/** Whether an untracked folder is a repository. Git opens these files to find out. */
async function isNested(folder: string, top: string, { allowed }: Repository): Promise<boolean> {
  const gitPath = joined(folder, '.git');
  let gitDir = pathOf(top, gitPath);
  if ((await kindAt(gitDir)) === 'file') {
    const whole = resolve(top, toUtf8(folder));
    const target = await namedByGitFile(whole, allowed);
    if (target === undefined) return false;
    gitDir = Buffer.from(target);
  }
  const kinds = new Map<string, Kind>();
  for (const name of ['HEAD', 'commondir']) {
    const kind = await kindAt(Buffer.concat([gitDir, Buffer.from(`/${name}`)]));
    if (kind === 'special') throw notARegularFile(toUtf8(joined(gitPath, name)));
    kinds.set(name, kind);
  }
  return kinds.get('HEAD') === 'file';
}

/** Checks a submodule, because git reads its checked-out commit. */
async function checkSubmodule(path: string, { top, repository, idChars }: WorkTree): Promise<void> {
  const name = toUtf8(path);
  try {
    const inner = await repositoryIn(resolve(top, name), repository.allowed);
    if (inner === undefined) return;
    if ((await kindAt(Buffer.from(`${inner.commonDir}/config`))) === 'special') {
      throw notARegularFile('config');
    }
    await createGitRefs(inner, idChars).head();
  } catch (thrown) {
    const { class: is, message, fixes } = CallError.from(thrown);
    const words = `The submodule ${oneLine(name, MAX_NAME_CHARS)} cannot be read. ${message}`;
    throw new CallError(is, words, { field: PATH_FIELD, fixes });
  }
}

/**
 * The folders that are not ignored. Git reads only checked files for this: the rules of the folders
 * above.
 */
async function notIgnored(git: Git, folders: readonly string[]): Promise<string[]> {
  if (folders.length === 0) return [];
  const input = Buffer.from(folders.map((folder) => `${folder}\0`).join(''), 'latin1');
  const output = await git.run(['check-ignore', '--stdin', '-z'], {
    input,
    maxBytes: MAX_IGNORED_BYTES,
  });
  // 1: none is ignored.
  if (output.code !== 0 && output.code !== 1) throw gitFailure('check-ignore', output);
  const ignored = new Set(output.stdout.toString('latin1').split('\0'));
  return folders.filter((folder) => !ignored.has(folder));
}

/** Folders reached without links, because git does not follow a folder that became a link. */
async function reachedWithoutLinks(
  folders: readonly string[],
  top: string,
): Promise<readonly string[]> {
  const isReal = new Map<string, boolean>();
  for (const above of new Set(folders.map(folderOf))) {
    const path = pathOf(top, above);
    const real = await realpath(path, { encoding: 'buffer' }).catch(() => undefined);
    isReal.set(above, real?.equals(path) === true);
  }
  return folders.filter((folder) => isReal.get(folderOf(folder)));
}

type Kind = 'file' | 'folder' | 'special' | 'absent';

async function kindAt(path: Buffer): Promise<Kind> {
  const about = await stat(path).catch(() => undefined);
  if (about === undefined) return 'absent';
  return about.isFile() ? 'file' : about.isDirectory() ? 'folder' : 'special';
}

function withThoseAbove(folder: string): string[] {
  return folder === '' ? [''] : [folder, ...withThoseAbove(folderOf(folder))];
}

function isWithin(path: string, folder: string): boolean {
  return folder === '' || path === folder || path.startsWith(`${folder}/`);
}

function joined(folder: string, name: string): string {
  return folder === '' ? name : `${folder}/${name}`;
}

function pathOf(top: string, path: string): Buffer {
  return Buffer.from(path === '' ? toBytes(top) : `${toBytes(top)}/${path}`, 'latin1');
}

function toBytes(path: string): string {
  return Buffer.from(path).toString('latin1');
}

function toUtf8(path: string): string {
  const words = Buffer.from(path, 'latin1').toString('utf8');
  if (toBytes(words) !== path)
    throw unsupportedRepository('a path that has to be looked at is not UTF-8');
  return words;
}
