import { describe, expect } from 'vitest';
import { lazy } from '#core/lazy.ts';
import { verifies } from '../verifies.ts';
import { CLIENT, CLIENT_AUTHORIZATION, runClientSuite } from './conformance-clients.ts';
import { faults, type ConformanceRun } from './conformance-report.ts';
import {
  DNS_REBINDING,
  REQUIREMENTS_2025,
  REQUIREMENTS_2026,
  runSuite,
  TASKS_EXTENSION,
  whyNotRunnable,
  type ConformanceSet,
} from './conformance-suite.ts';
import { createHome } from './exai.ts';

const missing = whyNotRunnable();
const skipped = missing !== undefined && !process.env['CI'];
if (skipped) console.warn(`The conformance tests are skipped: ${missing}.`);

// In CI nothing is skipped: there a suite that cannot be run fails.
describe.skipIf(skipped)('the conformance suite of MCP', () => {
  verifies(
    'mcp:conformance-2025',
    'finds all that 2025-11-25 asks for, with sessions that end and streams that are taken up again',
    async () => {
      expect(await faultsFound(REQUIREMENTS_2025)).toEqual([]);
    },
  );

  verifies(
    'mcp:conformance-2026',
    'finds all that 2026-07-28 asks for, with headers that are checked and schemas that are kept',
    async () => {
      expect(faults(await newest(), REQUIREMENTS_2026)).toEqual([]);
    },
  );

  verifies(
    'tasks:conformance',
    'finds all that the tasks extension asks for, what tasks ask in between included',
    async () => {
      expect(faults(await newest(), TASKS_EXTENSION)).toEqual([]);
    },
  );

  verifies(
    'mcp:dns-rebinding',
    'finds a foreign Host and Origin refused, and a local one served',
    async () => {
      expect(await faultsFound(DNS_REBINDING)).toEqual([]);
    },
  );

  verifies(
    'hub:conformance',
    'finds that the hub is a client as MCP wants it, in both eras',
    async () => {
      expect(faults(await runClientSuite('core'), CLIENT)).toEqual([]);
    },
    1_200_000,
  );

  // Each of 43 scenarios starts the suite and a client of it.
  verifies(
    'hub:conformance',
    'finds that the hub logs in to servers as MCP wants it',
    async () => {
      const run = await runClientSuite('authorization');
      expect(faults(run, CLIENT_AUTHORIZATION)).toEqual([]);
    },
    1_200_000,
  );
});

/** What two tests look at, each its part. */
const newest = lazy(() => runOf(REQUIREMENTS_2026));

async function faultsFound(set: ConformanceSet): Promise<string[]> {
  return faults(await runOf(set), set);
}

/** Each has a daemon of its own, so that what one run changes is no part of another. */
async function runOf(set: ConformanceSet): Promise<ConformanceRun> {
  const { url } = await createHome().serve(['--conformance']);
  return runSuite(`${url}/mcp`, set.args);
}
