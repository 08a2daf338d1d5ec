import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';

/** Folders for one call each, for nobody else's eyes. */
export interface Scratch {
  /** Removed when the work has ended, however it ends. */
  within<T>(work: (folder: string) => Promise<T>): Promise<T>;
}

const PREFIX = 'git-';

/** `folder` belongs to one daemon alone: what lies there when it first needs one was left by a daemon that was killed. */
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
      // Made for its owner alone.
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
  // What cannot be removed is tried again by the next daemon, and is no reason to lose an answer.
  await rm(path, { recursive: true, force: true, maxRetries: 3 }).catch(() => undefined);
}
