import type { Dirent } from 'node:fs';
import { opendir, realpath, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { Cancel } from '#core/http.ts';
import { holds, type Area } from '../area.ts';
import { readGitText } from './read-git-file.ts';
import type { Repository } from './repository.ts';
import { keptOutside, notARegularFile, tooLarge } from './repository-fault.ts';

/** As git goes. */
const MAX_LENDERS_DEEP = 5;
const MAX_LENDERS = 50;
const MAX_NOTE_BYTES = 1_000_000;
/** Git packs them long before. */
const MAX_ENTRIES = 200_000;
/** Folders that git looks for objects in, and what it finds them by. */
const SEARCHED = /^(?:[0-9a-f]{2}|pack|info)$/;

/**
 * A repository shows what its objects hold, and they may be those of another one: each has to be a file in the area, and so has each of
 * another repository that lends some.
 */
export async function checkObjects(
  { commonDir, area }: Repository,
  signal: Cancel,
): Promise<string> {
  const objects = await realpath(join(commonDir, 'objects'));
  const state = { lenders: 0, entries: 0 };
  await checkFolder(objects, area, signal, MAX_LENDERS_DEEP, state);
  return objects;
}

interface Seen {
  lenders: number;
  entries: number;
}

async function checkFolder(
  objects: string,
  area: Area,
  signal: Cancel,
  deep: number,
  seen: Seen,
): Promise<void> {
  if (deep < 0 || ++seen.lenders > MAX_LENDERS) throw keptOutside('objects/info/alternates');
  const folders = [''];
  for (const folder of folders) {
    signal.throwIfAborted();
    const name = join('objects', folder);
    const real = await realpath(join(objects, folder)).catch(() => undefined);
    if (real === undefined) continue;
    if (!holds(area, real)) throw keptOutside(name);
    for await (const entry of await opendir(real, { bufferSize: 256 })) {
      if (++seen.entries > MAX_ENTRIES) throw tooLarge('objects', `${MAX_ENTRIES} files`);
      const inner = join(folder, entry.name);
      const kind = await kindOfEntry(join(real, entry.name), entry, area, join('objects', inner));
      if (kind === 'special') throw notARegularFile(join('objects', inner));
      const isSearched = folder === '' ? SEARCHED.test(entry.name) : inner === COMMIT_GRAPHS;
      if (kind === 'folder' && isSearched) folders.push(inner);
    }
  }
  const note = await readGitText(objects, 'info/alternates', area, MAX_NOTE_BYTES);
  for (const lender of (note ?? '').split('\n')) {
    if (lender === '' || lender.startsWith('#')) continue;
    // Quoted ones exist for paths with line ends, and need not be understood to be refused.
    if (lender.startsWith('"')) throw keptOutside('objects/info/alternates');
    const real = await realpath(resolve(objects, lender)).catch(() => resolve(objects, lender));
    if (!holds(area, real)) throw keptOutside('objects/info/alternates');
    await checkFolder(real, area, signal, deep - 1, seen);
  }
}

const COMMIT_GRAPHS = join('info', 'commit-graphs');

async function kindOfEntry(
  path: string,
  entry: Dirent,
  area: Area,
  name: string,
): Promise<'file' | 'folder' | 'special'> {
  if (entry.isFile()) return 'file';
  if (entry.isDirectory()) return 'folder';
  if (!entry.isSymbolicLink()) return 'special';
  const real = await realpath(path).catch(() => undefined);
  // One that leads nowhere is told like one that leads outside: else it would tell what is there.
  if (real === undefined || !holds(area, real)) throw keptOutside(name);
  const about = await stat(real);
  return about.isFile() ? 'file' : about.isDirectory() ? 'folder' : 'special';
}
