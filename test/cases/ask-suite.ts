import { onTestFinished } from 'vitest';
import {
  openAskHarness,
  SET_UP,
  type Asked,
  type AskRig,
  type AskHarness,
  type ManageOptions,
  type AskHarnessOptions,
} from './ask-under-test.ts';
import { sharedHarness, type SharedHarness } from './shared-harness.ts';

/** What the stories of one file share: a store, and vendors that are as new for each of them. */
export interface AskSuite extends SharedHarness<AskHarness, AskHarnessOptions> {
  rig(options?: ManageOptions): Promise<AskRig>;
}

export function askSuite(options: Omit<AskHarnessOptions, 'store'> = {}): AskSuite {
  const shared = sharedHarness<AskHarness, AskHarnessOptions>(
    openAskHarness,
    (store, more) => ({ store, ...more }),
    options,
  );
  return {
    ...shared,
    async rig(manage) {
      const harness = shared.harness();
      harness.manner = 'exactly';
      const rig = await harness.manage(manage);
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
export function allFail({ emulator }: AskHarness, id: string): void {
  for (const vendor of Object.values(SET_UP)) {
    emulator.fault({ id, vendor, path: 'chat', times: 0 });
  }
}
