import { readdir, realpath, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { CallError } from '#core/call-error.ts';
import type { Cancel } from '#core/http.ts';
import { oneLine } from '#core/one-line.ts';
import type { Git } from './git.ts';
import { failure } from './git-failure.ts';
import { createRefs } from './refs.ts';
import { namedByGitFile, repositoryIn, type Repository } from './repository.ts';
import { notARegularFile, PATH_FIELD, unsupported } from './repository-fault.ts';
import { folderOf, type Tracked } from './tracked.ts';

export interface WorkTree {
  readonly top: string;
  /** The folders in it that are looked at, from the top; '' is all of it. */
  readonly parts: readonly string[];
  readonly repository: Repository;
  readonly idChars: number;
}

/** Git opens them in every folder that it comes to, and waits where one is a pipe. Links in their place it does not follow. */
const OPENED = new Set(['.gitignore', '.gitattributes']);
/** Beyond it the time that git may take is the only bound. */
const MAX_FOLDERS = 20_000;
const AT_ONCE = 16;
const MAX_NAME_CHARS = 200;
const MAX_IGNORED_BYTES = 20_000_000;

/**
 * Throws where a file that git would open in the folder of files is a pipe, a device or a socket. It goes where git will go: through the
 * folders of the files that git knows, and those others that are not ignored. Paths have a character for each byte.
 */
export async function checkWorkTree(
  git: Git,
  tree: WorkTree,
  { folders, submodules }: Tracked,
  signal: Cancel,
): Promise<void> {
  const parts = tree.parts.map(inBytes);
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

/** The folders in a folder, unless it is a repository of its own, which git does not enter. */
async function checkFolder(
  folder: string,
  { top, repository }: WorkTree,
  tracked: Tracked['folders'],
): Promise<readonly string[]> {
  // One that is gone or locked is none that git comes to.
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
      throw notARegularFile(inWords(joined(folder, name)));
    }
  }
  const isOwn = hasGit && !tracked.has(folder) && (await isNested(folder, top, repository));
  return isOwn ? [] : inner;
}

/** Whether a folder that git does not know is a repository. Git opens these files to find out. */
async function isNested(folder: string, top: string, { area }: Repository): Promise<boolean> {
  const gitPath = joined(folder, '.git');
  let gitDir = pathOf(top, gitPath);
  if ((await kindAt(gitDir)) === 'file') {
    const whole = resolve(top, inWords(folder));
    const target = await namedByGitFile(whole, area);
    if (target === undefined) return false;
    gitDir = Buffer.from(target);
  }
  const kinds = new Map<string, Kind>();
  for (const name of ['HEAD', 'commondir']) {
    const kind = await kindAt(Buffer.concat([gitDir, Buffer.from(`/${name}`)]));
    if (kind === 'special') throw notARegularFile(inWords(joined(gitPath, name)));
    kinds.set(name, kind);
  }
  return kinds.get('HEAD') === 'file';
}

/** Git asks it which commit is checked out there. */
async function checkSubmodule(path: string, { top, repository, idChars }: WorkTree): Promise<void> {
  const name = inWords(path);
  try {
    const inner = await repositoryIn(resolve(top, name), repository.area);
    if (inner === undefined) return;
    if ((await kindAt(Buffer.from(`${inner.commonDir}/config`))) === 'special') {
      throw notARegularFile('config');
    }
    await createRefs(inner, idChars).head();
  } catch (thrown) {
    const { class: is, message, fixes } = CallError.from(thrown);
    const words = `The submodule ${oneLine(name, MAX_NAME_CHARS)} cannot be read. ${message}`;
    throw new CallError(is, words, { field: PATH_FIELD, fixes });
  }
}

/** It reads only what has been checked: the rules of the folders above. */
async function notIgnored(git: Git, folders: readonly string[]): Promise<string[]> {
  if (folders.length === 0) return [];
  const input = Buffer.from(folders.map((folder) => `${folder}\0`).join(''), 'latin1');
  const output = await git.run(['check-ignore', '--stdin', '-z'], {
    input,
    maxBytes: MAX_IGNORED_BYTES,
  });
  // 1: none of them is.
  if (output.code !== 0 && output.code !== 1) throw failure('check-ignore', output);
  const ignored = new Set(output.stdout.toString('latin1').split('\0'));
  return folders.filter((folder) => !ignored.has(folder));
}

/** Where a folder became a link, git does not follow it. */
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
  return Buffer.from(path === '' ? inBytes(top) : `${inBytes(top)}/${path}`, 'latin1');
}

function inBytes(path: string): string {
  return Buffer.from(path).toString('latin1');
}

function inWords(path: string): string {
  const words = Buffer.from(path, 'latin1').toString('utf8');
  if (inBytes(words) !== path) throw unsupported('a path that has to be looked at is not UTF-8');
  return words;
}
