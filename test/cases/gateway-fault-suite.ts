import { afterAll, beforeAll, describe, expect } from 'vitest';
import { verifies } from '../verifies.ts';
import { openAskStore } from './ask-under-test.ts';
import { nameOf, runGatewayFaults, type GatewaySeen } from './gateway-fault-run.ts';
import { gatewayFaultCases, type GatewayFaultCase } from './gateway-fault-table.ts';
import type { Shape } from './gateway-readers.ts';
import { openSockets } from './provider-under-test.ts';

/** Most of their time they wait for the second that a vendor wants to be left alone. */
const AT_ONCE = 40;
const ALL_MS = 600_000;

/** Every fault against the gateway, in the words of one API. */
export function gatewayFaultSuite(shape: Shape): void {
  const cases = gatewayFaultCases(shape);
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
