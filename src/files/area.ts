import { realpath, stat } from 'node:fs/promises';
import { dirname, isAbsolute, resolve, sep } from 'node:path';
import { CallError } from '#core/call-error.ts';
import { fix, type Fix } from '#core/messages/fixes.ts';
import { oneLine } from '#core/one-line.ts';

/** How far somebody may reach. */
export interface Area {
  /** As they were named, for messages. */
  readonly named: readonly string[];
  /** Where they really are; at least one. Relative paths begin at the first. */
  readonly roots: readonly [string, ...string[]];
  /** Folders within them that are shown to nobody, where they really are. */
  readonly closed: readonly string[];
}

export interface AreaOptions {
  /** Of the settings. */
  readonly allowedDirs: readonly string[];
  /** Shown to nobody, whoever may read around them: where keys and conversations are kept. */
  readonly privateDirs: readonly string[];
  /** The user's own folder, which no client opens by its word. */
  readonly userFolder: string;
}

/** What looks like files there is the kernel speaking. */
const KERNEL = ['/proc', '/sys'];
const MAX_ROOTS = 100;
const MAX_SHOWN = 5;
const MAX_SHOWN_CHARS = 200;

export const HOW_TO_OPEN: readonly Fix[] = [
  fix('declare_root'),
  fix('extend_setting', { setting: 'allowedDirs', entry: 'a folder' }),
];

/** Throws `permission` when nothing is open. */
export async function areaOf(
  roots: readonly string[],
  { allowedDirs, privateDirs, userFolder }: AreaOptions,
): Promise<Area> {
  const home = (await realFolder(userFolder)) ?? resolve(userFolder);
  const open = new Map<string, string>();
  for (const named of roots.slice(0, MAX_ROOTS)) {
    const real = await realFolder(named);
    if (real !== undefined && !isTooWide(real, home)) open.set(real, named);
  }
  for (const named of allowedDirs) {
    const real = await realFolder(named);
    if (real !== undefined && !open.has(real)) open.set(real, named);
  }
  const [first, ...others] = open.keys();
  if (first === undefined) {
    const isNone = roots.length + allowedDirs.length === 0;
    const why = isNone ? 'none is open to this caller' : 'of those named none can be opened';
    throw new CallError('permission', `Files can be read in open folders only, and ${why}.`, {
      fixes: HOW_TO_OPEN,
    });
  }
  const closed: string[] = process.platform === 'win32' ? [] : [...KERNEL];
  for (const folder of privateDirs) closed.push((await realFolder(folder)) ?? resolve(folder));
  return { named: [...open.values()], roots: [first, ...others], closed };
}

export function isInside(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : `${folder}${sep}`);
}

/** Whether a path without links may be read. */
export function holds(area: Area, real: string): boolean {
  return (
    area.roots.some((root) => isInside(real, root)) &&
    !area.closed.some((folder) => isInside(real, folder))
  );
}

/** The same for a path as it is written, which may lead elsewhere. */
export function seemsInside(area: Area, path: string): boolean {
  const all = [...area.roots, ...area.named.map((named) => resolve(named))];
  return (
    all.some((root) => isInside(path, root)) &&
    !area.closed.some((folder) => isInside(path, folder))
  );
}

/** The roots as a person reads them. */
export function inWords(area: Area): string {
  const shown = area.named.slice(0, MAX_SHOWN).map((root) => oneLine(root, MAX_SHOWN_CHARS));
  const more = area.named.length - shown.length;
  return more > 0 ? `${shown.join(', ')} and ${more} more` : shown.join(', ');
}

async function realFolder(folder: string): Promise<string | undefined> {
  if (!isAbsolute(folder) || folder.includes('\0')) return undefined;
  try {
    const real = await realpath(folder);
    return (await stat(real)).isDirectory() ? real : undefined;
  } catch {
    // A root that is not there opens nothing.
    return undefined;
  }
}

/** IDEs name such a folder when no project is open, and keys and letters lie there too. */
function isTooWide(folder: string, home: string): boolean {
  return dirname(folder) === folder || isInside(home, folder);
}
