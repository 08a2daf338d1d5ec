// Bundles our code and the packages that are not `dependencies` into dist/: one file per entry,
// shared parts as chunks named by their content. `dependencies` are installed beside us; what only
// the build needs has no place there.
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, transform } from 'esbuild';
import { licenseTexts, REQUIRE_BANNER } from './bundled-packages.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const dist = join(root, 'dist');
const fresh = join(root, `dist.tmp-${process.pid}`);
const { version, dependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const workers = readdirSync(join(root, 'src'), { recursive: true })
  .filter((file) => file.endsWith('-worker.ts'))
  .map((file) => join('src', file));
const entries = ['src/cli/main.ts', ...workers];
/** The shim, in parts that are loaded one after another, by the names of their files in dist/. */
const SHIM = { stdio: 'src/cli/stdio.ts', 'stdio-relay': 'src/cli/stdio-relay.ts' };
const SELDOM = {
  'stdio-log': 'src/client/shim/shim-log-write.ts',
  'stdio-start': 'src/client/start-daemon-if-needed.ts',
  'stdio-ws': 'src/app/daemon/connect-over-ws.ts',
};
/** What the shim may call of them. */
const LATE_BUILTINS = { 'node:crypto': ['randomFillSync'], 'node:os': ['homedir'] };
const shared = {
  absWorkingDir: root,
  outdir: fresh,
  bundle: true,
  platform: 'node',
  target: 'node20.19',
  external: Object.keys(dependencies),
  metafile: true,
  define: { EXAI_VERSION: JSON.stringify(version) },
  logLevel: 'warning',
};

try {
  const program = await build({
    ...shared,
    entryPoints: entries,
    entryNames: '[name]',
    chunkNames: '[name]-[hash]',
    splitting: true,
    format: 'esm',
    banner: { js: REQUIRE_BANNER },
    sourcemap: 'linked',
    // Names stay as they are, so that stack traces can be read.
    minifyWhitespace: true,
    minifySyntax: true,
    lineLimit: 160,
    plugins: [{ name: 'shrink logins', setup: shrinkLogins }],
  });
  // What a client waits for is one small file; what it needs later, or seldom, are files of their
  // own.
  const cjs = {
    ...shared,
    outExtension: { '.js': '.cjs' },
    format: 'cjs',
    minify: true,
    // By require: the first import() of a process loads the whole machinery of modules.
    supported: { 'dynamic-import': false },
  };
  const shim = await build({
    ...cjs,
    entryPoints: SHIM,
    plugins: [{ name: 'load late', setup: loadLate }],
  });
  const seldom = await build({
    ...cjs,
    entryPoints: SELDOM,
    plugins: [{ name: 'share errors', setup: shareErrors }],
  });
  // Beside dist/, so that it is never part of the package.
  await build({
    ...shared,
    entryPoints: ['emulator/main.ts'],
    outdir: join(root, 'dist-emulator'),
    format: 'esm',
    banner: { js: REQUIRE_BANNER },
  });
  const bundled = [program, shim, seldom].flatMap(({ metafile }) => Object.keys(metafile.inputs));
  writeFileSync(join(fresh, 'licenses.txt'), licenseTexts(root, bundled));
  replace();
} catch (error) {
  // esbuild has printed its own errors.
  if (!error.errors) console.error(error);
  process.exitCode = 1;
} finally {
  rmSync(fresh, { recursive: true, force: true });
}

/**
 * Leaves out of the shim what it imports when needed, and the built-ins that are slow to load and
 * that it hardly needs.
 */
function loadLate({ onResolve, onLoad }) {
  onResolve({ filter: /\.ts$/ }, ({ kind, path }) => {
    if (kind !== 'dynamic-import') return undefined;
    const file = path.split('/').at(-1);
    const parts = Object.entries({ ...SHIM, ...SELDOM });
    const [name] = parts.find(([, source]) => source.endsWith(`/${file}`)) ?? [];
    if (!name) throw new Error(`${path} is not among the parts of the shim`);
    return { path: `./${name}.cjs`, external: true };
  });
  onResolve({ filter: /^node:(crypto|os)$/ }, ({ path, namespace }) =>
    namespace === 'late' ? undefined : { path, namespace: 'late' },
  );
  onLoad({ filter: /./, namespace: 'late' }, ({ path }) => ({
    contents: LATE_BUILTINS[path]
      .map((name) => `exports.${name} = (...args) => require('${path}').${name}(...args);`)
      .join('\n'),
  }));
}

/**
 * Of MCP's SDK only the functions of OAuth are used. Its validator of JSON Schemas is left out, and
 * the rest, which is loaded with the first login, is minified.
 */
function shrinkLogins({ onResolve, onLoad }) {
  onResolve({ filter: /^@modelcontextprotocol\/client\/_shims$/ }, () => ({
    path: 'shims',
    namespace: 'no-validator',
  }));
  onLoad({ filter: /./, namespace: 'no-validator' }, () => ({
    contents: 'export const CORS_IS_POSSIBLE = false; export class DefaultJsonSchemaValidator {}',
  }));
  onLoad(
    { filter: /node_modules[\\/](?:@modelcontextprotocol|jose)[\\/].*\.m?js$/ },
    async ({ path }) => {
      const source = readFileSync(path, 'utf8');
      const { code } = await transform(source, {
        minify: true,
        format: 'esm',
        target: 'node20.19',
      });
      return { contents: code };
    },
  );
}

/** An error of such a part is an instance of the class that the relay knows. */
function shareErrors({ onResolve }) {
  onResolve({ filter: /\bcall-error\.ts$/ }, () => ({ path: './stdio-relay.cjs', external: true }));
}

/**
 * File by file, chunks before the entries that name them, so that at no moment is dist/ missing or
 * half new: a program that starts meanwhile, or another build, finds a whole one.
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
