import { Worker } from 'node:worker_threads';
import { workerEntry } from '#core/worker-entry.ts';

/** Starts a worker file beside this file. */
export function startWorker(
  name: `sqlite-${string}-worker`,
  workerData: Readonly<Record<string, unknown>>,
): Worker {
  const entry = workerEntry(name, import.meta.url);
  return new Worker(entry.file, { workerData, eval: entry.eval });
}
