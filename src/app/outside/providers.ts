import type { Config } from '#config/config.schema.ts';
import type { Clock } from '#core/clock.ts';
import type { Provider, ProviderId } from '#core/provider.ts';
import type { Random } from '#core/random.ts';
import { createSecret } from '#core/secret.ts';
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

/** Every provider, whether it has a key or not: one without says what it lacks when it is asked. */
export function createProviders(options: ProvidersOptions): Providers {
  const { config, network, clock, random, catalogue } = options;
  const { kimi, glm, openrouter, custom } = config.providers;
  const keys = {
    kimi: createSecret(kimi.apiKey),
    glm: createSecret(glm.apiKey),
    custom: createSecret(custom.apiKey),
    openrouter: createSecret(openrouter.apiKey),
  };
  const deps: ProviderDeps = {
    ...network,
    clock,
    random,
    catalogue,
    patience: config.patience,
    keys: Object.values(keys),
    forbids: listedReasons({ allow: config.models.allow, deny: config.models.deny }),
  };
  // A place at the vendor is taken for each request, so that a call of many requests never holds more than one.
  const limiter = createLimiter({
    capacity: (pool) => (pool === 'kimi' ? config.limits.kimi : config.limits.glm),
    maxWaiting: config.limits.queue,
  });
  const limited = (pool: 'kimi' | 'glm') => ({
    ...deps,
    gate: createGate(limiter, pool, config.limits.retryAfterMs, config.limits[pool]),
  });
  const all = [
    createKimi(
      {
        baseUrl: kimi.baseUrl,
        key: keys.kimi,
        explicitCache: kimi.explicitCache ? 'on' : 'off',
      },
      limited('kimi'),
    ),
    createGlm({ baseUrl: glm.baseUrl, key: keys.glm }, limited('glm')),
    createCustom(
      {
        baseUrl: options.customUrl,
        key: keys.custom,
        model: custom.model,
        embeddingModel: custom.embeddingModel,
        ...(custom.contextTokens > 0 && { contextTokens: custom.contextTokens }),
      },
      deps,
    ),
    createOpenRouter(
      {
        baseUrl: openrouter.baseUrl,
        key: keys.openrouter,
        dataCollection: openrouter.dataCollection,
      },
      deps,
    ),
    createLocal({}, deps),
  ];
  return new Map(all.map((provider): [ProviderId, Provider] => [provider.id, provider]));
}
