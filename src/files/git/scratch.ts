import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';

/** Private temporary folders, one per call. */
export interface Scratch {
  /** Runs work in a new folder and removes it afterwards. */
  within<T>(work: (folder: string) => Promise<T>): Promise<T>;
}

const PREFIX = 'git-';

/**
 * Creates scratch folders. `folder` belongs to one daemon, so leftovers at the first use are from a
 * killed one.
 */
export function createScratch(folder: string): Scratch {
  let ready: Promise<void> | undefined;

  async function prepare(): Promise<void> {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    for (const name of await readdir(folder)) {
      if (name.startsWith(PREFIX)) await remove(join(folder, name));
    }
  }

  return {
    async within(work) {
      ready ??= prepare();
      await ready.catch((thrown: unknown) => {
        ready = undefined;
        throw thrown;
      });
      // mkdtemp creates it readable for its owner only.
      const made = await mkdtemp(join(folder, PREFIX));
      try {
        return await work(made);
      } finally {
        await remove(made);
      }
    },
  };
}

async function remove(path: string): Promise<void> {
  // A folder that cannot be removed is left to the next daemon, rather than failing the call.
  await rm(path, { recursive: true, force: true, maxRetries: 3 }).catch(() => undefined);
}
