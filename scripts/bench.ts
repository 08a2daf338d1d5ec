/**
 * `npm run bench [-- name… --strict]`: runs bench/<name>/run.*, and writes what they measured as
 * JSON and as a Markdown table. A missed goal is told; with --strict it is also a failure, which on
 * a busy machine says little.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { cpus, loadavg } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { buildSync } from 'esbuild';
import { benchTable, missedGoals, type BenchResult } from './bench-table.ts';

const { values, positionals: asked } = parseArgs({
  allowPositionals: true,
  options: { strict: { type: 'boolean', default: false } },
});
const known = readdirSync('bench', { withFileTypes: true })
  .filter((entry) => entry.isDirectory() && runner(entry.name))
  .map(({ name }) => name);
const unknown = asked.filter((name) => !known.includes(name));
if (unknown.length > 0) {
  console.error(`no bench ${unknown.join(', ')}; there are: ${known.join(', ')}`);
  process.exit(2);
}

const build = spawnSync(process.execPath, ['scripts/build.mjs'], { stdio: 'inherit' });
if (build.status !== 0) process.exit(1);

const results: BenchResult[] = [];
for (const name of asked.length > 0 ? asked : known) {
  console.error(`bench ${name} …`);
  const { stdout, status } = spawnSync(process.execPath, ['--enable-source-maps', bundle(name)], {
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  if (status !== 0) process.exit(1);
  results.push(JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as BenchResult);
}

const machine = `${process.platform} ${process.arch}, ${cpus().length} × ${cpus()[0]?.model}, Node ${process.versions.node}, load ${loadavg()[0]?.toFixed(1)}`;
const table = `Measured on ${machine}.\n\n${benchTable(results)}`;
mkdirSync('bench/results', { recursive: true });
writeFileSync('bench/results/latest.json', `${JSON.stringify({ machine, results }, null, 2)}\n`);
writeFileSync('bench/results/latest.md', `${table}\n`);
console.log(table);

const missed = missedGoals(results);
console.log(missed.length === 0 ? '\nEvery goal is met.' : `\nMISSED: ${missed.length}`);
for (const goal of missed) console.log(`  ${goal}`);
if (values.strict && missed.length > 0) process.exitCode = 1;

/**
 * Measured as it ships, bundled by esbuild: a loader that compiles on the fly adds work
 * to hot paths.
 */
function bundle(name: string): string {
  const outdir = join('bench', name, 'built');
  const workers = readdirSync('src', { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('-worker.ts'))
    .map((file) => join('src', file));
  buildSync({
    entryPoints: [runner(name) ?? '', ...workers],
    outdir,
    entryNames: '[name]',
    bundle: true,
    splitting: true,
    platform: 'node',
    format: 'esm',
    target: 'node20.19',
    packages: 'external',
    sourcemap: 'linked',
  });
  return join(outdir, 'run.js');
}

function runner(name: string): string | undefined {
  return ['run.ts', 'run.mjs']
    .map((file) => join('bench', name, file))
    .find((path) => existsSync(path));
}
