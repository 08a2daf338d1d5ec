import { constants, type BigIntStats } from 'node:fs';
import { lstat, open, readlink, realpath, type FileHandle } from 'node:fs/promises';
import { holds, type Area } from './area.ts';

export type Opened =
  | { readonly is: 'open'; readonly handle: FileHandle; readonly bytes: number }
  /** A device, a pipe or a socket. */
  | { readonly is: 'special' }
  | { readonly is: 'gone' }
  | { readonly is: 'denied' }
  /** Something else stands in its place by now. */
  | { readonly is: 'changed' };

// Neither a link that was put in its place is followed, nor a pipe waited for, nor a terminal made ours. Windows has none of these.
const {
  O_RDONLY,
  O_NOFOLLOW = 0,
  O_NONBLOCK = 0,
  O_NOCTTY = 0,
} = constants as Partial<typeof constants> & { readonly O_RDONLY: number };
const FLAGS = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY;
/** Editors save by putting a new file in place of the old: then the next look finds it. */
const MAX_LOOKS = 3;

/** Opens a file by its path without links, and makes sure that what was opened is what stands there. */
export async function openInside(real: string, area: Area): Promise<Opened> {
  let found: Opened = { is: 'changed' };
  for (let look = 0; look < MAX_LOOKS && found.is === 'changed'; look++) {
    found = await openOnce(real, area);
  }
  return found;
}

async function openOnce(real: string, area: Area): Promise<Opened> {
  let handle: FileHandle | undefined;
  try {
    const before = await lstat(real);
    if (before.isSymbolicLink()) return { is: 'changed' };
    // Opening a device may already do something.
    if (!before.isFile()) return { is: 'special' };
    handle = await open(real, FLAGS);
    const about = await handle.stat({ bigint: true });
    if (!about.isFile()) return { is: 'special' };
    if (!(await isInPlace(handle, about, real, area))) return { is: 'changed' };
    const opened = { is: 'open', handle, bytes: Number(about.size) } as const;
    handle = undefined;
    return opened;
  } catch (thrown) {
    return { is: fault((thrown as NodeJS.ErrnoException).code) };
  } finally {
    await handle?.close();
  }
}

async function isInPlace(
  handle: FileHandle,
  about: BigIntStats,
  real: string,
  area: Area,
): Promise<boolean> {
  // The kernel's own word, where it gives it, cannot be raced.
  const actual = await pathOf(handle);
  if (actual !== undefined) return actual === real && holds(area, actual);
  if ((await realpath(real)) !== real || !holds(area, real)) return false;
  const there = await lstat(real, { bigint: true });
  return there.ino === about.ino && there.dev === about.dev && (await realpath(real)) === real;
}

async function pathOf(handle: FileHandle): Promise<string | undefined> {
  if (process.platform !== 'linux') return undefined;
  try {
    return await readlink(`/proc/self/fd/${handle.fd}`);
  } catch {
    // Not every container has /proc.
    return undefined;
  }
}

function fault(code: string | undefined): 'gone' | 'denied' | 'changed' | 'special' {
  if (code === 'EACCES' || code === 'EPERM') return 'denied';
  if (code === 'ELOOP' || code === 'EMLINK') return 'changed';
  // Sockets, and devices that nobody serves.
  if (code === 'ENXIO' || code === 'ENODEV' || code === 'EOPNOTSUPP') return 'special';
  return 'gone';
}
