import { constants } from 'node:fs';
import { lstat, open, readlink, realpath, stat, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { containsPath, type AllowedRoots } from './allowed-roots.ts';

/** A folder that stays the same one, whatever happens to its path. */
export interface OpenFolder {
  /** The path of an entry of this very folder, where the system has such paths. */
  entry(name: string): string;
  /** Whether the folder is still where it was checked. */
  isInPlace(): Promise<boolean>;
  /** Makes its entries durable. */
  sync(): Promise<void>;
  close(): Promise<void>;
}

const {
  O_RDONLY,
  O_DIRECTORY = 0,
  O_NOFOLLOW = 0,
} = constants as Partial<typeof constants> & { readonly O_RDONLY: number };

/** Opens a folder by its path without links, and verifies that it is the one at that path. */
export async function openFolder(
  real: string,
  allowed: AllowedRoots,
): Promise<OpenFolder | 'changed'> {
  let handle: FileHandle;
  try {
    handle = await open(real, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
  } catch (thrown) {
    const { code } = thrown as NodeJS.ErrnoException;
    if (code === 'ELOOP' || code === 'ENOTDIR' || code === 'ENOENT') return 'changed';
    throw thrown;
  }
  const through = await pathThrough(handle);
  const isInPlace = async (): Promise<boolean> => {
    if (!containsPath(allowed, real)) return false;
    // The kernel's answer, where available, has no race.
    if (through !== undefined) return (await readlink(through)) === real;
    return isSameFolder(handle, real);
  };
  if (!(await isInPlace())) {
    await handle.close();
    return 'changed';
  }
  return {
    entry: (name) => join(through ?? real, name),
    isInPlace,
    sync: () => handle.sync(),
    close: () => handle.close(),
  };
}

/** A path that leads to the opened folder even after its own path leads elsewhere. */
async function pathThrough(handle: FileHandle): Promise<string | undefined> {
  if (process.platform !== 'linux') return undefined;
  const path = `/proc/self/fd/${handle.fd}`;
  try {
    return (await stat(path)).isDirectory() ? path : undefined;
  } catch {
    // Not every container has /proc.
    return undefined;
  }
}

async function isSameFolder(handle: FileHandle, real: string): Promise<boolean> {
  if ((await realpath(real)) !== real) return false;
  const [there, here] = [await lstat(real, { bigint: true }), await handle.stat({ bigint: true })];
  return there.ino === here.ino && there.dev === here.dev;
}
