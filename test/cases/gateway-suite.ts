import { afterAll, beforeAll, onTestFinished } from 'vitest';
import type { Store } from '#core/stores/store.ts';
import { openAskStore, SET_UP } from './ask-under-test.ts';
import {
  openGatewayWorld,
  type GatewayRig,
  type GatewayWorld,
  type GatewayWorldOptions,
  type RigOptions,
} from './gateway-under-test.ts';

/** What the stories of one file share: a store, and vendors and doors that are as new for each of them. */
export interface GatewaySuite {
  world(): GatewayWorld;
  rig(options?: RigOptions): Promise<GatewayRig>;
  /** Vendors and doors of its own, set up in another way, for one story. */
  another(options: Partial<GatewayWorldOptions>): Promise<GatewayWorld>;
  store(): Store;
}

export function gatewaySuite(options: Omit<GatewayWorldOptions, 'store'> = {}): GatewaySuite {
  let kept: Awaited<ReturnType<typeof openAskStore>> | undefined;
  let shared: GatewayWorld | undefined;
  beforeAll(async () => {
    kept = await openAskStore();
    shared = await openGatewayWorld({ ...options, store: kept.store });
  });
  afterAll(async () => {
    await shared?.close();
    await kept?.close();
  });
  const store = () => {
    if (!kept) throw new Error('The store is not open.');
    return kept.store;
  };
  const world = () => {
    if (!shared) throw new Error('The doors are not open.');
    return shared;
  };
  return {
    world,
    store,
    async rig(wanted) {
      const rig = await world().rig(wanted);
      onTestFinished(() => rig.close());
      return rig;
    },
    async another(more) {
      const other = await openGatewayWorld({ store: store(), ...more });
      onTestFinished(() => other.close());
      return other;
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
