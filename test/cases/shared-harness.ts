import { afterAll, beforeAll, onTestFinished } from 'vitest';
import type { Store } from '#core/stores/store.ts';
import { openAskStore } from './ask-under-test.ts';

interface Closable {
  close(): Promise<void>;
}

/** What the stories of one file share: a store, and a harness on it. */
export interface SharedHarness<World, Options> {
  harness(): World;
  store(): Store;
  /**
   * A harness of its own, set up in another way, for one story. Stories that run beside each other
   * say whose end closes it.
   */
  another(options: Partial<Options>, atEnd?: typeof onTestFinished): Promise<World>;
}

export function sharedHarness<World extends Closable, Options extends { readonly store: Store }>(
  open: (options: Options) => Promise<World>,
  toOptions: (store: Store, more: Partial<Options>) => Options,
  options: Partial<Options>,
): SharedHarness<World, Options> {
  let kept: Awaited<ReturnType<typeof openAskStore>> | undefined;
  let shared: World | undefined;
  beforeAll(async () => {
    kept = await openAskStore();
    shared = await open(toOptions(kept.store, options));
  });
  afterAll(async () => {
    await shared?.close();
    await kept?.close();
  });
  const store = () => {
    if (!kept) throw new Error('The store is not open.');
    return kept.store;
  };
  return {
    store,
    harness() {
      if (!shared) throw new Error('The harness is not there.');
      return shared;
    },
    async another(more, atEnd = onTestFinished) {
      const other = await open(toOptions(store(), more));
      atEnd(() => other.close());
      return other;
    },
  };
}
