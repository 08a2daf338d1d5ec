import { afterAll, beforeAll, onTestFinished } from 'vitest';
import {
  openAskStore,
  openAskWorld,
  SET_UP,
  type Asked,
  type AskRig,
  type AskWorld,
  type ManageOptions,
  type WorldOptions,
} from './ask-under-test.ts';

/** What the stories of one file share: a store, and vendors that are as new for each of them. */
export interface AskSuite {
  world(): AskWorld;
  rig(options?: ManageOptions): Promise<AskRig>;
  /** Vendors of its own, set up in another way, for one story. */
  another(options: Partial<WorldOptions>): Promise<AskWorld>;
  store(): WorldOptions['store'];
}

export function askSuite(options: Omit<WorldOptions, 'store'> = {}): AskSuite {
  let kept: Awaited<ReturnType<typeof openAskStore>> | undefined;
  let shared: AskWorld | undefined;
  beforeAll(async () => {
    kept = await openAskStore();
    shared = await openAskWorld({ ...options, store: kept.store });
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
    if (!shared) throw new Error('The vendors are not there.');
    return shared;
  };
  return {
    world,
    store,
    async rig(manage) {
      world().manner = 'exactly';
      const rig = await world().manage(manage);
      onTestFinished(() => rig.close());
      return rig;
    },
    async another(more) {
      const other = await openAskWorld({ store: store(), ...more });
      onTestFinished(() => other.close());
      return other;
    },
  };
}

/** `glm-5.3 ok`, in the order in which they were asked. */
export function attemptsOf({ reports }: Pick<Asked, 'reports'>): readonly string[] {
  return (reports[0]?.attempts ?? []).map(({ model, outcome }) => `${model} ${outcome}`);
}

/** Every request of every vendor fails so. */
export function allFail({ emulator }: AskWorld, id: string): void {
  for (const vendor of Object.values(SET_UP)) {
    emulator.fault({ id, vendor, path: 'chat', times: 0 });
  }
}
