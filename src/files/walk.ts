import type { Dirent } from 'node:fs';
import { opendir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Cancel } from '#core/http.ts';
import { holds, type Area } from './area.ts';
import { nameWithin, type Place } from './find.ts';
import { ignoreRules, type Ignores } from './ignore-rules.ts';
import type { LeftOut } from './left-out.ts';
import { MAX_DEPTH, MAX_ENTRIES } from './limits.ts';
import { readText } from './read-text.ts';
import { mayHoldSecrets } from '#core/secret-files.ts';

/** A file that a folder holds and that may be read. */
export interface Held {
  readonly real: string;
  readonly name: string;
}

/** Made by tools from what lies beside them. */
const SKIPPED = new Set(['node_modules', 'dist']);
const ENTRIES_A_TURN = 500;
const MAX_IGNORE_BYTES = 64_000;

interface Folder {
  readonly real: string;
  /** From the top, with slashes; empty at the top. */
  readonly path: string;
  readonly depth: number;
}

/** Files of a folder, those near its top first, within bounds; links are not followed. Throws only the signal's reason. */
export async function walk(
  place: Pick<Place, 'real' | 'name'>,
  area: Area,
  leftOut: LeftOut,
  signal: Cancel,
): Promise<readonly Held[]> {
  const ignores = await ignoresOf(place.real, area, signal);
  const files: Held[] = [];
  const folders: Folder[] = [{ real: place.real, path: '', depth: 0 }];
  let entriesLeft = MAX_ENTRIES;

  function judge(entry: Dirent, folder: Folder): void {
    const path = folder.path === '' ? entry.name : `${folder.path}/${entry.name}`;
    const real = join(folder.real, entry.name);
    const name = nameWithin(place.name, path);
    const is = entry.isDirectory() ? 'folder' : 'file';
    const reason = reasonAgainst(entry, real, path, is, area, ignores);
    if (reason !== undefined) leftOut.add(reason, name);
    else if (is === 'file') files.push({ real, name });
    else if (folder.depth === MAX_DEPTH) leftOut.add('too_deep', name);
    else folders.push({ real, path, depth: folder.depth + 1 });
  }

  for (const folder of folders) {
    signal.throwIfAborted();
    const entries = await entriesOf(folder.real, entriesLeft, signal);
    if (entries === undefined) {
      leftOut.add('unread', nameWithin(place.name, folder.path));
      continue;
    }
    entriesLeft -= entries.length;
    for (const [index, entry] of entries.entries()) {
      judge(entry, folder);
      // Others have a turn meanwhile.
      if (index % ENTRIES_A_TURN === ENTRIES_A_TURN - 1)
        await stat(place.real).catch(() => undefined);
    }
    if (entriesLeft > 0) continue;
    leftOut.stop();
    break;
  }
  return files;
}

function reasonAgainst(
  entry: Dirent,
  real: string,
  path: string,
  is: 'file' | 'folder',
  area: Area,
  ignores: Ignores,
) {
  if (entry.isSymbolicLink()) return 'links';
  if (is === 'file' && !entry.isFile()) return 'special';
  if (!holds(area, real)) return 'private';
  if (is === 'file' && mayHoldSecrets(entry.name)) return 'secret';
  if (entry.name.startsWith('.')) return 'hidden';
  if (is === 'folder' && SKIPPED.has(entry.name)) return 'skipped';
  return ignores(path, is) ? 'ignored' : undefined;
}

/** By name, so that the same folder gives the same list; nothing when it cannot be read. */
async function entriesOf(
  folder: string,
  maxEntries: number,
  signal: Cancel,
): Promise<readonly Dirent[] | undefined> {
  const entries: Dirent[] = [];
  try {
    for await (const entry of await opendir(folder, { bufferSize: 256 })) {
      signal.throwIfAborted();
      if (entries.push(entry) === maxEntries) break;
    }
  } catch {
    // A folder that went away or is locked is told of; the rest can still be read.
    signal.throwIfAborted();
    return undefined;
  }
  return entries.toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

async function ignoresOf(folder: string, area: Area, signal: Cancel): Promise<Ignores> {
  const rules = await readText(join(folder, '.gitignore'), area, MAX_IGNORE_BYTES, signal);
  return ignoreRules(rules.is === 'text' ? rules.text : '');
}
