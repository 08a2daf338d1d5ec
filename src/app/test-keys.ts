import { keyName, listKeys } from '#config/keys.ts';
import { secretValues } from '#config/mask.ts';
import type { LoadedConfig } from '#config/load.ts';
import { CallError } from '#core/call-error.ts';
import { deadlineIn } from '#core/deadline.ts';
import type { ErrorClass } from '#core/error-class.ts';
import type { Provider } from '#core/provider.ts';
import { createSecret } from '#core/secret.ts';
import type { Log } from '#core/telemetry.ts';
import { createCatalogue } from '#models/catalogue.ts';
import { createGlm } from '#providers/glm/glm.ts';
import { createNetwork } from './outside/network.ts';
import { createProviders } from './outside/providers.ts';
import type { System } from './system.ts';

export interface KeyTest {
  readonly name: string;
  readonly title: string;
  readonly is: 'accepted' | 'refused' | 'unreachable' | 'not set' | 'not tested';
  /** What the provider said, or why it was not asked. */
  readonly words: string;
  readonly fix?: string;
  readonly errorClass?: ErrorClass;
}

const TIMEOUT_MS = 20_000;
const SILENT: Log = {
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
  with: () => SILENT,
};

/** Asks each provider whether it takes its key, all at once and without a daemon. */
export async function testKeys(
  loaded: LoadedConfig,
  { clock, random }: Pick<System, 'clock' | 'random'>,
  name?: string,
): Promise<readonly KeyTest[]> {
  const { config } = loaded;
  const wanted = name === undefined ? undefined : keyName(name);
  const keys = listKeys(loaded).filter((key) => wanted === undefined || key.name === wanted);
  const secrets = () => secretValues(config);
  const network = await createNetwork({ settings: config.network, clock, log: SILENT, secrets });
  const catalogue = createCatalogue();
  const providers = createProviders({
    config,
    network,
    clock,
    random,
    catalogue: () => catalogue,
    customUrl: config.providers.custom.baseUrl,
  });
  const deps = { ...network, clock, random, catalogue: () => catalogue, patience: config.patience };

  const providerOf = (key: string): Provider | undefined => {
    if (key !== 'vision') return [...providers.values()].find(({ id }) => id === key);
    const site = config.vision.mode === 'ZAI' ? 'zai' : 'bigmodel';
    const baseUrl = VISION_URLS[config.vision.mode];
    return createGlm({ baseUrl, key: createSecret(config.vision.apiKey), site }, deps);
  };

  async function test({ name: key, title, set, where }: (typeof keys)[number]): Promise<KeyTest> {
    const about = { name: key, title };
    const isThere = key === 'custom' ? config.providers.custom.baseUrl !== '' : set;
    if (!isThere) return { ...about, is: 'not set', words: `get one from ${where}` };
    const provider = providerOf(key);
    if (!provider) return { ...about, is: 'not tested', words: 'nothing of ours uses it yet' };
    const signal = new AbortController().signal;
    try {
      const words = await provider.check({ signal, deadline: deadlineIn(clock, TIMEOUT_MS) });
      return { ...about, is: 'accepted', words };
    } catch (thrown) {
      const { class: errorClass, message, fix } = CallError.from(thrown);
      const is = REFUSALS.has(errorClass) ? 'refused' : 'unreachable';
      return { ...about, is, words: message, ...(fix !== undefined && { fix }), errorClass };
    }
  }

  try {
    return await Promise.all(keys.map(test));
  } finally {
    await network.close();
  }
}

const REFUSALS: ReadonlySet<ErrorClass> = new Set(['auth', 'billing', 'quota', 'permission']);

const VISION_URLS = {
  ZAI: 'https://api.z.ai/api/paas/v4',
  ZHIPU: 'https://open.bigmodel.cn/api/paas/v4',
} as const;
