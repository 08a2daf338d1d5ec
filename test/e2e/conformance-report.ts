/** What a run of the conformance suite found, and what is wrong with it. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export interface Check {
  readonly id: string;
  readonly status: 'SUCCESS' | 'FAILURE' | 'WARNING' | 'SKIPPED' | 'INFO';
  readonly description: string;
  readonly errorMessage?: string;
}

export interface Scenario {
  readonly name: string;
  /** Undefined when the suite began it and left no result. */
  readonly checks: readonly Check[] | undefined;
}

export interface ConformanceRun {
  /** Null when it was ended for taking too long. */
  readonly exitCode: number | null;
  readonly scenarios: readonly Scenario[];
  readonly output: string;
  readonly elapsedMs: number;
}

/** What has to be in a run: as many scenarios, and at least as many checks that passed. */
export interface Expected {
  readonly scenarios: number;
  readonly checks: number;
  /** The names of scenarios that the suite runs with the rest and that we do not aim at. */
  readonly leftOut?: RegExp;
  /** `SCENARIO: CHECK` of what the suite may pass over. */
  readonly skipped?: ReadonlySet<string>;
}

export interface Counts {
  readonly scenarios: number;
  readonly passed: number;
  readonly failed: number;
}

/**
 * A folder for each scenario, named `[server-]<scenario>-<time>`, with its checks in a file. The name
 * of a scenario may have a slash.
 */
export function readScenarios(folder: string): Scenario[] {
  return readdirSync(folder)
    .flatMap((entry) =>
      TIMED.test(entry)
        ? [entry]
        : readdirSync(join(folder, entry)).map((each) => `${entry}/${each}`),
    )
    .map((entry) => {
      const file = join(folder, entry, 'checks.json');
      return {
        name: entry.replace(/^server-/, '').replace(TIMED, ''),
        checks: existsSync(file)
          ? (JSON.parse(readFileSync(file, 'utf8')) as readonly Check[])
          : undefined,
      };
    })
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

const TIMED = /-\d{4}-\d\d-\d\dT[\d-]+Z$/;

/** What counts of a run, and what was left out. */
export function partition(scenarios: readonly Scenario[], { leftOut }: Expected) {
  const isCounted = ({ name }: Scenario) => leftOut?.test(name) !== true;
  return {
    counted: scenarios.filter(isCounted),
    others: scenarios.filter((scenario) => !isCounted(scenario)),
  };
}

/**
 * As the suite counts: what is for information, or was passed over, is neither passed nor failed.
 */
export function count(scenarios: readonly Scenario[]): Counts {
  const checks = scenarios.flatMap((scenario) => scenario.checks ?? []);
  const unfinished = scenarios.filter((scenario) => scenario.checks === undefined).length;
  return {
    scenarios: scenarios.length,
    passed: checks.filter(({ status }) => status === 'SUCCESS').length,
    failed: checks.filter(({ status }) => status === 'FAILURE').length + unfinished,
  };
}

/**
 * A line for everything that keeps a run from being clean: warnings and checks passed over are,
 * too.
 */
export function faults(run: ConformanceRun, expected: Expected): string[] {
  const { counted } = partition(run.scenarios, expected);
  const found = counted.flatMap((scenario) => scenarioFaults(scenario, expected));
  const { scenarios, passed } = count(counted);
  if (scenarios !== expected.scenarios)
    found.push(`${scenarios} scenarios were run instead of ${expected.scenarios}`);
  if (passed < expected.checks)
    found.push(`${passed} checks passed instead of ${expected.checks}${notes(counted)}`);
  if (run.exitCode === null)
    found.push(`the suite was ended after ${run.elapsedMs} ms, in ${lastBegun(run.output)}`);
  else if (run.exitCode !== 0) found.push(`the suite ended with exit code ${run.exitCode}`);
  // Then it could not even begin, and only its own words say why.
  if (run.exitCode !== 0 && scenarios === 0) found.push(run.output.trim());
  return found;
}

function scenarioFaults({ name, checks }: Scenario, { skipped }: Expected): string[] {
  if (checks === undefined) return [`${name}: began, and left no result`];
  return checks
    .filter(({ status }) => status !== 'SUCCESS' && status !== 'INFO')
    .filter(({ status, id }) => status !== 'SKIPPED' || !skipped?.has(`${name}: ${id}`))
    .map((check) => `${name}: ${check.id}: ${check.status}: ${reason(check)}`);
}

function reason({ errorMessage, description }: Check): string {
  return errorMessage ?? description;
}

/** A check that the suite turned into a remark is missing from the count; the remark says which. */
function notes(scenarios: readonly Scenario[]): string {
  const told = scenarios.flatMap(({ name, checks = [] }) =>
    checks
      .filter(({ status, id }) => status === 'INFO' && !TRAFFIC.test(id))
      .map((check) => `${name}: ${check.id}: ${reason(check)}`),
  );
  return told.length === 0 ? '' : ` (for information: ${told.join('; ')})`;
}

const TRAFFIC = /^(outgoing|incoming|stream)-/;

function lastBegun(output: string): string {
  const begun = [...output.matchAll(/=== Running scenario: (\S+) ===/g)];
  return begun.at(-1)?.[1] ?? 'its beginning';
}
