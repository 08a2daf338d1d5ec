import { afterAll, beforeAll, describe, expect } from 'vitest';
import { verifies } from '../verifies.ts';
import type { Chain } from './ask-classes.ts';
import { nameOf, runAskFaults, type AskSeen } from './ask-fault-run.ts';
import { askFaultCases, type AskFaultCase } from './ask-fault-table.ts';
import { openAskStore } from './ask-under-test.ts';
import { openSockets } from './provider-under-test.ts';

const AT_ONCE = 24;
const ALL_MS = 600_000;

/** Every fault against asking, for the chains that are wanted. */
export function askFaultSuite(isWanted: (chain: Chain) => boolean): void {
  const cases = askFaultCases().filter(({ chain }) => isWanted(chain));
  const socketsBefore = openSockets();
  let seen: ReadonlyMap<AskFaultCase, AskSeen>;
  let kept: Awaited<ReturnType<typeof openAskStore>>;
  // One after the other those that wait would take many minutes.
  beforeAll(async () => {
    kept = await openAskStore();
    seen = await runAskFaults(cases, kept.store, AT_ONCE);
  }, ALL_MS);
  afterAll(() => kept.close());

  for (const name of new Set(cases.map(({ chain }) => chain.name)))
    describe(`${name}`, () => {
      for (const each of cases.filter(({ chain }) => chain.name === name)) {
        const body = () => expect(seen.get(each)?.wrong).toEqual([]);
        if (each.expected.broken) verifies('ask:once', nameOf(each), body);
        else verifies('ask:faults', nameOf(each), body);
      }
    });

  verifies('ask:faults', 'no socket is left of all these cases', async () => {
    await expect.poll(() => openSockets()).toBeLessThanOrEqual(socketsBefore);
  });
}
