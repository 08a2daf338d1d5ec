import type { Dirent } from 'node:fs';
import { lstat, opendir, stat } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';
import type { AbortSignalLike } from '#core/net/abort.ts';
import { containsPath, isInside, type AllowedRoots } from './allowed-roots.ts';
import { nameWithin, type FoundPath } from './find-path.ts';
import { MAX_PATTERN_CHARS, NO_IGNORE_RULES, type IgnoreRules } from './ignore-rules.ts';
import type { SkippedFiles } from './skipped-files.ts';
import {
  MAX_ENTRIES,
  MAX_FOLDER_DEPTH,
  MAX_IGNORE_BYTES,
  MAX_IGNORE_LINES,
  MAX_STEPS_A_NAME,
  SKIPPED_FOLDERS,
  STEPS_A_RULE_CHAR,
} from './limits.ts';
import { decodeAnyText, readTextInRoots } from './read-text-in-roots.ts';
import { mayHoldSecrets } from '#core/secrets/secret-files.ts';

/** A readable file inside a folder. */
export interface ListedFile {
  readonly real: string;
  readonly name: string;
}

const ENTRIES_A_TURN = 500;
/**
 * Limits on matching .gitignore rules, in steps: per walk, and before yielding to the event loop. A
 * name beyond a limit is skipped.
 */
const MAX_STEPS = 100_000_000_000;
const STEPS_A_TURN = 100_000_000;
const RULES_A_TURN = 20;

interface Folder {
  readonly real: string;
  /** From the folder that was named, with slashes; empty for that folder. */
  readonly path: string;
  readonly depth: number;
  /** Rules of the folders above it. */
  readonly rules: IgnoreRules;
}

/**
 * Lists the files of a folder, those near its top first, within limits and without following links.
 * Throws only the signal's reason.
 */
