import type { Config } from '#config/config.schema.ts';
import { secretValues } from '#config/mask.ts';
import type { Clock } from '#core/clock.ts';
import type { Random } from '#core/random.ts';
import type { SettingStore } from '#core/stores/settings.ts';
import type { Log } from '#core/telemetry.ts';
import { listedReasons } from '#models/allow.ts';
import type { ModelDesk } from '#models/desk.ts';
import type { ModelCatalogue } from '#models/listed-model.ts';
import type { Model } from '#models/model.ts';
import { baseUrlsOf } from './base-urls.ts';
import { openCatalogue } from './catalogue-holder.ts';
import { findCustomServer } from './find-custom-server.ts';
import { createObstacles, type Obstacle } from './obstacle.ts';
import { standings } from './provider-standing.ts';
import { createModelDesk } from './model-desk.ts';
import { createNetwork } from './network.ts';
import { createProviders, type Providers } from './providers.ts';

export interface OutsideOptions {
  readonly config: Config;
  readonly settings: Pick<SettingStore, 'get' | 'set'>;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
}

/** Everything that lies beyond this machine, as the daemon reaches it. */
export interface Outside {
  readonly providers: Providers;
  readonly desk: ModelDesk;
  /** As it is now: a refresh may change it. */
  catalogue(): ModelCatalogue;
  /** Why a model cannot be asked at all; nothing when it can. */
  obstacleTo(model: Model): Obstacle | undefined;
  close(): Promise<void>;
}

export async function openOutside(options: OutsideOptions): Promise<Outside> {
  const { config, settings, clock, random, log } = options;
  const secrets = () => secretValues(config);
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
  const held = await openCatalogue({ settings, clock, log, baseUrls });
  const catalogue = () => held.catalogue();
  const providers = createProviders({ config, network, clock, random, catalogue, customUrl });
  const { allow, deny } = config.models;
  return {
    providers,
    catalogue,
    obstacleTo: createObstacles(
      standings(config, providers, customUrl),
      listedReasons({ allow, deny }),
    ),
    desk: createModelDesk({ config, providers, held, clock, customUrl }),
    close: () => network.close(),
  };
}
