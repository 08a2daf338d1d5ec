/**
 * `npm run conformance`: starts the built daemon with the suite's fixtures, runs the conformance
 * suite of MCP against it, then the suite for clients against its hub, and prints what it found. It
 * fails when anything does that we aim at.
 */
import { parseArgs } from 'node:util';
import { startSubject } from '../bench/mcp-call/subject.ts';
import { CLIENT, CLIENT_AUTHORIZATION, runClientSuite } from '../test/e2e/conformance-clients.ts';
import {
  count,
  faults,
  partition,
  type ConformanceRun,
  type Counts,
} from '../test/e2e/conformance-report.ts';
import {
  DNS_REBINDING,
  REQUIREMENTS_2025,
  REQUIREMENTS_2026,
  runSuite,
  whyNotRunnable,
  type ConformanceSet,
} from '../test/e2e/conformance-suite.ts';

const { values } = parseArgs({
  options: {
    scenario: { type: 'string' },
    verbose: { type: 'boolean', default: false },
    help: { type: 'boolean', short: 'h' },
  },
});

const USAGE = `Usage: npm run conformance -- [options]

Runs the conformance suite of MCP against a separate daemon.

Options:
  --scenario NAME  Run this one alone, at every revision that has it
  --verbose        Show what the suite itself says
  -h, --help       Show this help`;

const HEAD =
  '| set | scenarios | checks passed | failed | exit code | s |\n|---|---|---|---|---|---|';

const missing = whyNotRunnable();
if (values.help) console.log(USAGE);
else if (missing !== undefined) refuse(missing);
else print(await (values.scenario === undefined ? runSets() : runScenario(values.scenario)));

function onOutput(text: string): void {
  if (values.verbose) process.stdout.write(text);
}

interface Outcome {
  readonly set: ConformanceSet;
  readonly run: ConformanceRun;
}

async function runSets(): Promise<Outcome[]> {
  const outcomes = await runAll([REQUIREMENTS_2025, REQUIREMENTS_2026, DNS_REBINDING]);
  const core = { set: CLIENT, run: await runClientSuite('core', onOutput) };
  const run = await runClientSuite('authorization', onOutput);
  return [...outcomes, core, { set: CLIENT_AUTHORIZATION, run }];
}

async function runScenario(scenario: string): Promise<Outcome[]> {
  const client = await runClientSuite({ only: scenario }, onOutput);
  if (client.scenarios.length > 0) {
    return [{ set: { ...CLIENT, scenarios: client.scenarios.length, checks: 1 }, run: client }];
  }
  const alone = (name: string, ...version: string[]): ConformanceSet => ({
    name,
    args: ['--scenario', scenario, ...version],
    scenarios: 1,
    checks: 1,
  });
  const dated = await runAll(
    ['2025-11-25', '2026-07-28'].map((revision) =>
      alone(`${scenario} at ${revision}`, '--spec-version', revision),
    ),
  );
  // A revision that does not have the scenario is passed over, and the suite says so.
  const applicable = dated.filter(({ run }) => !run.output.startsWith('SKIPPED: '));
  // An extension belongs to no revision: for those the suite chooses one.
  return applicable.length > 0 ? applicable : runAll([alone(scenario)]);
}

async function runAll(sets: readonly ConformanceSet[]): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  for (const set of sets) {
    const run = await runAgainstDaemon(set.args);
    // An unknown scenario, say: the suite's own words list those that there are.
    if (run.exitCode !== 0 && run.scenarios.length === 0) refuse(run.output.trim());
    outcomes.push({ set, run });
  }
  return outcomes;
}

/** Each run has a separate daemon, as in the tests. */
async function runAgainstDaemon(args: readonly string[]): Promise<ConformanceRun> {
  const daemon = await startSubject(['bin/exai.cjs', 'serve', '--port', '0', '--conformance']);
  try {
    const url = `http://127.0.0.1:${daemon.port}/mcp`;
    if (!values.verbose) return await runSuite(url, args);
    return await runSuite(url, [...args, '--verbose'], onOutput);
  } finally {
    await daemon.stop();
  }
}

function print(outcomes: readonly Outcome[]): void {
  console.log([HEAD, ...outcomes.flatMap(rows)].join('\n'));
  const wrong = outcomes.flatMap(({ set, run }) =>
    faults(run, set).map((fault) => `- ${set.name}: ${fault}`),
  );
  if (wrong.length === 0) return;
  console.log(`\n${wrong.join('\n')}`);
  process.exitCode = 1;
}

/** What is left out has a separate row. */
function rows({ set, run }: Outcome): string[] {
  const { counted, others } = partition(run.scenarios, set);
  const seconds = (run.elapsedMs / 1000).toFixed(1);
  const first = row(set.name, count(counted), `${run.exitCode ?? 'ended'} | ${seconds}`);
  if (others.length === 0) return [first];
  return [first, row(`${set.name}, passed over by the suite`, count(others), '|')];
}

function row(name: string, { scenarios, passed, failed }: Counts, rest: string): string {
  return `| ${name} | ${scenarios} | ${passed} | ${failed} | ${rest} |`;
}

function refuse(why: string): never {
  console.error(`npm run conformance: ${why}`);
  process.exit(2);
}
