/** The folder of the workers that a test run has bundled, as a URL; only tests define it. */
declare const EXAI_BUNDLED_WORKERS: string | undefined;

/** What `new Worker` takes. */
export interface WorkerEntry {
  readonly file: string | URL;
  /** Whether `file` is code, and not the place of a file. */
  readonly eval: boolean;
}

/**
 * A worker file beside the module with this URL: `.js` in the build, `.ts` in the sources. A thread
 * of Node 20 does not inherit the TypeScript loader, and loading it again takes a third of a second
 * of CPU; so tests bundle the workers once, and only `npm run dev` loads it.
 */
export function workerEntry(name: `${string}-worker`, moduleUrl: string): WorkerEntry {
  if (!moduleUrl.endsWith('.ts')) return { file: new URL(`./${name}.js`, moduleUrl), eval: false };
  if (typeof EXAI_BUNDLED_WORKERS === 'string')
    return { file: new URL(`${name}.js`, EXAI_BUNDLED_WORKERS), eval: false };
  const url = JSON.stringify(new URL(`./${name}.ts`, moduleUrl).href);
  const code = `import('tsx/esm/api').then((tsx) => { tsx.register(); return import(${url}); })`;
  return { file: code, eval: true };
}
