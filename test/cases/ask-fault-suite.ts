import { afterAll, beforeAll, describe, expect } from 'vitest';
import { covering } from '../thorough.ts';
import { verifies } from '../verifies.ts';
import type { Chain } from './ask-classes.ts';
import { nameOf, runAskFaults, type AskSeen } from './ask-fault-run.ts';
import { leaderOf } from './ask-fault-row.ts';
import { ASK_FAULT_TABLE, askFaultCases, type AskFaultCase } from './ask-fault-table.ts';
import { openAskStore } from './ask-under-test.ts';
import { openSockets } from './provider-under-test.ts';

const AT_ONCE = 24;
const ALL_MS = 600_000;

/** Every fault against asking, for the chains that are wanted. */
export function askFaultSuite(isWanted: (chain: Chain) => boolean): void {
  const cases = covering(askFaultCases(), combinationsOf).filter(({ chain }) => isWanted(chain));
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

/**
 * Every fault by whoever leads, with each outcome, whole and streamed, once and always; and every
 * chain with each fault of the list, and with whatever can come of one.
 */
function combinationsOf({ row, chain, delivery, often, expected }: AskFaultCase): string[] {
  const at = ASK_FAULT_TABLE.indexOf(row);
  const how = `${delivery} ${often}`;
  return [
    `${at} ${how}`,
    `${at} ${leaderOf(chain)}`,
    `${at} ${JSON.stringify(expected)}`,
    `${chain.name} ${row.fault}`,
    `${chain.name} ${how} ${expected.does} ${expected.broken}`,
  ];
}
