/**
 * `npm run soak [-- file… | --table]`: builds, runs the long tests or those named, and prints the table of
 * what they found. `--table` only prints the table of the last run.
 */
import { spawnSync } from 'node:child_process';
import { clearSoakTable, soakTable } from '../test/soak-table.ts';

const asked = process.argv.slice(2);
if (asked.includes('--table')) printTable();
else process.exitCode = run();

function run(): number {
  const build = spawnSync(process.execPath, ['scripts/build.mjs'], { stdio: 'inherit' });
  if (build.status !== 0) return 1;
  clearSoakTable();
  const projects = ['--project', 'soak', '--project', 'fuzz'];
  const vitest = ['node_modules/vitest/vitest.mjs', 'run', ...projects, ...asked];
  const { status } = spawnSync(process.execPath, vitest, { stdio: 'inherit' });
  printTable();
  return status ?? 1;
}

function printTable(): void {
  console.log(`\n${soakTable() ?? 'No test has added a row to the table.'}`);
}
