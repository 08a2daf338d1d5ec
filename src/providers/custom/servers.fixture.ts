import { afterAll, afterEach, beforeAll } from 'vitest';
import { createSecret } from '#core/secrets/secret.ts';
import { realClock } from '#net/net.fixture.ts';
import { createLocalVendors } from '../../../emulator/local/local.ts';
import { startEmulator, type Emulator } from '../../../emulator/start.ts';
import type { ProviderDeps } from '../provider-deps.ts';
import { createCustom, type CustomSettings } from './custom.ts';
import { asking, realDeps } from './custom.fixture.ts';

/** The four servers, emulated for the tests of one file. */
export interface EmulatedServers {
  readonly emulator: () => Emulator;
  readonly deps: () => ProviderDeps;
  readonly setUp: (
    flavour: string,
    model?: string,
    more?: Partial<CustomSettings>,
  ) => ReturnType<typeof asking> & {
    /** Bodies of the chats that arrived. */
    readonly chats: () => readonly Record<string, unknown>[];
  };
}

export function emulatedServers(): EmulatedServers {
  let emulator: Emulator;
  let deps: ProviderDeps;
  beforeAll(async () => {
    emulator = await startEmulator({ vendors: createLocalVendors() });
    deps = realDeps(realClock);
  });
  afterEach(() => emulator.reset());
  afterAll(async () => {
    await deps.http.close();
    await deps.publicHttp.close();
    await emulator.close();
  });
  return {
    emulator: () => emulator,
    deps: () => deps,
    setUp(flavour, model = '', more = {}) {
      const settings = { baseUrl: `${emulator.url}/${flavour}/v1`, key: createSecret(''), ...more };
      return {
        ...asking(createCustom({ ...settings, model }, deps), deps.clock),
        chats: () =>
          emulator
            .requests()
            .filter(({ path }) => path.endsWith('/chat/completions'))
            .map(({ body }) => body as Record<string, unknown>),
      };
    },
  };
}