export async function walkFolder(
  place: Pick<FoundPath, 'real' | 'name'>,
  allowed: AllowedRoots,
  leftOut: SkippedFiles,
  signal: AbortSignalLike,
): Promise<readonly ListedFile[]> {
  const files: ListedFile[] = [];
  const repository = await findRepository(place.real, allowed);
  const base = relative(repository.real, place.real).replaceAll(sep, '/');
  let entriesLeft = MAX_ENTRIES;
  let stepsLeft = MAX_STEPS;
  let stepsOfTurn = 0;

  /** Yields to the event loop. */
  async function turn(): Promise<void> {
    await stat(place.real).catch(() => undefined);
    signal.throwIfAborted();
  }

  function reasonByRules(path: string, is: 'file' | 'folder', rules: IgnoreRules) {
    if (isTooCostly(path, rules)) return 'costly';
    return rules.ignores(path, is) ? 'ignored' : undefined;
  }

  function isTooCostly(path: string, rules: IgnoreRules): boolean {
    const steps = rules.steps(path);
    if (steps > MAX_STEPS_A_NAME || steps > stepsLeft) return true;
    stepsLeft -= steps;
    stepsOfTurn += steps;
    return false;
  }

  /**
   * Adds the rules of a file, which hold below `folder`; undefined where they cannot be applied.
   */
  async function withRules(
    rules: IgnoreRules,
    folder: string,
    file: string,
  ): Promise<IgnoreRules | undefined> {
    const own = await readTextInRoots(file, allowed, MAX_IGNORE_BYTES, signal, decodeAnyText);
    if (own.is === 'gone') return rules;
    if (own.is !== 'text') return undefined;
    const lines = own.text.replace(/^\uFEFF/, '').split('\n');
    const isTooMuch =
      lines.length > MAX_IGNORE_LINES || lines.some((line) => line.length > MAX_PATTERN_CHARS);
    if (isTooMuch) return undefined;
    let all = rules;
    for (let at = 0; at < lines.length; at += RULES_A_TURN) {
      const some = lines.slice(at, at + RULES_A_TURN);
      stepsLeft -= some.join('').length * STEPS_A_RULE_CHAR;
      if (stepsLeft <= 0) return undefined;
      all = all.with(folder, some);
      await turn();
    }
    return all;
  }

  /**
   * The rules that git applies to the folder from outside it: of the repository, and of the folders
   * above.
   */
  async function rulesAbove(): Promise<IgnoreRules | undefined> {
    let rules: IgnoreRules | undefined = NO_IGNORE_RULES;
    if (repository.exclude !== undefined) rules = await withRules(rules, '', repository.exclude);
    const names = base === '' ? [] : base.split('/');
    for (let depth = 0; depth < names.length && rules; depth++) {
      const path = names.slice(0, depth).join('/');
      const file = join(repository.real, path, '.gitignore');
      if (await isPlainFile(file)) rules = await withRules(rules, path, file);
    }
    return rules;
  }

  async function rulesIn(
    folder: Folder,
    entries: readonly Dirent[],
  ): Promise<IgnoreRules | undefined> {
    // Git does not follow a link here either.
    const has = entries.some((entry) => entry.name === '.gitignore' && entry.isFile());
    const path = fromRepository(folder.path);
    return has ? withRules(folder.rules, path, join(folder.real, '.gitignore')) : folder.rules;
  }

  function fromRepository(path: string): string {
    return [base, path].filter((part) => part !== '').join('/');
  }

  function judge(entry: Dirent, folder: Folder, rules: IgnoreRules): void {
    const path = folder.path === '' ? entry.name : `${folder.path}/${entry.name}`;
    const real = join(folder.real, entry.name);
    const name = nameWithin(place.name, path);
    const is = entry.isDirectory() ? 'folder' : 'file';
    const reason =
      reasonAgainst(entry, real, is, allowed) ?? reasonByRules(fromRepository(path), is, rules);
    if (reason !== undefined) leftOut.add(reason, name);
    else if (is === 'file') files.push({ real, name });
    else if (folder.depth === MAX_FOLDER_DEPTH) leftOut.add('too_deep', name);
    else folders.push({ real, path, depth: folder.depth + 1, rules });
  }

  const above = await rulesAbove();
  if (above === undefined) {
    leftOut.add('costly', place.name);
    return [];
  }
  const folders: Folder[] = [{ real: place.real, path: '', depth: 0, rules: above }];
  for (const folder of folders) {
    signal.throwIfAborted();
    const entries = await entriesOf(folder.real, entriesLeft, signal);
    if (entries === undefined) {
      leftOut.add('unread', nameWithin(place.name, folder.path));
      continue;
    }
    entriesLeft -= entries.length;
    const rules = await rulesIn(folder, entries);
    if (rules === undefined) {
      leftOut.add('costly', nameWithin(place.name, folder.path));
      continue;
    }
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

interface Repository {
  /** Where the .gitignore files begin to apply. */
  readonly real: string;
  /** Its `.git/info/exclude`, where there is one. */
  readonly exclude?: string;
}

/** The repository that a folder is in; without one, the widest root that holds the folder. */
async function findRepository(folder: string, allowed: AllowedRoots): Promise<Repository> {
  for (let at = folder; containsPath(allowed, at); at = dirname(at)) {
    const git = await lstat(join(at, '.git')).catch(() => undefined);
    if (git) {
      const exclude = join(at, '.git', 'info', 'exclude');
      return { real: at, ...((await isPlainFile(exclude)) && { exclude }) };
    }
    if (dirname(at) === at) break;
  }
  const roots = allowed.roots.filter((root) => isInside(folder, root));
  return { real: roots.toSorted((a, b) => a.length - b.length)[0] ?? folder };
}

async function isPlainFile(file: string): Promise<boolean> {
  const found = await lstat(file).catch(() => undefined);
  return found?.isFile() ?? false;
}

function reasonAgainst(entry: Dirent, real: string, is: 'file' | 'folder', allowed: AllowedRoots) {
  if (entry.isSymbolicLink()) return 'links';
  if (is === 'file' && !entry.isFile()) return 'special';
  if (!containsPath(allowed, real)) return 'private';
  if (is === 'file' && mayHoldSecrets(entry.name)) return 'secret';
  if (entry.name.startsWith('.')) return 'hidden';
  return is === 'folder' && SKIPPED_FOLDERS.has(entry.name) ? 'skipped' : undefined;
}

/** The entries sorted by name, for a stable result; undefined if the folder cannot be read. */
async function entriesOf(
  folder: string,
  maxEntries: number,
  signal: AbortSignalLike,
): Promise<readonly Dirent[] | undefined> {
  const entries: Dirent[] = [];
  try {
    for await (const entry of await opendir(folder, { bufferSize: 256 })) {
      signal.throwIfAborted();
      if (entries.push(entry) === maxEntries) break;
    }
  } catch {
    // A missing or locked folder is reported; the rest can still be read.
    signal.throwIfAborted();
    return undefined;
  }
  return entries.toSorted((a, b) => (a.name < b.name ? -1 : 1));
}
