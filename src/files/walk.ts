import type { Dirent } from 'node:fs';
import { opendir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Cancel } from '#core/http.ts';
import { holds, type Area } from './area.ts';
import { nameWithin, type Place } from './find.ts';
import { NO_IGNORE_RULES, type IgnoreRules } from './ignore-rules.ts';
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
/**
 * Limits on matching .gitignore rules, which a repository can make costly, in steps (see
 * `IgnoreRules.steps`): for one name, for a whole walk, and before others have a turn. A name that
 * would take more is left out. A million steps take at most 0.1 ms; a name under the rules of a
 * large project takes half a million.
 */
const MAX_STEPS_A_NAME = 100_000_000;
const MAX_STEPS = 100_000_000_000;
const STEPS_A_TURN = 100_000_000;
/** Reading a rule is counted in the same steps, for each of its characters. */
const STEPS_A_RULE_CHAR = 10_000;
const MAX_RULES = 1_000;
const RULES_A_TURN = 20;

interface Folder {
  readonly real: string;
  /** From the top, with slashes; empty at the top. */
  readonly path: string;
  readonly depth: number;
  /** Of the folders above it. */
  readonly rules: IgnoreRules;
}

/** Files of a folder, those near its top first, within bounds; links are not followed. Throws only the signal's reason. */
export async function walk(
  place: Pick<Place, 'real' | 'name'>,
  area: Area,
  leftOut: LeftOut,
  signal: Cancel,
): Promise<readonly Held[]> {
  const files: Held[] = [];
  const folders: Folder[] = [{ real: place.real, path: '', depth: 0, rules: NO_IGNORE_RULES }];
  let entriesLeft = MAX_ENTRIES;
  let stepsLeft = MAX_STEPS;
  let stepsOfTurn = 0;

  /** Lets others have the event loop meanwhile. */
  async function turn(): Promise<void> {
    await stat(place.real).catch(() => undefined);
    signal.throwIfAborted();
  }

  function isTooCostly(path: string, rules: IgnoreRules): boolean {
    const steps = rules.steps(path);
    if (steps > MAX_STEPS_A_NAME || steps > stepsLeft) return true;
    stepsLeft -= steps;
    stepsOfTurn += steps;
    return false;
  }

  async function rulesIn(folder: Folder, entries: readonly Dirent[]): Promise<IgnoreRules> {
    const { real, path, rules } = folder;
    // Git follows no link there, either.
    if (!entries.some((entry) => entry.name === '.gitignore' && entry.isFile())) return rules;
    const own = await readText(join(real, '.gitignore'), area, MAX_IGNORE_BYTES, signal);
    if (own.is !== 'text') return rules;
    const lines = own.text.replace(/^\uFEFF/, '').split('\n', MAX_RULES);
    let all = rules;
    for (let at = 0; at < lines.length && stepsLeft > 0; at += RULES_A_TURN) {
      const some = lines.slice(at, at + RULES_A_TURN);
      stepsLeft -= some.join('').length * STEPS_A_RULE_CHAR;
      all = all.with(path, some);
      await turn();
    }
    return all;
  }

  function judge(entry: Dirent, folder: Folder, rules: IgnoreRules): void {
    const path = folder.path === '' ? entry.name : `${folder.path}/${entry.name}`;
    const real = join(folder.real, entry.name);
    const name = nameWithin(place.name, path);
    const is = entry.isDirectory() ? 'folder' : 'file';
    const reason =
      reasonAgainst(entry, real, is, area) ??
      (isTooCostly(path, rules) ? 'costly' : rules.ignores(path, is) ? 'ignored' : undefined);
    if (reason !== undefined) leftOut.add(reason, name);
    else if (is === 'file') files.push({ real, name });
    else if (folder.depth === MAX_DEPTH) leftOut.add('too_deep', name);
    else folders.push({ real, path, depth: folder.depth + 1, rules });
  }

  for (const folder of folders) {
    signal.throwIfAborted();
    const entries = await entriesOf(folder.real, entriesLeft, signal);
    if (entries === undefined) {
      leftOut.add('unread', nameWithin(place.name, folder.path));
      continue;
    }
    entriesLeft -= entries.length;
    const rules = await rulesIn(folder, entries);
    for (const [index, entry] of entries.entries()) {
      judge(entry, folder, rules);
      if (index % ENTRIES_A_TURN < ENTRIES_A_TURN - 1 && stepsOfTurn < STEPS_A_TURN) continue;
      stepsOfTurn = 0;
      await turn();
    }
    if (entriesLeft > 0) continue;
    leftOut.stop();
    break;
  }
  return files;
}

function reasonAgainst(entry: Dirent, real: string, is: 'file' | 'folder', area: Area) {
  if (entry.isSymbolicLink()) return 'links';
  if (is === 'file' && !entry.isFile()) return 'special';
  if (!holds(area, real)) return 'private';
  if (is === 'file' && mayHoldSecrets(entry.name)) return 'secret';
  if (entry.name.startsWith('.')) return 'hidden';
  return is === 'folder' && SKIPPED.has(entry.name) ? 'skipped' : undefined;
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
