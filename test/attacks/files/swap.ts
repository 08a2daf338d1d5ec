import { renameSync, rmSync, symlinkSync } from 'node:fs';
import { Worker } from 'node:worker_threads';

const LOOP = `
  const { renameSync } = require('node:fs');
  const { workerData: { path, link, aside, stop } } = require('node:worker_threads');
  const flag = new Int32Array(stop);
  while (Atomics.load(flag, 0) === 0) {
    try {
      renameSync(path, aside);
      renameSync(link, path);
      renameSync(path, link);
      renameSync(aside, path);
    } catch {
      // The attacked program replaced it meanwhile.
      try { renameSync(aside, path); } catch {}
    }
  }
`;

/** Swaps a path for a link to `target` and back, as fast as a thread can. */
export function startSwapping(path: string, target: string): { stop(): Promise<void> } {
  const link = `${path}-link`;
  const aside = `${path}-aside`;
  symlinkSync(target, link);
  const stop = new SharedArrayBuffer(4);
  const worker = new Worker(LOOP, { eval: true, workerData: { path, link, aside, stop } });
  return {
    async stop() {
      const ended = new Promise((resolve) => worker.once('exit', resolve));
      Atomics.store(new Int32Array(stop), 0, 1);
      await ended;
      try {
        renameSync(aside, path);
      } catch {
        // It is in its place.
      }
      rmSync(link, { force: true });
    },
  };
}
