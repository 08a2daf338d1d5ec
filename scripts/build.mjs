// Bundles our code and the packages that are not `dependencies` into dist/: one file per entry, shared parts as chunks
// named by their content. `dependencies` are installed beside us; what only the build needs has no place there.
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = fileURLToPath(new URL('..', import.meta.url));
const dist = join(root, 'dist');
const fresh = join(root, `dist.tmp-${process.pid}`);
const { version, dependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const workers = readdirSync(join(root, 'src'), { recursive: true })
  .filter((file) => file.endsWith('-worker.ts'))
  .map((file) => join('src', file));
const entries = ['src/cli/main.ts', ...workers];

try {
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: entries,
    outdir: fresh,
    entryNames: '[name]',
    chunkNames: '[name]-[hash]',
    bundle: true,
    splitting: true,
    platform: 'node',
    format: 'esm',
    target: 'node20.19',
    external: Object.keys(dependencies),
    metafile: true,
    sourcemap: 'linked',
    define: { EXAI_VERSION: JSON.stringify(version) },
    logLevel: 'warning',
  });
  writeFileSync(join(fresh, 'licenses.txt'), licenses(Object.keys(metafile.inputs)));
  replace();
} catch (error) {
  // esbuild has printed its own errors.
  if (!error.errors) console.error(error);
  process.exitCode = 1;
} finally {
  rmSync(fresh, { recursive: true, force: true });
}

/** Whoever hands on a bundled package must hand on its licence. */
function licenses(inputs) {
  const names = inputs.map((path) => /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1]);
  return [...new Set(names.filter(Boolean))]
    .map(
      (name) => `${name}\n\n${readFileSync(join(root, 'node_modules', name, 'LICENSE'), 'utf8')}`,
    )
    .join('\n\n');
}

/**
 * File by file, chunks before the entries that name them, so that at no moment is dist/ missing or half new:
 * a program that starts meanwhile, or another build, finds a whole one.
 */
function replace() {
  mkdirSync(dist, { recursive: true });
  const isEntry = (file) => entries.some((entry) => file === outputOf(entry));
  const made = readdirSync(fresh).toSorted((a, b) => Number(isEntry(a)) - Number(isEntry(b)));
  for (const file of made) renameSync(join(fresh, file), join(dist, file));
  for (const file of readdirSync(dist)) {
    if (!made.includes(file)) rmSync(join(dist, file), { recursive: true, force: true });
  }
}

function outputOf(entry) {
  return entry.split(/[\\/]/).at(-1).replace(/\.ts$/, '.js');
}
