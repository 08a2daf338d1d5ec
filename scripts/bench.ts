/** `npm run bench [-- name…]`: runs bench/<name>/run.*, and writes what they measured as JSON and as a Markdown table. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { cpus, loadavg } from 'node:os';
import { join } from 'node:path';
import type { BenchRow } from '../bench/report.ts';

const HEAD = '| what | figure | ratio | goal | |\n|---|---|---|---|---|';
const asked = process.argv.slice(2);
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

const results: { name: string; rows: BenchRow[] }[] = [];
for (const name of asked.length > 0 ? asked : known) {
  console.error(`bench ${name} …`);
  const { stdout, status } = spawnSync(process.execPath, ['--import', 'tsx', runner(name) ?? ''], {
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  if (status !== 0) process.exit(1);
  results.push(JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as (typeof results)[number]);
}

const machine = `${process.platform} ${process.arch}, ${cpus().length} × ${cpus()[0]?.model}, Node ${process.versions.node}, load ${loadavg()[0]?.toFixed(1)}`;
const table = [
  `Measured on ${machine}.`,
  ...results.map(({ name, rows }) => [`\n### ${name}\n`, HEAD, ...rows.map(line)].join('\n')),
].join('\n');
mkdirSync('bench/results', { recursive: true });
writeFileSync('bench/results/latest.json', `${JSON.stringify({ machine, results }, null, 2)}\n`);
writeFileSync('bench/results/latest.md', `${table}\n`);
console.log(table);
const missed = results.flatMap(({ rows }) => rows).filter(({ ok }) => ok === false);
if (missed.length > 0) console.log(`\n${missed.length} below the goal`);

function runner(name: string): string | undefined {
  return ['run.ts', 'run.mjs']
    .map((file) => join('bench', name, file))
    .find((path) => existsSync(path));
}

function line({ what, value, unit, ratio, goal, ok }: BenchRow): string {
  const figure = Number.isInteger(value) ? value.toLocaleString('en') : value.toPrecision(4);
  const verdict = ok === undefined ? '' : ok ? 'met' : 'missed';
  return `| ${what} | ${figure} ${unit} | ${ratio === undefined ? '' : ratio.toFixed(2)} | ${goal ?? ''} | ${verdict} |`;
}
