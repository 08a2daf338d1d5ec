import { realpath, stat } from 'node:fs/promises';
import { dirname, isAbsolute, resolve, sep } from 'node:path';
import { CallError } from '#core/errors/call-error.ts';
import { fix, type Fix } from '#core/messages/fixes.ts';
import { oneLine } from '#core/text/text.ts';
import { parseDriveMappings, type DriveMapping } from './drive-mappings.ts';

/** The folders that a caller may read. */
export interface AllowedRoots {
  /** As given, for messages. */
  readonly named: readonly string[];
  /** Real paths; at least one. Relative paths start from the first. */
  readonly roots: readonly [string, ...string[]];
  /** Real paths of the folders inside the roots that are never readable. */
  readonly closed: readonly string[];
  /** Real paths of the folders inside closed ones that this caller may name. */
  readonly exempt: readonly string[];
  readonly drives: readonly DriveMapping[];
}

export interface AllowedRootsOptions {
  /** From the settings. */
  readonly allowedDirs: readonly string[];
  /** Never readable: they contain keys and conversations. */
  readonly privateDirs: readonly string[];
  /** The user's home folder, which a client cannot open as a root. */
  readonly userFolder: string;
  /** The folders of runs, inside a private folder. */
  readonly workspacesDir: string;
  /** From the settings: where the drives of Windows are; default: nowhere. */
  readonly driveMappings?: string;
}

/** What of the folders of runs a caller may name. */
export interface RunAccess {
  /** The folder of its own run. */
  readonly runFolder?: string | undefined;
  /** `all`: the folders of all runs. */
  readonly runs: 'all' | 'own';
}

/** Virtual files of the kernel. */
const KERNEL = ['/proc', '/sys'];
const MAX_ROOTS = 100;
const MAX_SHOWN = 5;
const MAX_SHOWN_CHARS = 200;

export const OPEN_FOLDER_FIXES: readonly Fix[] = [
  fix('declare_root'),
  fix('extend_setting', { setting: 'allowedDirs', entry: 'a folder' }),
];

/** Resolves the roots of a caller. Throws `permission` if no folder is readable. */
export async function resolveAllowedRoots(
  roots: readonly string[],
  { allowedDirs, privateDirs, userFolder, workspacesDir, driveMappings = '' }: AllowedRootsOptions,
  { runFolder, runs }: RunAccess = { runs: 'own' },
): Promise<AllowedRoots> {
  const home = (await realFolder(userFolder)) ?? resolve(userFolder);
  const open = new Map<string, string>();
  const exempt: string[] = [];
  if (runFolder !== undefined) {
    const real = await realRunFolder(runFolder, workspacesDir);
    open.set(real, runFolder);
    exempt.push(real);
  }
  for (const named of roots.slice(0, MAX_ROOTS)) {
    const real = await realFolder(named);
    if (real !== undefined && !isTooWide(real, home)) open.set(real, named);
  }
  for (const named of allowedDirs) {
    const real = await realFolder(named);
    if (real !== undefined && !open.has(real)) open.set(real, named);
  }
  const named = [...open.values()];
  const workspaces = runs === 'all' ? await realFolder(workspacesDir) : undefined;
  if (workspaces !== undefined) {
    open.set(workspaces, workspacesDir);
    exempt.push(workspaces);
  }
  const [first, ...others] = open.keys();
  if (first === undefined) {
    const isNone = roots.length + allowedDirs.length === 0;
    const why = isNone ? 'none is open to this caller' : 'of those named none can be opened';
    throw new CallError('permission', `Files can be read in open folders only, and ${why}.`, {
      fixes: OPEN_FOLDER_FIXES,
    });
  }
  const closed: string[] = process.platform === 'win32' ? [] : [...KERNEL];
  for (const folder of privateDirs) closed.push((await realFolder(folder)) ?? resolve(folder));
  const drives = parseDriveMappings(driveMappings) ?? [];
  return { named, roots: [first, ...others], closed, exempt, drives };
}

export function isInside(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : `${folder}${sep}`);
}

/** Whether a path without links may be read. */
export function containsPath(allowed: AllowedRoots, real: string): boolean {
  return (
    allowed.roots.some((root) => isInside(real, root)) &&
    (allowed.exempt.some((folder) => isInside(real, folder)) || !isClosed(allowed, real))
  );
}

function isClosed(allowed: AllowedRoots, path: string): boolean {
  return allowed.closed.some((folder) => isInside(path, folder));
}

/** Whether an unresolved path looks readable; it may still lead elsewhere. */
export function seemsToContain(allowed: AllowedRoots, path: string): boolean {
  const all = [...allowed.roots, ...allowed.named.map((named) => resolve(named))];
  return (
    all.some((root) => isInside(path, root)) &&
    (allowed.exempt.some((folder) => isInside(path, folder)) || !isClosed(allowed, path))
  );
}

/** The roots that a message names, and how many more there are. */
export function shownRoots(allowed: AllowedRoots): {
  readonly roots: readonly string[];
  readonly more?: number;
} {
  const roots = allowed.named.slice(0, MAX_SHOWN).map((root) => oneLine(root, MAX_SHOWN_CHARS));
  const more = allowed.named.length - roots.length;
  return more > 0 ? { roots, more } : { roots };
}

async function realRunFolder(runFolder: string, workspacesDir: string): Promise<string> {
  const real = await realFolder(runFolder);
  const workspaces = await realFolder(workspacesDir);
  if (
    real === undefined ||
    workspaces === undefined ||
    real === workspaces ||
    !isInside(real, workspaces)
  ) {
    throw new CallError('permission', 'The folder of this run is not in EXAI_HOME/workspaces.');
  }
  return real;
}

async function realFolder(folder: string): Promise<string | undefined> {
  if (!isAbsolute(folder) || folder.includes('\0')) return undefined;
  try {
    const real = await realpath(folder);
    return (await stat(real)).isDirectory() ? real : undefined;
  } catch {
    // A missing root opens nothing.
    return undefined;
  }
}

/**
 * Whether a folder is too wide to be a root: IDEs report such a folder when no project is open, and
 * it contains private files.
 */
function isTooWide(folder: string, home: string): boolean {
  return dirname(folder) === folder || isInside(home, folder);
}
