import { existsSync, readdirSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { CallError } from '#core/errors/call-error.ts';
import { oneLine } from '#core/text/text.ts';
import { matchesWildcard } from '#core/text/wildcard.ts';
import { createIgnoredFolders, type IgnoresFolder } from '#files/ignored-folders.ts';
import { MAX_OPENED_FILES } from '#files/limits.ts';

/** Folders that one pattern may open, so that the search ends. */
const MAX_FOLDERS = 10_000;

/**
 * The files that match a pattern with `*` or `**`, sorted. A path without them, or one that exists
 * under exactly this name, is returned as it is. Hidden names need a dot in the pattern. `**` does
 * not follow links, and leaves out the folders that a read of a folder leaves out. Throws if
 * nothing matches, and at a limit.
 */
export function expandPattern(
  pattern: string,
  cwd: string,
  field: AttachmentField,
): readonly string[] {
  if (!pattern.includes('*') || existsSync(resolve(cwd, pattern))) return [pattern];
  const segments = pattern
    .split('/')
    .filter((segment) => segment !== '' && segment !== '.')
    // Two in a row match the same as one.
    .filter((segment, at, all) => segment !== '**' || all[at + 1] !== '**');
  const search: Search = { pattern, cwd, field, matches: new Set(), folders: 0 };
  matchSegments(search, pattern.startsWith('/') ? '/' : '', segments);
  if (search.matches.size > 0) return [...search.matches].toSorted();
  throw new CallError('not_found', `No file matches ${quoted(pattern)}.`, {
    field,
    fix: 'A relative pattern begins in the current folder; * does not match hidden names.',
  });
}

export type AttachmentField = '--file' | '--image';

interface Search {
  readonly pattern: string;
  readonly cwd: string;
  readonly field: AttachmentField;
  readonly matches: Set<string>;
  folders: number;
  /** Set at the first `**`. */
  ignoresFolder?: IgnoresFolder;
}

/** Adds the files below `base` whose path matches the segments. */
function matchSegments(search: Search, base: string, segments: readonly string[]): void {
  const [segment, ...rest] = segments;
  if (segment === undefined) return;
  if (!segment.includes('*') && rest.length > 0) {
    return matchSegments(search, join(base, segment), rest);
  }
  const isAnyDepth = segment === '**' && rest.length > 0;
  if (isAnyDepth) matchSegments(search, base, rest);
  for (const entry of entriesOf(search, base)) {
    if (entry.name.startsWith('.') && !segment.startsWith('.')) continue;
    const path = join(base, entry.name);
    if (isAnyDepth) {
      if (entry.isDirectory() && !isLeftOut(search, base, path))
        matchSegments(search, path, segments);
    } else if (matchesWildcard(entry.name, segment)) {
      if (rest.length > 0) matchSegments(search, path, rest);
      else if (entry.isFile() || (entry.isSymbolicLink() && isFile(resolve(search.cwd, path))))
        addMatch(search, path);
    }
  }
}

/** Whether `**` does not enter the folder `path` in `base`. */
function isLeftOut(search: Search, base: string, path: string): boolean {
  search.ignoresFolder ??= createIgnoredFolders(resolve(search.cwd, base));
  return search.ignoresFolder(resolve(search.cwd, path));
}

function addMatch({ matches, pattern, field }: Search, path: string): void {
  matches.add(path);
  if (matches.size <= MAX_OPENED_FILES) return;
  throw new CallError(
    'too_large',
    `The pattern ${quoted(pattern)} matches more than ${MAX_OPENED_FILES} files.`,
    { field, fix: NARROWER },
  );
}

function entriesOf(search: Search, base: string) {
  search.folders += 1;
  if (search.folders > MAX_FOLDERS) {
    throw new CallError(
      'too_large',
      `The pattern ${quoted(search.pattern)} searches more than ${MAX_FOLDERS} folders.`,
      { field: search.field, fix: NARROWER },
    );
  }
  try {
    return readdirSync(resolve(search.cwd, base), { withFileTypes: true });
  } catch {
    // Not a folder, or not readable: nothing in it matches.
    return [];
  }
}

const NARROWER = 'Write a narrower pattern, for example src/**/*.md, or name the files.';

function quoted(pattern: string): string {
  return `"${oneLine(pattern, 200)}"`;
}

function isFile(path: string): boolean {
  try {
    return statSync(path).isFile();
  } catch {
    // A broken link.
    return false;
  }
}
