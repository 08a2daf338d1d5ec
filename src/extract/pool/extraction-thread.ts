import { Worker } from 'node:worker_threads';
import { workerEntry } from '#core/worker-entry.ts';

/** Enough for the largest page that the limits accept; a page that needs more ends its thread. */
const MEMORY = { maxOldGenerationSizeMb: 1024, maxYoungGenerationSizeMb: 64, stackSizeMb: 8 };

/** Starts an extraction thread; its file is beside this one. */
export function startExtractionThread(): Worker {
  const entry = workerEntry('extraction-worker', import.meta.url);
  return new Worker(entry.file, { resourceLimits: MEMORY, eval: entry.eval });
}
