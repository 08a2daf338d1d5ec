/**
 * `npm test`: everything that passes or fails by behaviour, on this Node; on Node 24 the units that
 * use what differs between versions (sockets, streams, threads, timers). With --all-nodes (`npm run
 * test:nodes`) the whole unit suite runs on Node 24, on the oldest Node 20 we promise, and on Node
 * 22.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { installTools } from './install-tools.ts';
import { ensureSystemPrograms } from './system-programs.ts';

const vitest = 'node_modules/vitest/vitest.mjs';
const machine = `${process.platform}-${process.arch}`;
const { values } = parseArgs({ options: { 'all-nodes': { type: 'boolean', default: false } } });

interface OtherNode {
  readonly name: string;
  /** The package that has it, and the folder that package is installed in. */
  readonly package: string;
  readonly folder: string;
}

const NEWEST: OtherNode = { name: 'Node 24', package: 'node', folder: 'test/tools' };
const OTHERS: readonly OtherNode[] = [
  { name: 'Node 20.19.0', package: 'node20', folder: 'test/tools/nodes' },
  { name: 'Node 22', package: 'node22', folder: 'test/tools/nodes' },
];
const nodes = values['all-nodes'] ? [NEWEST, ...OTHERS] : [NEWEST];

step('System programs');
const missing = ensureSystemPrograms();
if (missing.length > 0 && process.env['CI']) fail(`missing in CI: ${missing.join(', ')}`);

step('Tools of the tests');
const tools = [
  'test/tools/clients',
  'test/tools/composio',
  'test/tools/conformance',
  'test/tools/sdks',
  'test/tools/upstreams',
  'test/tools/vendor-clients',
];
await installTools([...new Set([...nodes.map((each) => each.folder), ...tools])]).catch(
  (error: Error) => fail(error.message),
);

step('Build');
run(process.execPath, ['scripts/build.mjs']);

const UNIT = ['unit', 'unit-alone'];
/** Where the versions of Node.js differ. */
const DIFFERING = [
  'src/core',
  'src/net',
  'src/store',
  'src/transport',
  'src/client',
  'src/mcp',
  'test/unit/store',
];
const suites: { name: string; node: string; projects: string[]; paths?: string[] }[] = [
  {
    name: `all, on Node ${process.versions.node}`,
    node: process.execPath,
    projects: [...UNIT, 'e2e'],
  },
];
for (const { name, package: prefix, folder } of nodes) {
  const node = join(folder, 'node_modules', `${prefix}-${machine}`, 'bin/node');
  const paths = values['all-nodes'] ? [] : DIFFERING;
  if (existsSync(node)) suites.push({ name: `unit, on ${name}`, node, projects: UNIT, paths });
  else if (process.env['CI']) fail(`no ${name} for ${machine}; in CI nothing is skipped`);
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
for (const [number, { name, node, projects, paths = [] }] of suites.entries()) {
  step(`Tests: ${name}`);
  const report = join(reports, `${number}.json`);
  const chosen = projects.flatMap((project) => ['--project', project]);
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`];
  const { status } = spawnSync(node, [vitest, 'run', ...paths, ...chosen, ...reporters], {
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
