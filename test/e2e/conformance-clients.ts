/** The conformance suite of MCP for clients, run against the client side of the hub. */
import { openConformanceDriver } from './conformance-driver.ts';
import type { ConformanceRun, Scenario } from './conformance-report.ts';
import { listScenarios, run, type ConformanceSet } from './conformance-suite.ts';

/** All scenarios for clients but those of authorization, which are below. */
export const CLIENT: ConformanceSet = {
  name: 'client',
  args: [],
  scenarios: 17,
  checks: 84,
  // What the suite itself says it cannot look at: capabilities that the client of the call does not
  // have, the handshake of the other era, and an extension that the hub does not use.
  skipped: new Set([
    'request-metadata: sep-2575-client-declares-roots-capability',
    'request-metadata: sep-2575-client-declares-sampling-capability',
    'http-standard-headers: sep-2243-client-includes-standard-headers',
    'sep-2640-client-no-prefetch: sep-2640-host-no-prefetch',
    'sep-2640-client-verify-digest: sep-2640-host-verify-digest',
    'sep-2640-client-verify-size: sep-2640-host-size-mismatch-failure',
    'sep-2640-client-verify-frontmatter: sep-2640-host-frontmatter-comparison',
  ]),
};

/**
 * Scenarios of authorization: a login with a browser that agrees, at every revision that has them, and
 * tokens for a client without a user.
 */
export const CLIENT_AUTHORIZATION: ConformanceSet = {
  name: 'client, authorization',
  args: [],
  scenarios: 43,
  checks: 720,
};

const AUTHORIZATION = 'auth/';
/** Extensions that the hub does not have: bound tokens, and logins by an employer or a workload. */
const UNSUPPORTED: ReadonlySet<string> = new Set([
  'auth/dpop',
  'auth/dpop-nonce',
  'auth/enterprise-managed-authorization',
  'auth/wif-jwt-bearer',
]);
/** The newest of each era. */
const REVISIONS: readonly string[] = ['2025-11-25', '2026-07-28'];
const AT_ONCE = 3;
const TIMEOUT_MS = 120_000;

interface ClientScenario {
  readonly name: string;
  /** Absent: it belongs to an extension, and the suite chooses. */
  readonly revision?: string;
}

/** Runs the scenarios of a set, or one scenario, at every revision, as if it was one run. */
export async function runClientSuite(
  set: 'core' | 'authorization' | { readonly only: string },
  onOutput?: (text: string) => void,
): Promise<ConformanceRun> {
  const left = clientScenarios().filter(({ name }) => {
    if (typeof set === 'object') return name === set.only;
    const isAuthorization = name.startsWith(AUTHORIZATION) && !UNSUPPORTED.has(name);
    return set === 'authorization' ? isAuthorization : !name.startsWith(AUTHORIZATION);
  });
  const runs: { readonly scenario: ClientScenario; readonly run: ConformanceRun }[] = [];
  const driver = await openConformanceDriver();
  const play = async (scenario: ClientScenario) => ({
    scenario,
    run: await runScenario(driver.command, scenario, onOutput),
  });
  const work = async (): Promise<void> => {
    for (let next = left.shift(); next; next = left.shift()) runs.push(await play(next));
  };
  try {
    await Promise.all(Array.from({ length: AT_ONCE }, work));
    // The suite measures times, such as that of a reconnection: a busy machine gets a second try, alone.
    for (const [at, { scenario, run }] of runs.entries())
      if (run.exitCode !== 0) runs[at] = await play(scenario);
  } finally {
    await driver.close();
  }
  return asOneRun(runs.map(({ run }) => run));
}

function asOneRun(runs: readonly ConformanceRun[]): ConformanceRun {
  const failed = runs.find(({ exitCode }) => exitCode !== 0);
  return {
    exitCode: failed ? failed.exitCode : 0,
    scenarios: runs.flatMap(({ scenarios }) => scenarios).sort(byName),
    output: runs.map(({ output }) => output).join('\n'),
    elapsedMs: runs.reduce((sum, { elapsedMs }) => sum + elapsedMs, 0),
  };
}

function runScenario(
  client: string,
  { name, revision }: ClientScenario,
  onOutput?: (text: string) => void,
) {
  const version = revision === undefined ? [] : ['--spec-version', revision];
  const command = ['--command', client, '--timeout', String(TIMEOUT_MS)];
  return run(['client', ...command, '--scenario', name, ...version], onOutput);
}

function clientScenarios(): ClientScenario[] {
  const listed = listScenarios('--client');
  return [...listed.matchAll(/^ {2}- (\S+) \[(.*)\]$/gm)].flatMap(
    ([, name = '', versions = '']) => {
      if (versions === 'extension') return [{ name }];
      const all = versions.split(',');
      const dated = REVISIONS.filter((each) => all.includes(each));
      // Those of earlier revisions: how servers authorized before.
      return (dated.length > 0 ? dated : all).map((revision) => ({ name, revision }));
    },
  );
}

function byName(one: Scenario, other: Scenario): number {
  return one.name < other.name ? -1 : 1;
}
