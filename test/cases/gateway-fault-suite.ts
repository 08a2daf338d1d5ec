import { afterAll, beforeAll, describe, expect } from 'vitest';
import { covering } from '../thorough.ts';
import { verifies } from '../verifies.ts';
import { leaderOf } from './ask-fault-row.ts';
import { ASK_FAULT_TABLE } from './ask-fault-table.ts';
import { openAskStore } from './ask-under-test.ts';
import { nameOf, runGatewayFaults, type GatewaySeen } from './gateway-fault-run.ts';
import { gatewayFaultCases, type GatewayFaultCase } from './gateway-fault-table.ts';
import type { Shape } from './gateway-readers.ts';
import { openSockets } from './provider-under-test.ts';

/** Most of their time they wait for the second that a vendor wants to be left alone. */
const AT_ONCE = 24;
const ALL_MS = 600_000;

/** Every fault against the gateway, in the words of one API. */
export function gatewayFaultSuite(shape: Shape): void {
  const all = (['openai', 'anthropic'] as const).flatMap(gatewayFaultCases);
  const cases = covering(all, combinationsOf).filter((each) => each.shape === shape);
  const socketsBefore = openSockets();
  let seen: ReadonlyMap<GatewayFaultCase, GatewaySeen>;
  let kept: Awaited<ReturnType<typeof openAskStore>>;
  // One after the other those that wait would take many minutes.
  beforeAll(async () => {
    kept = await openAskStore();
    seen = await runGatewayFaults(cases, kept.store, AT_ONCE);
  }, ALL_MS);
  afterAll(() => kept.close());

  for (const fault of new Set(cases.map(({ row }) => row.fault)))
    describe(`${fault}`, () => {
      for (const each of cases.filter(({ row }) => row.fault === fault)) {
        const body = () => expect(seen.get(each)?.wrong).toEqual([]);
        const isMended = each.expected.broken && each.often !== 'everybody';
        if (isMended) verifies('gateway:survives', nameOf(each), body);
        else verifies('gateway:faults', nameOf(each), body);
      }
    });

  verifies('gateway:faults', 'no socket is left of all these cases', async () => {
    await expect.poll(() => openSockets()).toBeLessThanOrEqual(socketsBefore);
  });
}

/**
 * Every fault with each outcome, whole and streamed, as often as it may befall; in the words of each
 * API by whoever leads; and every chain with whatever can come of a fault.
 */
function combinationsOf({
  row,
  chain,
  delivery,
  often,
  shape,
  expected,
}: GatewayFaultCase): string[] {
  const at = ASK_FAULT_TABLE.indexOf(row);
  return [
    `${at} ${delivery} ${often}`,
    `${at} ${JSON.stringify(expected)}`,
    `${at} ${shape} ${delivery}`,
    `${at} ${shape} ${often}`,
    `${at} ${shape} ${leaderOf(chain)}`,
    `${shape} ${chain.name} ${delivery} ${often} ${expected.does} ${expected.broken}`,
  ];
}
