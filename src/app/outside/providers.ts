import { capacityOf } from '#calls/limits.ts';
import type { Config } from '#config/config.schema.ts';
import type { Clock } from '#core/clock.ts';
import type { Provider, ProviderId } from '#core/provider.ts';
import type { Random } from '#core/random.ts';
import {
  CONFIGURED_PROVIDERS,
  isLimited,
  PROVIDERS,
  type ConfiguredProviderId,
} from '#core/providers/list.ts';
import { createSecret, type Secret } from '#core/secret.ts';
import { listedReasons } from '#models/allow.ts';
import type { Catalogue } from '#models/model.ts';
import { createCustom } from '#providers/custom/custom.ts';
import { createGlm } from '#providers/glm/glm.ts';
import { createKimi } from '#providers/kimi/kimi.ts';
import { createLocal } from '#providers/local/local.ts';
import { createOpenRouter } from '#providers/openrouter/openrouter.ts';
import type { ProviderDeps } from '#providers/provider-deps.ts';
import { createLimiter } from '#resilience/limiter.ts';
import { createGate } from './gate.ts';
import type { Network } from './network.ts';

export interface ProvidersOptions {
  readonly config: Pick<Config, 'providers' | 'models' | 'patience' | 'limits'>;
  readonly network: Pick<Network, 'http' | 'publicHttp'>;
  readonly clock: Clock;
  readonly random: Random;
  readonly catalogue: () => Catalogue;
  /** Where the user's own server is, by setting or by discovery; empty when there is none. */
  readonly customUrl: string;
}

export type Providers = ReadonlyMap<ProviderId, Provider>;

type Settings<Id extends ConfiguredProviderId> = Omit<Config['providers'][Id], 'apiKey'> & {
  readonly key: Secret;
};
type Creators = {
  readonly [Id in ConfiguredProviderId]: (settings: Settings<Id>, deps: ProviderDeps) => Provider;
};

/** What creates each provider, out of its section of the settings. */
const CREATORS: Creators = {
  kimi: createKimi,
  glm: createGlm,
  custom: createCustom,
  openrouter: createOpenRouter,
};

/** Every provider, whether it has a key or not: one without says what it lacks when it is asked. */
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
    patience: config.patience,
    keys: [...keys.values()],
    forbids: listedReasons({ allow: config.models.allow, deny: config.models.deny }),
  };
  // A place at the vendor is taken for each request, so that a call of many requests never holds more than one.
  const limiter = createLimiter({
    capacity: (pool) => capacityOf(pool, config.limits),
    maxWaiting: config.limits.queue,
  });
  const depsOf = (id: ProviderId): ProviderDeps => {
    if (!isLimited(id)) return deps;
    const gate = createGate(limiter, id, config.limits.retryAfterMs, config.limits[id]);
    return { ...deps, gate };
  };
  function create<Id extends ConfiguredProviderId>(id: Id): Provider {
    const { apiKey, ...section } = config.providers[id];
    const key = keys.get(id) ?? createSecret(apiKey);
    const baseUrl = id === 'custom' ? options.customUrl : section.baseUrl;
    // What is left of a section without its key is lost on the general type.
    const settings = { ...section, key, baseUrl } as unknown as Settings<Id>;
    return CREATORS[id](settings, depsOf(id));
  }
  return new Map(
    PROVIDERS.map(({ id }): [ProviderId, Provider] => [
      id,
      id === 'local' ? createLocal({}, deps) : create(id),
    ]),
  );
}
