import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';

/** Workers lie beside this file under the same extension: `.js` as built, `.ts` as written. */
export function startWorker(name: string, workerData: Readonly<Record<string, unknown>>): Worker {
  const extension = extname(import.meta.url);
  const url = new URL(`./${name}${extension}`, import.meta.url);
  if (extension === '.js') return new Worker(url, { workerData });
  // From the sources (tests, `npm run dev`): a thread of Node 20 does not inherit the loader of TypeScript.
  const entry = `import('tsx/esm/api').then((tsx) => { tsx.register(); return import(${JSON.stringify(url.href)}); })`;
  return new Worker(entry, { workerData, eval: true });
}
