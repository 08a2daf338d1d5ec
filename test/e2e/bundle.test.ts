import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { join } from 'node:path';
import { build } from 'esbuild';
import { expect, test } from 'vitest';

const scripts = readdirSync('dist')
  .filter((file) => file.endsWith('.js'))
  .map((file) => join('dist', file));

const bundledFiles = new Set(
  scripts.flatMap(
    (file) => (JSON.parse(readFileSync(`${file}.map`, 'utf8')) as { sources: string[] }).sources,
  ),
);

test('dist/ imports exactly the packages that are installed beside it', async () => {
  const { metafile } = await build({
    entryPoints: scripts,
    outdir: 'nowhere',
    write: false,
    bundle: true,
    packages: 'external',
    platform: 'node',
    format: 'esm',
    metafile: true,
  });
  const imported = Object.values(metafile.inputs)
    .flatMap(({ imports }) => imports)
    .filter(({ external, path }) => external && !isBuiltin(path))
    .map(({ path }) => path);
  const { dependencies } = JSON.parse(readFileSync('package.json', 'utf8')) as {
    dependencies: Record<string, string>;
  };
  expect([...new Set(imported)].sort()).toEqual(Object.keys(dependencies).sort());
});

test('the licence of every bundled package is handed on', () => {
  // The maps of a package may name what its own authors bundled into it, which is theirs to hand
  // on.
  const packages = [...bundledFiles]
    .flatMap((path) => path.match(/(?<=node_modules\/)(?:@[^/]+\/)?[^/]+/) ?? [])
    .filter((name) => existsSync(join('node_modules', name, 'package.json')));
  const licenses = readFileSync('dist/licenses.txt', 'utf8');
  expect(packages.length).toBeGreaterThan(0);
  expect([...new Set(packages)].filter((name) => !licenses.includes(`${name}\n`))).toEqual([]);
});

test('of zod only what is used is bundled: one of its sixty languages', () => {
  const languages = [...bundledFiles].flatMap(
    (path) => path.match(/(?<=zod\/v4\/locales\/).*/) ?? [],
  );
  expect(languages).toEqual(['en.js']);
});
