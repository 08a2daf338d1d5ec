import { capacityOf } from '#calls/call-limits.ts';
import type { Config } from '#config/schema/config.schema.ts';
import { splitKeys } from '#config/secrets/mask.ts';
import type { Clock } from '#core/time/clock.ts';
import type { Provider, ProviderId } from '#core/llm/provider.ts';
import type { Random } from '#core/random.ts';
import { endpointOf } from '#core/providers/kimi-plan.ts';
import {
  CONFIGURED_PROVIDERS,
  isLimited,
  PROVIDERS,
  type ConfiguredProviderId,
} from '#core/providers/list.ts';
import { createSecret, type Secret } from '#core/secrets/secret.ts';
import { listedReasons } from '#models/model-lists.ts';
import type { Catalogue } from '#models/model.ts';
import { createAdded } from '#providers/added/added.ts';
import { createCustom } from '#providers/custom/custom.ts';
import { createGlm } from '#providers/glm/glm.ts';
import { createKimi } from '#providers/kimi/kimi.ts';
import { createExtractive } from '#providers/extractive/extractive.ts';
import { createKeyPool } from '#providers/key-pool/key-pool.ts';
import { createOpenRouter } from '#providers/openrouter/openrouter.ts';
import type { ProviderDeps } from '#providers/provider-deps.ts';
import { createAdaptiveCapacity } from '#resilience/adaptive-capacity.ts';
import { createLimiter } from '#resilience/limiter.ts';
import { accountDigests } from '../manager/account-digests.ts';
import { addedProviders, type AddedProvider } from './added-providers.ts';
import { createVendorLimit, type VendorLimiter } from './vendor-limit.ts';
import type { Network } from './network.ts';

export interface ProvidersOptions {
  readonly config: Pick<Config, 'providers' | 'models' | 'timeouts' | 'limits'>;
  readonly network: Pick<Network, 'http' | 'publicHttp'>;
  readonly clock: Clock;
  readonly random: Random;
  readonly catalogue: () => Catalogue;
  /** The URL of the user's own server, by setting or by discovery; empty if there is none. */
  readonly customUrl: string;
  /** Keys of earlier settings: a vendor may still send one back. */
  readonly knownKeys?: readonly string[];
  /** Shared by the providers of successive settings; by default a new one. */
  readonly limiter?: VendorLimiter;
}

export type Providers = ReadonlyMap<ProviderId, Provider>;

type Settings<Id extends ConfiguredProviderId> = Omit<Config['providers'][Id], 'apiKey'> & {
  readonly key: Secret;
};
type Creators = {
  readonly [Id in ConfiguredProviderId]: (settings: Settings<Id>, deps: ProviderDeps) => Provider;
};

/** The function that creates each provider from its section of the settings. */
const CREATORS: Creators = {
  kimi: createKimi,
  glm: createGlm,
  custom: createCustom,
  openrouter: createOpenRouter,
};

/**
 * Limits concurrent requests to each vendor by the current settings, and below them by what the
 * account has been found to allow. Several keys are several accounts: only the settings limit them.
 */
export function createVendorLimiter(
  config: () => Pick<Config, 'limits' | 'providers'>,
  clock: Clock,
): VendorLimiter {
  const adaptive = createAdaptiveCapacity(clock, () => limiter.capacityChanged());
  // Read from the settings once, as every request asks for it.
  const pools = new WeakMap<object, Map<string, Pool>>();
  function poolNow(name: string): Pool {
    const settings = config();
    const known = pools.get(settings) ?? new Map<string, Pool>();
    const pool = known.get(name) ?? poolOf(name, settings);
    if (!known.has(name)) pools.set(settings, known.set(name, pool));
    return pool;
  }
  const used = new Set<string>();
  const capacitiesOf = (pool: string) => {
    const { ceiling, keys } = poolNow(pool);
    return { ceiling, now: keys > 1 ? ceiling : adaptive.of(pool, ceiling) };
  };
  const limiter = createLimiter({
    capacity(pool) {
      used.add(pool);
      return capacitiesOf(pool).now;
    },
    get maxWaiting() {
      // Who waits only because a capacity is still being learnt has a slot by the settings.
      const slots = [...used].map((pool) => capacitiesOf(pool));
      const unlearnt = slots.reduce((sum, { ceiling, now }) => sum + ceiling - now, 0);
      return config().limits.queue + unlearnt;
    },
  });
  return Object.assign(limiter, { adaptive });
}

/** Begins the pools of added providers, whose limits are in their own sections. */
const ADDED = 'added ';

/** The limit of a pool in the settings, and how many keys share it. */
interface Pool {
  readonly ceiling: number;
  readonly keys: number;
}

