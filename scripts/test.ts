/** `npm test`: everything that passes or fails by behaviour, on this Node and, for the unit suite, on Node 24. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensureSystemPrograms } from './system-programs.ts';

const vitest = 'node_modules/vitest/vitest.mjs';
const newerNode = join(
  'test/tools/node_modules',
  `node-${process.platform}-${process.arch}`,
  'bin/node',
);

step('System programs');
const missing = ensureSystemPrograms();
if (missing.length > 0 && process.env['CI']) fail(`missing in CI: ${missing.join(', ')}`);

step('Tools of the tests');
run('npm', ['ci', '--prefix', 'test/tools', '--no-audit', '--no-fund']);

step('Build');
run(process.execPath, ['scripts/build.mjs']);

const suites = [
  {
    name: `all, on Node ${process.versions.node}`,
    node: process.execPath,
    projects: ['unit', 'e2e'],
  },
];
if (existsSync(newerNode)) {
  suites.push({ name: 'unit, on Node 24', node: newerNode, projects: ['unit'] });
} else if (process.env['CI']) {
  fail(`no Node 24 for ${process.platform} ${process.arch}; in CI nothing is skipped`);
}

/** What vitest's JSON reporter counts. */
interface Counts {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly numPendingTests: number;
  readonly numTodoTests: number;
}

const reports = mkdtempSync(join(tmpdir(), 'exai-test-'));
let passed = 0;
let failed = 0;
let skipped = 0;
for (const [number, { name, node, projects }] of suites.entries()) {
  step(`Tests: ${name}`);
  const report = join(reports, `${number}.json`);
  const chosen = projects.flatMap((project) => ['--project', project]);
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`];
  const { status } = spawnSync(node, [vitest, 'run', ...chosen, ...reporters], {
    stdio: 'inherit',
  });
  const counts = existsSync(report)
    ? (JSON.parse(readFileSync(report, 'utf8')) as Counts)
    : undefined;
  passed += counts?.numPassedTests ?? 0;
  failed += counts?.numFailedTests ?? 0;
  skipped += (counts?.numPendingTests ?? 0) + (counts?.numTodoTests ?? 0);
  // A file that cannot even be loaded has no test to fail.
  if (status !== 0 && !counts?.numFailedTests) failed += 1;
}
rmSync(reports, { recursive: true, force: true });
if (skipped > 0 && process.env['CI']) failed += skipped;

console.log(`\n${passed} passed, ${failed} failed, ${skipped} skipped`);
process.exit(failed === 0 && passed > 0 ? 0 : 1);

function step(title: string): void {
  console.log(`\n== ${title}`);
}

function run(command: string, args: readonly string[]): void {
  const { status } = spawnSync(command, args, { stdio: 'inherit' });
  if (status !== 0) fail(`${command} ${args.join(' ')} ended with ${status}`);
}

function fail(why: string): never {
  console.error(`npm test: ${why}`);
  process.exit(1);
}
