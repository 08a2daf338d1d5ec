import { onTestFinished } from 'vitest';
import { SET_UP } from './ask-under-test.ts';
import {
  openGatewayWorld,
  type GatewayRig,
  type GatewayWorld,
  type GatewayWorldOptions,
  type RigOptions,
} from './gateway-under-test.ts';
import { sharedWorld, type SharedWorld } from './shared-world.ts';

/** What the stories of one file share: a store, and vendors and doors that are as new for each of them. */
export interface GatewaySuite extends SharedWorld<GatewayWorld, GatewayWorldOptions> {
  rig(options?: RigOptions): Promise<GatewayRig>;
}

export function gatewaySuite(options: Omit<GatewayWorldOptions, 'store'> = {}): GatewaySuite {
  const shared = sharedWorld<GatewayWorld, GatewayWorldOptions>(
    openGatewayWorld,
    (store, more) => ({ store, ...more }),
    options,
  );
  return {
    ...shared,
    async rig(wanted) {
      const rig = await shared.world().rig(wanted);
      onTestFinished(() => rig.close());
      return rig;
    },
  };
}

/** Every request of every vendor fails so. */
export function allFail({ emulator }: GatewayWorld, id: string, after?: number): void {
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
