import { constants, type BigIntStats } from 'node:fs';
import { lstat, open, readlink, realpath, type FileHandle } from 'node:fs/promises';
import { containsPath, type AllowedRoots } from './allowed-roots.ts';

export type Opened =
  | { readonly is: 'open'; readonly handle: FileHandle; readonly bytes: number }
  /** A device, a pipe or a socket. */
  | { readonly is: 'special' }
  | { readonly is: 'gone' }
  | { readonly is: 'denied' }
  /** Replaced by something else meanwhile. */
  | { readonly is: 'changed' };

// Follows no link, waits for no pipe and takes no controlling terminal. Windows has none of these
// flags.
const {
  O_RDONLY,
  O_NOFOLLOW = 0,
  O_NONBLOCK = 0,
  O_NOCTTY = 0,
} = constants as Partial<typeof constants> & { readonly O_RDONLY: number };
const FLAGS = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY;
/** Editors save by replacing the file; a retry finds the new one. */
const MAX_LOOKS = 3;

/**
 * Opens a file by its path without links, and verifies that the opened file is the one at that
 * path.
 */
export async function openInside(real: string, allowed: AllowedRoots): Promise<Opened> {
  let found: Opened = { is: 'changed' };
  for (let look = 0; look < MAX_LOOKS && found.is === 'changed'; look++) {
    found = await openOnce(real, allowed);
  }
  return found;
}

async function openOnce(real: string, allowed: AllowedRoots): Promise<Opened> {
  let handle: FileHandle | undefined;
  try {
    const before = await lstat(real);
    if (before.isSymbolicLink()) return { is: 'changed' };
    // Opening a device may have effects.
    if (!before.isFile()) return { is: 'special' };
    handle = await open(real, FLAGS);
    const about = await handle.stat({ bigint: true });
    if (!about.isFile()) return { is: 'special' };
    if (!(await isInPlace(handle, about, real, allowed))) return { is: 'changed' };
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
  allowed: AllowedRoots,
): Promise<boolean> {
  // The kernel's answer, where available, has no race.
  const actual = await pathOf(handle);
  if (actual !== undefined) return actual === real && containsPath(allowed, actual);
  if ((await realpath(real)) !== real || !containsPath(allowed, real)) return false;
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
  // Sockets, and devices without a driver.
  if (code === 'ENXIO' || code === 'ENODEV' || code === 'EOPNOTSUPP') return 'special';
  return 'gone';
}
