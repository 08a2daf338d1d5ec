import type { Config } from '#config/schema/config.schema.ts';
import { addedNames, keyName, listKeys, type KeyInfo } from '#config/secrets/keys.ts';
import { secretValues } from '#config/secrets/mask.ts';
import type { LoadedConfig } from '#config/load/load.ts';
import { CallError } from '#core/errors/call-error.ts';
import { deadlineIn } from '#core/time/deadline.ts';
import type { ErrorClass } from '#core/errors/error-class.ts';
import type { Provider } from '#core/llm/provider.ts';
import { findProvider } from '#core/providers/list.ts';
import { createSecret } from '#core/secrets/secret.ts';
import { createCatalogue } from '#models/catalogue.ts';
import { createGlm } from '#providers/glm/glm.ts';
import { addressOf, addressPath, fixOf, type AskedAddress } from '../providers/address-hint.ts';
import { addedProviders } from '../providers/added-providers.ts';
import { baseUrlsOf } from '../providers/catalogue-holder.ts';
import { findCustomServer } from '../providers/custom-server.ts';
import { createNetwork } from '../providers/network.ts';
import { createProviders } from '../providers/providers.ts';
import { SILENT_LOG } from '../providers/silent-log.ts';
import type { System } from '../system.ts';

export interface KeyTest {
  readonly name: string;
  readonly title: string;
  /**
   * `no balance`: the provider accepts the key and answers nothing until its account is topped up.
   * `failed`: it answered, but neither accepted nor refused the key.
   */
  readonly is:
    | 'accepted'
    | 'no balance'
    | 'refused'
    | 'failed'
    | 'unreachable'
    | 'not set'
    | 'not tested';
  /** The host that was asked. */
  readonly host?: string;
  /** The provider's answer, or the reason why it was not tested. */
  readonly words: string;
  readonly fix?: string;
  readonly errorClass?: ErrorClass;
}

export interface KeyTestOptions extends Pick<System, 'clock' | 'random'> {
  /** Tests only this key, by its name or one of its variables. */
  readonly name?: string;
  /** How long each provider may take; 10 seconds by default. */
  readonly timeoutMs?: number;
  /** Called with the providers whose answers are pending, whenever that changes. */
  onWaiting?(names: readonly string[]): void;
}

const TIMEOUT_MS = 10_000;

/** Tests the keys of all providers in parallel, without a daemon. */
export async function testKeys(
  loaded: LoadedConfig,
  options: KeyTestOptions,
): Promise<readonly KeyTest[]> {
  const { config } = loaded;
  const wanted = options.name === undefined ? undefined : keyName(options.name, addedNames(loaded));
  const keys = listKeys(loaded).filter((key) => wanted === undefined || key.name === wanted);
  const secrets = () => secretValues(config);
  const { clock } = options;
  const network = await createNetwork({
    settings: config.network,
    clock,
    log: SILENT_LOG,
    secrets,
  });
  const waiting = new Set(keys.map(({ name }) => name));
  options.onWaiting?.([...waiting]);
  try {
    const isCustom = wanted === undefined || wanted === 'custom';
    const customUrl = isCustom
      ? await findCustomServer(config.providers.custom, network.http, clock, SILENT_LOG)
      : '';
    const askedOf = createAsked(loaded, options, network, customUrl);
    return await Promise.all(
      keys.map(async (key) => {
        const test = await testKey(key, askedOf(key), options);
        waiting.delete(key.name);
        options.onWaiting?.([...waiting]);
        return test;
      }),
    );
  } finally {
    await network.close();
  }
}

interface Asked {
  readonly provider?: Provider;
  readonly address?: AskedAddress;
  /** Why it cannot be tested. */
  readonly lacks?: string;
}

/** The provider and address to test a key with. */
function createAsked(
  { config, origins }: LoadedConfig,
  { clock, random }: KeyTestOptions,
  network: Awaited<ReturnType<typeof createNetwork>>,
  customUrl: string,
): (key: KeyInfo) => Asked {
  const known = createCatalogue();
  const catalogue = () => known;
  const providers = createProviders({ config, network, clock, random, catalogue, customUrl });
  const baseUrls = baseUrlsOf(config, customUrl);
  const added = addedProviders(config);
  return ({ name, set, where }) => {
    const own = added.find(({ id }) => id === name);
    if (own?.lacks) return { lacks: own.lacks.fix };
    const isServer = findProvider(name)?.needs === 'address';
    if (isServer && customUrl === '') return { lacks: noServer(config) };
    if (!own && !isServer && !set) return { lacks: `get one from ${where}` };
    if (name === 'vision') {
      const deps = { ...network, clock, random, catalogue, timeouts: config.timeouts };
      return { provider: visionProvider(config, deps) };
    }
    const provider = [...providers.values()].find(({ id }) => id === name);
    if (!provider) return {};
    const { id } = provider;
    const address = addressOf(id, baseUrls[id], origins.get(addressPath(id)));
    return { provider, ...(address && { address }) };
  };
}

async function testKey(
  { name, title }: KeyInfo,
  { provider, address, lacks }: Asked,
  { clock, timeoutMs = TIMEOUT_MS }: KeyTestOptions,
): Promise<KeyTest> {
  const host = address && new URL(address.baseUrl).host;
  const about = { name, title, ...(host !== undefined && { host }) };
  if (lacks !== undefined) return { ...about, is: 'not set', words: lacks };
  if (!provider) return { ...about, is: 'not tested', words: 'nothing of ours uses it yet' };
  const signal = new AbortController().signal;
  try {
    const words = await provider.check({ signal, deadline: deadlineIn(clock, timeoutMs) });
    return { ...about, is: 'accepted', words };
  } catch (thrown) {
    const error = CallError.from(thrown);
    const fix = fixOf(error, address);
    return {
      ...about,
      is: OUTCOMES[error.class] ?? 'failed',
      words: wordsOf(error, address?.baseUrl, timeoutMs),
      ...(fix !== undefined && { fix }),
      errorClass: error.class,
    };
  }
}

const OUTCOMES: Partial<Record<ErrorClass, KeyTest['is']>> = {
  auth: 'refused',
  billing: 'no balance',
  quota: 'no balance',
  permission: 'refused',
  network: 'unreachable',
  timeout: 'unreachable',
};

function wordsOf(
  { class: errorClass, message }: CallError,
  baseUrl: string | undefined,
  timeoutMs: number,
): string {
  if (errorClass !== 'timeout' || baseUrl === undefined) return message;
  return `${new URL(baseUrl).host} did not answer within ${timeoutMs / 1000} seconds.`;
}

function noServer({ providers }: Config): string {
  return providers.custom.discover
    ? 'no server found on the usual ports'
    : 'no address; set CUSTOM_API_URL, or CUSTOM_DISCOVER=true to look for one on this machine';
}

const VISION_URLS = {
  ZAI: 'https://api.z.ai/api/paas/v4',
  ZHIPU: 'https://open.bigmodel.cn/api/paas/v4',
} as const;

function visionProvider({ vision }: Config, deps: Parameters<typeof createGlm>[1]): Provider {
  const site = vision.mode === 'ZAI' ? 'zai' : 'bigmodel';
  const baseUrl = VISION_URLS[vision.mode];
  return createGlm({ baseUrl, key: createSecret(vision.apiKey), site }, deps);
}
