/** The conformance suite of MCP, run as it is published, against a server at a URL. */
import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readScenarios, type ConformanceRun, type Expected } from './conformance-report.ts';

export interface ConformanceSet extends Expected {
  readonly name: string;
  readonly args: readonly string[];
}

/**
 * A set of requirements brings scenarios that it runs and does not score: those written after the
 * revision, and those that the suite's own server does not pass. They are expected here as well.
 */
export const REQUIREMENTS_2025: ConformanceSet = {
  name: '2025-11-25',
  args: ['--requirements', '2025-11-25'],
  scenarios: 33,
  checks: 84,
};
export const REQUIREMENTS_2026: ConformanceSet = {
  name: '2026-07-28',
  args: ['--requirements', '2026-07-28'],
  scenarios: 49,
  checks: 196,
  // The suite has this scenario, and passes over all of it.
  leftOut: /^tasks-status-notifications$/,
};
/** Those of the same run that no revision requires. */
export const TASKS_EXTENSION: Expected = {
  scenarios: 9,
  checks: 44,
  leftOut: /^(?!tasks-)|^tasks-status-notifications$/,
};
export const DNS_REBINDING: ConformanceSet = {
  name: 'dns-rebinding-protection',
  args: ['--scenario', 'dns-rebinding-protection'],
  scenarios: 1,
  checks: 2,
};

const MODULES = fileURLToPath(new URL('../tools/conformance/node_modules/', import.meta.url));
const MACHINE = `${process.platform}-${process.arch}`;
// The suite does not start on Node 20.
const NODE = join(MODULES, `node22-${MACHINE}`, 'bin/node');
const SUITE = join(MODULES, '@modelcontextprotocol/conformance/dist/index.js');
const RUN_MS = 150_000;

/** Why the suite cannot be run on this machine, if it cannot. */
export function whyNotRunnable(): string | undefined {
  if (!existsSync(SUITE))
    return 'the conformance suite is not installed; install it with: npm ci --prefix test/tools/conformance';
  if (!existsSync(NODE)) return `there is no Node 22 for ${MACHINE} to run the conformance suite`;
  return undefined;
}

/** Runs a part of the suite for servers to its end, or for as long as it may take. */
export function runSuite(
  url: string,
  args: readonly string[],
  onOutput?: (text: string) => void,
): Promise<ConformanceRun> {
  return run(['server', '--url', url, ...args], onOutput);
}

/** What `list` prints with these arguments. */
export function listScenarios(...args: readonly string[]): string {
  return execFileSync(NODE, [SUITE, 'list', ...args], { encoding: 'utf8' });
}

/** Runs the suite with any arguments. */
export async function run(
  args: readonly string[],
  onOutput: (text: string) => void = () => {},
): Promise<ConformanceRun> {
  const missing = whyNotRunnable();
  if (missing !== undefined) throw new Error(missing);
  const folder = mkdtempSync(join(tmpdir(), 'exai-conformance-'));
  const startedAt = performance.now();
  try {
    const child = spawn(NODE, [SUITE, ...args, '-o', folder], {
      env: { HOME: folder, NO_COLOR: '1', PATH: process.env['PATH'] ?? '' },
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: RUN_MS,
      killSignal: 'SIGKILL',
    });
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => {
        output += text;
        onOutput(text);
      });
    const exitCode = await new Promise<number | null>((resolve, reject) => {
      child.once('error', reject);
      child.once('close', resolve);
    });
    const elapsedMs = Math.round(performance.now() - startedAt);
    return { exitCode, scenarios: readScenarios(folder), output, elapsedMs };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
