import { capacityOf } from '#calls/call-limits.ts';
import type { Config } from '#config/schema/config.schema.ts';
import type { Clock } from '#core/time/clock.ts';
import type { Provider, ProviderId } from '#core/llm/provider.ts';
import type { Random } from '#core/random.ts';
import {
  CONFIGURED_PROVIDERS,
  isLimited,
  PROVIDERS,
  type ConfiguredProviderId,
} from '#core/providers/list.ts';
import { createSecret, type Secret } from '#core/secrets/secret.ts';
import { listedReasons } from '#models/model-lists.ts';
import type { Catalogue } from '#models/model.ts';
import { createCustom } from '#providers/custom/custom.ts';
import { createGlm } from '#providers/glm/glm.ts';
import { createKimi } from '#providers/kimi/kimi.ts';
import { createExtractive } from '#providers/extractive/extractive.ts';
import { createOpenRouter } from '#providers/openrouter/openrouter.ts';
import type { ProviderDeps } from '#providers/provider-deps.ts';
import { createLimiter } from '#resilience/limiter.ts';
import { createVendorLimit } from './vendor-limit.ts';
import type { Network } from './network.ts';

export interface ProvidersOptions {
  readonly config: Pick<Config, 'providers' | 'models' | 'timeouts' | 'limits'>;
  readonly network: Pick<Network, 'http' | 'publicHttp'>;
  readonly clock: Clock;
  readonly random: Random;
  readonly catalogue: () => Catalogue;
  /** The URL of the user's own server, by setting or by discovery; empty if there is none. */
  readonly customUrl: string;
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
 * Creates all providers, with or without a key: one without reports the missing key when it is
 * asked.
 */
export function createProviders(options: ProvidersOptions): Providers {
  const { config, network, clock, random, catalogue } = options;
  const keys = new Map(
    CONFIGURED_PROVIDERS.map(({ id }) => [id, createSecret(config.providers[id].apiKey)]),
  );
  const deps: ProviderDeps = {
    ...network,
    clock,
    random,
    catalogue,
    timeouts: config.timeouts,
    keys: [...keys.values()],
    forbids: listedReasons({ allow: config.models.allow, deny: config.models.deny }),
  };
  // A permit is acquired for each request, so that a call with many requests never holds more than
  // one.
  const limiter = createLimiter({
    capacity: (pool) => capacityOf(pool, config.limits),
    maxWaiting: config.limits.queue,
  });
  const depsOf = (id: ProviderId): ProviderDeps => {
    if (!isLimited(id)) return deps;
    const acquirePermit = createVendorLimit(
      limiter,
      id,
      config.limits.retryAfterMs,
      config.limits[id],
    );
    return { ...deps, acquirePermit };
  };
  function create<Id extends ConfiguredProviderId>(id: Id): Provider {
    const { apiKey, ...section } = config.providers[id];
    const key = keys.get(id) ?? createSecret(apiKey);
    const baseUrl = id === 'custom' ? options.customUrl : section.baseUrl;
    // The type of the section without its key is lost on the generic type.
    const settings = { ...section, key, baseUrl } as unknown as Settings<Id>;
    return CREATORS[id](settings, depsOf(id));
  }
  return new Map(
    PROVIDERS.map(({ id }): [ProviderId, Provider] => [
      id,
      id === 'extractive' ? createExtractive({}, deps) : create(id),
    ]),
  );
}
