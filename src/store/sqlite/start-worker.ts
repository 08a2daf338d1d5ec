import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';

/** Starts a worker file beside this file: `.js` in the build, `.ts` in the sources. */
export function startWorker(
  name: `sqlite-${string}-worker`,
  workerData: Readonly<Record<string, unknown>>,
): Worker {
  const extension = extname(import.meta.url);
  const url = new URL(`./${name}${extension}`, import.meta.url);
  if (extension === '.js') return new Worker(url, { workerData });
  // In the sources (tests, `npm run dev`) a thread of Node 20 does not inherit the TypeScript
  // loader.
  const entry = `import('tsx/esm/api').then((tsx) => { tsx.register(); return import(${JSON.stringify(url.href)}); })`;
  return new Worker(entry, { workerData, eval: true });
}
