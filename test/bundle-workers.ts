import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import type { TestProject } from 'vitest/node';
import { REQUIRE_BANNER } from '../scripts/bundled-packages.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
/** Within the project, so that the packages that stay outside of the bundle are found. */
const folder = join(root, 'node_modules/.cache/exai-workers', String(process.pid));

export const WORKERS_URL: string = pathToFileURL(join(folder, '/')).href;

/** Bundles the code of all threads, once per run and again when a file changes in watch mode. */
export default async function setup(project: TestProject): Promise<() => void> {
  await bundle();
  project.onTestsRerun(bundle);
  return () => rmSync(folder, { recursive: true, force: true });
}

async function bundle(): Promise<void> {
  const { dependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    dependencies: Record<string, string>;
  };
  const workers = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('-worker.ts'))
    .map((file) => join('src', file));
  await build({
    absWorkingDir: root,
    entryPoints: workers,
    entryNames: '[name]',
    outdir: folder,
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20.19',
    external: Object.keys(dependencies),
    banner: { js: REQUIRE_BANNER },
    sourcemap: 'linked',
    logLevel: 'warning',
  });
}
