import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';

/** Enough for the largest page that the limits accept; a page that needs more ends its thread. */
const MEMORY = { maxOldGenerationSizeMb: 1024, maxYoungGenerationSizeMb: 64, stackSizeMb: 8 };

/** Starts an extraction thread. It is beside this file: `.js` in the build, `.ts` in the sources. */
export function startExtractionThread(): Worker {
  const options = { resourceLimits: MEMORY };
  const extension = extname(import.meta.url);
  const url = new URL(`./extraction-worker${extension}`, import.meta.url);
  if (extension === '.js') return new Worker(url, options);
  // In the sources (tests, `npm run dev`) a thread of Node 20 does not inherit the TypeScript
  // loader.
  const entry = `import('tsx/esm/api').then((tsx) => { tsx.register(); return import(${JSON.stringify(url.href)}); })`;
  return new Worker(entry, { ...options, eval: true });
}
