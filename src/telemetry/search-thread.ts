import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';

// Room for the lines and then some; a pattern that wants more is ended with its thread.
const LIMITS = { maxOldGenerationSizeMb: 128, maxYoungGenerationSizeMb: 32 };

/** A thread that searches once. The worker lies beside this file: `.js` as built, `.ts` as written. */
export function startSearchThread(pattern: string, lines: readonly string[]): Worker {
  const options = { workerData: { pattern, lines }, resourceLimits: LIMITS };
  const extension = extname(import.meta.url);
  const url = new URL(`./search-worker${extension}`, import.meta.url);
  if (extension === '.js') return new Worker(url, options);
  // From the sources (tests, `npm run dev`): a thread of Node 20 does not inherit the loader of TypeScript.
  const entry = `import('tsx/esm/api').then((tsx) => { tsx.register(); return import(${JSON.stringify(url.href)}); })`;
  return new Worker(entry, { ...options, eval: true });
}