function poolOf(pool: string, { limits, providers }: Pick<Config, 'limits' | 'providers'>): Pool {
  if (!pool.startsWith(ADDED)) {
    const known = CONFIGURED_PROVIDERS.find(({ id }) => id === pool);
    const keys = known ? keysOf(providers[known.id]).length : 0;
    return { ceiling: capacityOf(pool, limits), keys };
  }
  const name = pool.slice(ADDED.length);
  const entry = Object.hasOwn(providers.added, name) ? providers.added[name] : undefined;
  return entry ? { ceiling: entry.maxCalls, keys: keysOf(entry).length } : { ceiling: 0, keys: 0 };
}

/**
 * Creates all providers, with or without a key: one without reports the missing key when it is
 * asked.
 */
export function createProviders(options: ProvidersOptions): Providers {
  const { config, network, clock, random, catalogue } = options;
  const added = addedProviders(config);
  const texts = providerKeys(config);
  const secrets = new Map(texts.map((text) => [text, createSecret(text)]));
  const secretOf = (text: string) => secrets.get(text) ?? createSecret(text);
  const replaced = (options.knownKeys ?? []).filter((key) => !secrets.has(key));
  const deps: ProviderDeps = {
    ...network,
    clock,
    random,
    catalogue,
    timeouts: config.timeouts,
    keys: [...secrets.values(), ...replaced.map(createSecret)],
    forbids: listedReasons({ allow: config.models.allow, deny: config.models.deny }),
  };
  // A permit is acquired for each request, so that a call with many requests never holds more than
  // one.
  const { limiter = createVendorLimiter(() => config, clock) } = options;
  const accounts = accountDigests(config.providers);
  const depsOf = (id: ProviderId): ProviderDeps => {
    if (!isLimited(id)) return deps;
    limiter.adaptive?.begin(id, accounts.of(id) ?? '');
    const acquirePermit = createVendorLimit(limiter, id, config.limits.retryAfterMs, {
      setting: `limits.${id}`,
      name: id,
      capacity: config.limits[id],
    });
    return { ...deps, acquirePermit };
  };
  function withKeys(
    texts: readonly string[],
    own: ProviderDeps,
    make: (key: Secret, deps: ProviderDeps) => Provider,
  ): Provider {
    const [first = '', ...others] = texts;
    if (others.length === 0) return make(secretOf(first), own);
    return createKeyPool({
      clock,
      http: own.http,
      keys: [first, ...others],
      create: (key, http) => make(secretOf(key), { ...own, http }),
    });
  }
  function create<Id extends ConfiguredProviderId>(id: Id): Provider {
    const { apiKey, ...section } = config.providers[id];
    const baseUrl =
      id === 'custom' ? options.customUrl : endpointOf(id, { baseUrl: section.baseUrl, apiKey });
    return withKeys(keysOf(config.providers[id]), depsOf(id), (key, own) => {
      // The type of the section without its key is lost on the generic type.
      const settings = { ...section, key, baseUrl } as unknown as Settings<Id>;
      return CREATORS[id](settings, own);
    });
  }
  function createOne(one: AddedProvider): Provider {
    const { id, maxCalls, keys } = one;
    const { retryAfterMs } = config.limits;
    const pool = `${ADDED}${id}`;
    limiter.adaptive?.begin(pool, accounts.of(id) ?? '');
    const acquirePermit = createVendorLimit(limiter, pool, retryAfterMs, {
      setting: `providers.added.${id}.maxCalls`,
      name: id,
      capacity: maxCalls,
    });
    const own = maxCalls === 0 ? deps : { ...deps, acquirePermit };
    return withKeys(keys, own, (key, with_) => createAdded({ ...one, key }, with_));
  }
  return new Map([
    ...PROVIDERS.map(({ id }): [ProviderId, Provider] => [
      id,
      id === 'extractive' ? createExtractive({}, deps) : create(id),
    ]),
    ...added.map((one): [ProviderId, Provider] => [one.id, createOne(one)]),
  ]);
}

/** The keys of all providers, built-in and added, each once. */
export function providerKeys(config: Pick<Config, 'providers'>): readonly string[] {
  return [
    ...new Set([
      ...CONFIGURED_PROVIDERS.flatMap(({ id }) => keysOf(config.providers[id])),
      ...addedProviders(config).flatMap(({ keys }) => keys),
    ]),
  ];
}

/** The keys of a built-in provider, the one of `apiKey` first. */
function keysOf({
  apiKey,
  otherKeys,
}: Pick<Config['providers']['kimi'], 'apiKey' | 'otherKeys'>): readonly string[] {
  return [...new Set([apiKey, ...splitKeys(otherKeys)])].filter((key) => key !== '');
}
