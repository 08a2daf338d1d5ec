import { Worker, type WorkerOptions } from 'node:worker_threads';
import { workerEntry } from '#core/worker-entry.ts';

/** Starts a worker file beside this file. */
export function startRetrievalThread(name: `${string}-worker`, options: WorkerOptions): Worker {
  const entry = workerEntry(name, import.meta.url);
  return new Worker(entry.file, { ...options, eval: entry.eval });
}
