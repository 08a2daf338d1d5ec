import { constants } from 'node:fs';
import { open, readdir, realpath } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { CallError } from '#core/call-error.ts';
import { holds, isInside, type Area } from '../area.ts';
import type { Place } from '../find.ts';
import { shown } from '../to-absolute.ts';
import type { Repository } from './repository.ts';

/** As git goes. */
const MAX_LENDERS_DEEP = 5;
const MAX_NOTE_BYTES = 64_000;
// A pipe in its place is not waited for; Windows has no such flag.
const FLAGS = constants.O_RDONLY | ((constants as Partial<typeof constants>).O_NONBLOCK ?? 0);

/**
 * A repository shows what its objects hold, and they may be those of another one: its data has to lie in the roots, too. Or in the
 * repository around the roots; or in one that says itself that this is a work tree of its own.
 */
export async function checkRepository(
  repository: Repository,
  place: Place,
  field: string,
  area: Area,
): Promise<void> {
  const { gitDir, commonDir } = repository;
  const own = await ownPlaces(repository, area);
  const isOpen = (real: string) =>
    holds(area, real) || own.some((folder) => isInside(real, folder));
  const objects = join(commonDir, 'objects');
  const parts = [gitDir, commonDir, join(gitDir, 'index'), join(commonDir, 'refs')];
  const isFine =
    (await allOpen(parts, isOpen)) && (await objectsOpen(objects, isOpen, MAX_LENDERS_DEEP));
  if (isFine) return;
  const message = `The repository of ${shown(place.given)} keeps its data outside the folders that this caller may read.`;
  throw new CallError('permission', message, {
    field,
    fix: 'Add the folder that its .git leads to, and those it borrows objects from, to allowedDirs in config.json.',
  });
}

/** Folders outside the roots that belong to it beyond doubt: nobody who only writes in the roots could have put them there. */
async function ownPlaces(
  { top, gitDir, commonDir }: Repository,
  area: Area,
): Promise<readonly string[]> {
  const isAround = area.roots.some((root) => root !== top && isInside(root, top));
  if (isAround && gitDir === join(top, '.git') && commonDir === gitDir) return [gitDir];
  const isTree = dirname(gitDir) === join(commonDir, 'worktrees');
  const back = isTree ? (await noteOf(join(gitDir, 'gitdir')))?.trim() : '';
  if (back === undefined || basename(back) !== '.git') return [];
  const tree = await realpath(dirname(resolve(gitDir, back))).catch(() => undefined);
  return tree === top ? [commonDir] : [];
}

/** Objects, where links may lead, and other repositories that lend some. */
async function objectsOpen(
  objects: string,
  isOpen: (real: string) => boolean,
  deep: number,
): Promise<boolean> {
  const links = [...(await linksIn(objects)), ...(await linksIn(join(objects, 'pack')))];
  const inner = ['pack', 'info', 'info/alternates'].map((name) => join(objects, name));
  if (!(await allOpen([objects, ...inner, ...links], isOpen))) return false;
  const note = await noteOf(join(objects, 'info', 'alternates'));
  if (note === undefined) return false;
  const lenders = note.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  for (const lender of lenders) {
    // Quoted ones exist for paths with line ends, and need not be understood to be refused.
    if (deep === 0 || lender.startsWith('"')) return false;
    if (!(await objectsOpen(resolve(objects, lender), isOpen, deep - 1))) return false;
  }
  return true;
}

/** What is not there holds nothing. */
async function allOpen(
  paths: readonly string[],
  isOpen: (real: string) => boolean,
): Promise<boolean> {
  for (const path of paths) {
    const real = await realpath(path).catch(() => undefined);
    if (real !== undefined && !isOpen(real)) return false;
  }
  return true;
}

async function linksIn(folder: string): Promise<readonly string[]> {
  // A repository without objects has no such folder.
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  return entries.filter((entry) => entry.isSymbolicLink()).map(({ name }) => join(folder, name));
}

/** A short file that git wrote: empty when there is none, nothing when it is not such a file. */
async function noteOf(path: string): Promise<string | undefined> {
  const handle = await open(path, FLAGS).catch(() => undefined);
  if (handle === undefined) return '';
  try {
    if (!(await handle.stat()).isFile()) return undefined;
    const buffer = Buffer.alloc(MAX_NOTE_BYTES);
    const { bytesRead } = await handle.read(buffer, 0, MAX_NOTE_BYTES, 0);
    return bytesRead === MAX_NOTE_BYTES ? undefined : buffer.toString('utf8', 0, bytesRead);
  } finally {
    await handle.close();
  }
}
