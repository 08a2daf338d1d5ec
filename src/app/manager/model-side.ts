import type { Config } from '#config/schema/config.schema.ts';
import { CallError } from '#core/errors/call-error.ts';
import type { PictureSupply } from '#core/llm/picture-supply.ts';
import type { Random } from '#core/random.ts';
import type { ProviderFileStore } from '#core/stores/files.ts';
import type { Store } from '#core/stores/store.ts';
import type { Clock } from '#core/time/clock.ts';
import type { ModelDirectory } from '#models/model-directory.ts';
import { createSecretList } from '#telemetry/redaction/secret-list.ts';
import { createVendorLimiter, providerKeys } from '../providers/providers.ts';
import type { Network } from '../providers/network.ts';
import { openUpstreams } from '../providers/upstreams.ts';
import type { Telemetry } from '../telemetry.ts';
import { openManager, type RunningManager } from './open-manager.ts';
import { createOwnServerModels } from './own-server-models.ts';
import { createUseCount } from './use-count.ts';

interface ModelSideOptions {
  readonly config: Config;
  readonly store: Pick<Store, 'breakers' | 'calls' | 'usage' | 'settings' | 'clients'> & {
    readonly files: ProviderFileStore;
  };
  readonly clock: Clock;
  readonly random: Random;
  readonly telemetry: Pick<Telemetry, 'log' | 'crumbs' | 'metrics'>;
  /** Absent: pictures are sent as they are. */
  readonly pictureSupply?: PictureSupply;
  /** Texts that recordings must not contain. */
  readonly secrets: () => readonly string[];
}

/** Upstreams and manager of new settings, ready to take the place of the current ones. */
export interface PreparedModels {
  /** Never fails. Calls under way finish on the previous ones, which are closed after the last. */
  commit(): void;
  discard(): Promise<void>;
}

/** Everything that depends on models and their providers. Settings replace it as one unit. */
export interface ModelSide extends Omit<RunningManager, 'change'> {
  readonly modelDirectory: ModelDirectory;
  /** Runs work that requests untrusted addresses. */
  withPublicHttp<T>(work: (http: Network['publicHttp']) => Promise<T>): Promise<T>;
  /** Opens what new settings need; throws if they cannot be used, and then nothing has changed. */
  prepare(config: Config): Promise<PreparedModels>;
  /** Previous upstreams that calls still use. */
  readonly draining: number;
}

export async function openModelSide(options: ModelSideOptions): Promise<ModelSide> {
  const { config, store, clock, random, secrets } = options;
  const { log } = options.telemetry;
  let limiting: Pick<Config, 'limits' | 'providers'> = config;
  // Shared by all settings, so that a change never sends more at once than the limit.
  const limiter = createVendorLimiter(() => limiting, clock);
  // A replaced key may be in conversations that are sent again, or a vendor may quote it.
  const keys = createSecretList([]);
  const open = async (by: Config) => {
    const { settings } = store;
    keys.add(providerKeys(by));
    const knownKeys = keys.texts();
    const common = { settings, clock, random, log, limiter, secrets, knownKeys };
    const upstreams = await openUpstreams({ config: by, ...common });
    const { modelDirectory } = upstreams;
    const chosen = by.providers.custom.model;
    const own = createOwnServerModels({ modelDirectory, chosen, clock, log });
    await own.open();
    return { upstreams, own, uses: createUseCount() };
  };
  const closeUnit = async ({ own, upstreams }: Awaited<ReturnType<typeof open>>) => {
    await own.close();
    await upstreams.close();
  };
  let current = await open(config);
  const draining = new Set<Promise<void>>();
  const manager = await openManager({ ...options, upstreams: current.upstreams }).catch(
    async (thrown: unknown) => {
      await closeUnit(current);
      throw thrown;
    },
  );

  function closeAfter(idle: Promise<unknown>, unit: typeof current): void {
    const closed = idle
      .then(() => closeUnit(unit))
      .catch((thrown: unknown) =>
        log.error('upstreams_not_closed', { error: CallError.from(thrown).toJSON() }),
      )
      .finally(() => draining.delete(closed));
    draining.add(closed);
  }

  const directory = () => current.upstreams.modelDirectory;
  return {
    ...manager,
    manager: {
      ...manager.manager,
      ask(request, ...rest) {
        const preparing = current.own.prepareFor(request);
        const ask = () => manager.manager.ask(request, ...rest);
        return preparing ? preparing.then(ask) : ask();
      },
      async explain(request, ...rest) {
        const preparing = current.own.prepareFor(request);
        if (preparing) await preparing;
        return manager.manager.explain(request, ...rest);
      },
    },
    modelDirectory: {
      providers: () => directory().providers(),
      models: () => directory().models(),
      resolve: (name) => directory().resolve(name),
      refreshedAtMs: () => directory().refreshedAtMs(),
      refresh(context, only) {
        const { uses, upstreams } = current;
        return uses.hold(() => upstreams.modelDirectory.refresh(context, only));
      },
    },
    withPublicHttp(work) {
      const { uses, upstreams } = current;
      return uses.hold(() => work(upstreams.publicHttp));
    },
    async prepare(next) {
      const opened = await open(next);
      return {
        commit() {
          const previous = current;
          current = opened;
          limiting = next;
          const idle = manager.change(next, opened.upstreams);
          closeAfter(Promise.all([idle, previous.uses.idle()]), previous);
          limiter.capacityChanged();
        },
        discard: () => closeUnit(opened),
      };
    },
    get draining() {
      return draining.size;
    },
    async close() {
      await manager.close();
      await Promise.all([closeUnit(current), ...draining]);
    },
  };
}
