import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { build } from 'esbuild';
import { expect, onTestFinished, test } from 'vitest';
import { licenseTexts, REQUIRE_BANNER } from '../../scripts/bundled-packages.mjs';

const ESM = 'export default "esm";';
/**
 * Loads built-ins by require, with and without `node:`, when it is loaded and when it is called.
 */
const COMMON_JS = `const { sep } = require('node:path');
module.exports = () => 'cjs' + sep + require('util').types.isDate(new Date(0));`;

interface Fixture {
  readonly files: Readonly<Record<string, string>>;
  readonly about?: object;
}

/** A package of each kind that the build may meet. */
const PACKAGES: Readonly<Record<string, Fixture>> = {
  'common-js': { files: { 'index.js': COMMON_JS, LICENSE: 'text of LICENSE' } },
  'es-module': {
    files: { 'index.js': ESM, 'LICENCE.md': 'text of LICENCE.md' },
    about: { type: 'module' },
  },
  '@scope/lower-case': { files: { 'index.js': COMMON_JS, 'license.txt': 'text of license.txt' } },
  copying: { files: { 'index.js': COMMON_JS, COPYING: 'text of COPYING' } },
  'two-files': {
    files: {
      'index.js': COMMON_JS,
      'LICENSE-MIT': 'text of LICENSE-MIT',
      'LICENSE-APACHE': 'text of LICENSE-APACHE',
      'license.js': 'no text',
    },
  },
  'only-stated': {
    files: { 'index.js': COMMON_JS },
    about: { license: 'ISC', author: { name: 'Ann' } },
  },
  'stated-as-list': {
    files: { 'index.js': COMMON_JS },
    about: { licenses: [{ type: 'MIT' }, { type: 'BSD-3-Clause' }] },
  },
  'only-stated/node_modules/nested': {
    files: { 'index.js': COMMON_JS },
    about: { license: '0BSD' },
  },
};

function writePackages(packages: Readonly<Record<string, Fixture>>): string {
  const root = mkdtempSync(join(tmpdir(), 'exai-bundle-'));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  for (const [path, { files, about }] of Object.entries(packages)) {
    const folder = join(root, 'node_modules', path);
    const name = path.replace(/.*node_modules\//, '');
    const all = { ...files, 'package.json': JSON.stringify({ name, version: '1.0.0', ...about }) };
    for (const [file, text] of Object.entries(all)) {
      mkdirSync(dirname(join(folder, file)), { recursive: true });
      writeFileSync(join(folder, file), text);
    }
  }
  return root;
}

/** Bundles a program that prints what each package exports, as the build does. */
async function bundle(root: string, paths: readonly string[]) {
  const lines = paths.map((path, at) => `import p${at} from './node_modules/${path}/index.js';`);
  const all = paths.map((_, at) => `p${at}`).join(', ');
  const print = `console.log([${all}].map((each) => each.call ? each() : each).join(' '));`;
  writeFileSync(join(root, 'main.mjs'), [...lines, print].join('\n'));
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: ['main.mjs'],
    outdir: join(root, 'out'),
    outExtension: { '.js': '.mjs' },
    bundle: true,
    platform: 'node',
    format: 'esm',
    splitting: true,
    metafile: true,
    banner: { js: REQUIRE_BANNER },
  });
  return Object.keys(metafile.inputs);
}

test('bundled packages of each kind run, and their licences are taken along', async () => {
  const root = writePackages(PACKAGES);
  const paths = Object.keys(PACKAGES);
  const inputs = await bundle(root, paths);
  rmSync(join(root, 'main.mjs'));
  const printed = execFileSync(process.execPath, [join(root, 'out/main.mjs')], {
    encoding: 'utf8',
  });
  const expected = paths.map((path) => (path === 'es-module' ? 'esm' : 'cjs/true'));
  expect(printed).toBe(`${expected.join(' ')}\n`);
  expect(licenseTexts(root, inputs)).toBe(
    [
      'common-js\n\ntext of LICENSE',
      'es-module\n\ntext of LICENCE.md',
      '@scope/lower-case\n\ntext of license.txt',
      'copying\n\ntext of COPYING',
      'two-files\n\ntext of LICENSE-APACHE\n\ntext of LICENSE-MIT',
      'only-stated\n\nLicense: ISC\nAuthor: Ann\n',
      'stated-as-list\n\nLicense: MIT OR BSD-3-Clause\n',
      'nested\n\nLicense: 0BSD\n',
    ].join('\n\n'),
  );
});

test('a package without any licence is refused by its name', async () => {
  const root = writePackages({ bare: { files: { 'index.js': COMMON_JS } } });
  const inputs = await bundle(root, ['bare']);
  expect(() => licenseTexts(root, inputs)).toThrow('bare states no licence and cannot be bundled.');
});
