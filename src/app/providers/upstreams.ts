import type { Config } from '#config/schema/config.schema.ts';
import { secretValues } from '#config/secrets/mask.ts';
import type { Clock } from '#core/time/clock.ts';
import type { Random } from '#core/random.ts';
import type { SettingStore } from '#core/stores/settings.ts';
import type { Log } from '#core/telemetry/telemetry.ts';
import { listedReasons } from '#models/model-lists.ts';
import type { ModelDirectory } from '#models/model-directory.ts';
import type { ModelCatalogue } from '#models/listed-model.ts';
import type { Model } from '#models/model.ts';
import { addedModels } from './added-providers.ts';
import { baseUrlsOf, openCatalogue } from './catalogue-holder.ts';
import { findCustomServer } from './custom-server.ts';
import { createAvailability, providerStates, type UnavailableReason } from './availability.ts';
import { createModelDirectory } from './model-directory.ts';
import { createNetwork, type Network } from './network.ts';
import { createProviders, type Providers } from './providers.ts';
import type { VendorLimiter } from './vendor-limit.ts';

export interface UpstreamsOptions {
  readonly config: Config;
  readonly settings: Pick<SettingStore, 'get' | 'set'>;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  /** Limits requests to vendors; by default a new one. */
  readonly limiter?: VendorLimiter;
  /** Provider keys of earlier settings, which are redacted in answers and errors. */
  readonly knownKeys?: readonly string[];
  /** Texts that recordings must not contain; by default the secrets of the configuration. */
  readonly secrets?: () => readonly string[];
}

/** The daemon's network, providers and model catalogue. */
export interface Upstreams {
  readonly providers: Providers;
  readonly modelDirectory: ModelDirectory;
  /** Requests untrusted addresses. */
  readonly publicHttp: Network['publicHttp'];
  /** The current catalogue; a refresh may replace it. */
  catalogue(): ModelCatalogue;
  /** Why a model is unavailable; undefined if it is available. */
  obstacleTo(model: Model): UnavailableReason | undefined;
  close(): Promise<void>;
}

export async function openUpstreams(options: UpstreamsOptions): Promise<Upstreams> {
  const { config, settings, clock, random, log, limiter, knownKeys = [] } = options;
  const { secrets = () => secretValues(config) } = options;
  const maxCalls = config.limits.global;
  const network = await createNetwork({
    settings: config.network,
    maxCalls,
    clock,
    log,
    secrets,
  });
  const customUrl = await findCustomServer(config.providers.custom, network.http, clock, log);
  const baseUrls = baseUrlsOf(config, customUrl);
  const added = addedModels(config);
  const { cacheTtl } = config.providers.kimi;
  const held = await openCatalogue({ settings, clock, log, baseUrls, added, cacheTtl });
  const catalogue = () => held.catalogue();
  const providers = createProviders({
    config,
    network,
    clock,
    random,
    catalogue,
    customUrl,
    knownKeys,
    ...(limiter && { limiter }),
  });
  const { allow, deny } = config.models;
  return {
    providers,
    catalogue,
    publicHttp: network.publicHttp,
    obstacleTo: createAvailability(
      providerStates(config, providers, customUrl),
      listedReasons({ allow, deny }),
    ),
    modelDirectory: createModelDirectory({ config, providers, held, clock, customUrl }),
    close: () => network.close(),
  };
}
