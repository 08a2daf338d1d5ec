import { describe, expect } from 'vitest';
import { verifies } from '../verifies.ts';
import { faults } from './conformance-report.ts';
import {
  DNS_REBINDING,
  REQUIREMENTS_2025,
  REQUIREMENTS_2026,
  runSuite,
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
      expect(await faultsFound(REQUIREMENTS_2026)).toEqual([]);
    },
  );

  verifies(
    'mcp:dns-rebinding',
    'finds a foreign Host and Origin refused, and a local one served',
    async () => {
      expect(await faultsFound(DNS_REBINDING)).toEqual([]);
    },
  );
});

/** Each has a daemon of its own, so that what one run changes is no part of another. */
async function faultsFound(set: ConformanceSet): Promise<string[]> {
  const { url } = await createHome().serve(['--conformance']);
  return faults(await runSuite(`${url}/mcp`, set.args), set);
}
