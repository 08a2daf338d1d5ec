import { onTestFinished } from 'vitest';
import {
  openAskWorld,
  SET_UP,
  type Asked,
  type AskRig,
  type AskWorld,
  type ManageOptions,
  type WorldOptions,
} from './ask-under-test.ts';
import { sharedWorld, type SharedWorld } from './shared-world.ts';

/** What the stories of one file share: a store, and vendors that are as new for each of them. */
export interface AskSuite extends SharedWorld<AskWorld, WorldOptions> {
  rig(options?: ManageOptions): Promise<AskRig>;
}

export function askSuite(options: Omit<WorldOptions, 'store'> = {}): AskSuite {
  const shared = sharedWorld<AskWorld, WorldOptions>(
    openAskWorld,
    (store, more) => ({ store, ...more }),
    options,
  );
  return {
    ...shared,
    async rig(manage) {
      const world = shared.world();
      world.manner = 'exactly';
      const rig = await world.manage(manage);
      onTestFinished(() => rig.close());
      return rig;
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
