import { onTestFinished } from 'vitest';
import { SET_UP } from './ask-under-test.ts';
import {
  openGatewayHarness,
  type GatewayRig,
  type GatewayHarness,
  type GatewayHarnessOptions,
  type RigOptions,
} from './gateway-under-test.ts';
import { sharedHarness, type SharedHarness } from './shared-harness.ts';

/**
 * What the stories of one file share: a store, and vendors and transports that are as new for each of
 * them.
 */
export interface GatewaySuite extends SharedHarness<GatewayHarness, GatewayHarnessOptions> {
  rig(options?: RigOptions): Promise<GatewayRig>;
}

export function gatewaySuite(options: Omit<GatewayHarnessOptions, 'store'> = {}): GatewaySuite {
  const shared = sharedHarness<GatewayHarness, GatewayHarnessOptions>(
    openGatewayHarness,
    (store, more) => ({ store, ...more }),
    options,
  );
  return {
    ...shared,
    async rig(wanted) {
      const rig = await shared.harness().rig(wanted);
      onTestFinished(() => rig.close());
      return rig;
    },
  };
}

/** Every request of every vendor fails so. */
export function allFail({ emulator }: GatewayHarness, id: string, after?: number): void {
  for (const vendor of Object.values(SET_UP)) {
    emulator.fault({
      id,
      vendor,
      path: 'chat',
      times: 0,
      ...(after !== undefined && { after }),
    });
  }
}
