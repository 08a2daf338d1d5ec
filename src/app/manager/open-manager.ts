import { OWNER } from '#auth/authenticator.ts';
import type { Config } from '#config/schema/config.schema.ts';
import { CallError } from '#core/errors/call-error.ts';
import type { Json } from '#core/json/json.ts';
import type { UploadExchanges } from '#core/files/uploads.ts';
import type { PictureSupply } from '#core/llm/picture-supply.ts';
import type { Manager } from '#core/llm/ask.ts';
import type { Embedder } from '#core/llm/embed.ts';
import type { WebExchanges } from '#core/llm/web.ts';
import { baseRenderer } from '#core/messages/render.ts';
import { asSentence } from '#core/messages/sentence.ts';
import { LightAbortController } from '#core/net/abort.ts';
import type { Random } from '#core/random.ts';
import type { BreakerStore } from '#core/stores/breakers.ts';
import type { CallStore } from '#core/stores/calls.ts';
import type { ProviderFileStore } from '#core/stores/files.ts';
import type { Store } from '#core/stores/store.ts';
import type { Log } from '#core/telemetry/telemetry.ts';
import { every, sleep, type Clock } from '#core/time/clock.ts';
import { pause } from '#core/turns.ts';
import { createUploads } from '#files/uploads/create-uploads.ts';
import { createFileSupply } from '#files/uploads/file-supply.ts';
import { createBudgets, type Budgets } from '#manager/budget/budgets.ts';
import { createClassifier } from '#manager/classify/classifier.ts';
import { createSummaries } from '#manager/context/summaries.ts';
import { createTokenCalibration } from '#manager/context/token-calibration.ts';
import { createManager } from '#manager/create-manager.ts';
import { createEmbedder } from '#manager/embed/embedder.ts';
import type { EmbeddingState } from '#manager/embed/embedding-model.ts';
import { createUploadExchanges } from '#manager/exchange/upload-exchanges.ts';
import { createWebExchanges } from '#manager/exchange/web-exchanges.ts';
import { createLatencies } from '#manager/latencies.ts';
import { assumeModel } from '#models/assume-model.ts';
import { EMBEDDING_MODELS } from '#models/built-in.ts';
import type { ProviderStatus } from '#models/model-directory.ts';
import { EXTRACTIVE_MODEL } from '#providers/extractive/extractive-model.ts';
import type { BreakerRules, Breakers } from '#resilience/breaker-types.ts';
import { createBreakers, DEFAULT_RULES } from '#resilience/breakers.ts';
import type { LiftResult } from '../admin/lift-cool-downs.ts';
import type { Upstreams } from '../providers/upstreams.ts';
import type { Telemetry } from '../telemetry.ts';
import { accountDigests } from './account-digests.ts';
import { createFailingProviders, type FailingProvider } from './failing-providers.ts';
import { createRoutingState } from './routing-state.ts';
import { createUseCount } from './use-count.ts';

interface ManagerOptions {
  readonly config: Config;
  readonly store: Pick<Store, 'breakers' | 'calls' | 'usage' | 'settings' | 'clients'> & {
    readonly files: ProviderFileStore;
  };
  readonly upstreams: Upstreams;
  readonly clock: Clock;
  readonly random: Random;
  readonly telemetry: Pick<Telemetry, 'log' | 'crumbs' | 'metrics'>;
  /** Absent: pictures are sent as they are. */
  readonly pictureSupply?: PictureSupply;
  /** Wrappers of its parts, with which the simulator observes and breaks them. */
  readonly decorate?: {
    readonly breakers?: (real: Breakers) => Breakers;
    readonly budgets?: (real: Budgets) => Budgets;
  };
  /** For the simulator, whose vendors have little time. */
  readonly hedgeLeastMs?: number;
}

/** The manager with its persistent state: breakers, today's spending, token calibration. */
export interface RunningManager {
  readonly manager: Manager;
  readonly embedder: Embedder;
  /** Uploads for tools. */
  readonly uploads: UploadExchanges;
  /** Searches of the web and reading of pages for tools. */
  readonly web: WebExchanges;
  readonly breakers: Breakers;
  readonly budgets: Budgets;
  failingProviders(): readonly FailingProvider[];
  /** Ends the cool-downs of the account with this digest. Resolves when that is stored. */
  liftCoolDowns(provider: string, account: string): Promise<LiftResult>;
  /**
   * Asks by these settings and upstreams from now on. Asks that run finish with the previous ones;
   * resolves when the last of them has ended. Breakers of accounts whose key or address changed are
   * removed; what is spent and reserved stays counted.
   */
  change(config: Config, upstreams: Upstreams): Promise<void>;
  close(): Promise<void>;
}

const CORRECTIONS = 'manager.corrections';
const SAVE_MS = 60_000;
const SHARED_SPEND_MS = 5000;
const MAX_INTENTS = 1000;

export async function openManager(parts: ManagerOptions): Promise<RunningManager> {
  const { config, store, clock, random } = parts;
  const { log, crumbs, metrics } = parts.telemetry;

  let accounts = accountDigests(config.providers);
  const keeper = createBreakerKeeper(store.breakers, log);
  const ownBreakers = createBreakers({
    clock,
    random,
    rules: rulesOf(config),
    saved: accounts.known(await store.breakers.all()),
    onChange({ key, state, coolOffMs, reason, ...change }) {
      const because = asSentence(baseRenderer.reason(reason));
      const rest = coolOffMs === undefined ? {} : { cool_off_ms: coolOffMs };
      crumbs.info('breaker', { key, ...change, because, ...rest });
      if (change.to === 'open') log.warn('breaker_opened', { key, because });
      else if (change.to === 'closed') log.info('breaker_closed', { key });
      keeper.keep(key, accounts.marked(key, state));
    },
  });
  const breakers = parts.decorate?.breakers?.(ownBreakers) ?? ownBreakers;
  const ownBudgets = await createBudgets({
    limits: config.budget,
    clock,
    totals: (day) => store.usage.totals({ fromDay: day, toDay: day }),
  });
  const budgets = parts.decorate?.budgets?.(ownBudgets) ?? ownBudgets;
  const corrections = createTokenCalibration(await store.settings.get(CORRECTIONS));
  const latencies = createLatencies();

  async function saveCorrections(): Promise<void> {
    if (!corrections.isDirty) return;
    try {
      await store.settings.set(CORRECTIONS, corrections.toJson());
    } catch (thrown) {
      log.warn('token_calibration_not_stored', { error: CallError.from(thrown).toJSON() });
    }
  }
  const saving = every(clock, SAVE_MS, saveCorrections);
  // Other daemons spend from the same budgets; what cannot be read now is read the next time.
  const sharing =
    config.database === ''
      ? undefined
      : every(clock, SHARED_SPEND_MS, () => ownBudgets.refresh().catch(() => undefined));

  const failing = createFailingProviders(breakers);
  const spend: CallStore['recordUsage'] = (attempts, usage) => {
    failing.record(attempts);
    return store.calls.recordUsage(attempts, usage);
  };
  const summaries = createSummaries({ pause: () => sleep(clock, 0) });
  const classifier = createClassifier({ clock, maxEntries: MAX_INTENTS });

  const stopped = new LightAbortController();

  /** The parts that depend on settings; a change replaces them as one unit. */
  function createAsking(by: Config, upstreams: Upstreams) {
    const { providers } = upstreams;
    // Dependencies shared by asks and embeddings.
    const asking = {
      providers,
      breakers,
      budgets,
      clock,
      random,
      spend,
      redactHosts: createHostRedaction(upstreams.modelDirectory.providers()),
      log,
      crumbs,
      metrics,
    };
    const known = accountDigests(by.providers);
    const uploads = createUploads({
      providers,
      store: store.files,
      accountOf: (provider) => known.of(provider) ?? '',
      clock,
      stopped,
    });
    const web = createWebExchanges({
      ...asking,
      obstacle: (service) => upstreams.obstacleTo(service)?.reason,
    });
    const manager = createManager({
      pause,
      ...asking,
      web,
      fileSupply: createFileSupply({ uploads, providers }),
      ...(parts.pictureSupply && { pictureSupply: parts.pictureSupply }),
      calibration: corrections,
      latencies,
      timeouts: by.timeouts,
      routingState: createRoutingState({
        config: by,
        catalogue: () => upstreams.catalogue(),
        resolve: (name) => upstreams.modelDirectory.resolve(name),
        obstacle: (model) => upstreams.obstacleTo(model),
        abilities: new Map([...providers].map(([id, { capabilities: can }]) => [id, can])),
        extractiveModel: EXTRACTIVE_MODEL,
        breakers,
        budgets,
        correction: (provider, model) => corrections.correction(provider, model),
        latencies,
      }),
      summaries,
      classifier,
      locale: by.locale,
      maxVendorCalls: by.fallback.maxVendorCalls,
      hedge: by.fallback.hedge,
      ...(parts.hedgeLeastMs !== undefined && { hedgeLeastMs: parts.hedgeLeastMs }),
      classifyMs: by.routing.classify ? by.routing.classifyMs : 0,
    });
    const { embeddingModel } = by.providers.custom;
    const embedder = createEmbedder({
      ...asking,
      state: createEmbedState(upstreams, embeddingModel),
    });
    const exchanges = createUploadExchanges({ ...asking, uploads });
    return { manager, embedder, exchanges, web, uses: createUseCount() };
  }

  let asking = createAsking(config, parts.upstreams);
  const using = <T>(work: (unit: typeof asking) => Promise<T>): Promise<T> => {
    const unit = asking;
    return unit.uses.hold(() => work(unit));
  };
  return {
    manager: {
      ask: (...asked) => using(({ manager }) => manager.ask(...asked)),
      explain: (...asked) => using(({ manager }) => manager.explain(...asked)),
      classify: (...asked) => using(({ manager }) => manager.classify(...asked)),
    },
    embedder: { embed: (...asked) => using(({ embedder }) => embedder.embed(...asked)) },
    web: {
      search: (...asked) => using(({ web }) => web.search(...asked)),
      read: (...asked) => using(({ web }) => web.read(...asked)),
      canRead: () => asking.web.canRead(),
    },
    uploads: { run: (...asked) => using(({ exchanges }) => exchanges.run(...asked)) },
    breakers,
    budgets,
    failingProviders: () => failing.list(),
    async liftCoolDowns(provider, account) {
      if (accounts.of(provider) !== account) return { is: 'other_account' };
      failing.forget(provider);
      const lifted = ownBreakers.lift(provider);
      await keeper.settled();
      return { is: 'lifted', lifted };
    },
    change(next, upstreams) {
      const previous = asking;
      const known = accounts;
      accounts = accountDigests(next.providers);
      asking = createAsking(next, upstreams);
      for (const provider of Object.keys(next.providers))
        if (known.of(provider) !== accounts.of(provider)) {
          ownBreakers.forget(provider);
          failing.forget(provider);
        }
      ownBreakers.changeRules(rulesOf(next));
      ownBudgets.changeLimits(next.budget);
      return previous.uses.idle();
    },
    async close() {
      saving.stop();
      sharing?.stop();
      stopped.abort(new CallError('interrupted', 'The daemon stopped.'));
      await Promise.all([saveCorrections(), keeper.settled()]);
    },
  };
}

function rulesOf({ breaker }: Config): BreakerRules {
  return { ...DEFAULT_RULES, ...breaker };
}

/**
 * The model name for the user's own server if none is configured: the server uses its default, or
 * refuses.
 */
const ANY = 'default';

/** The embedding model by the settings. */
function createEmbedState(
  upstreams: Pick<Upstreams, 'modelDirectory' | 'obstacleTo'>,
  embeddingModel: string,
): EmbeddingState {
  const { modelDirectory } = upstreams;
  const hasOwn = modelDirectory
    .providers()
    .some(({ id, configured, can }) => id === 'custom' && configured && can.includes('embed'));
  const own = assumeModel(embeddingModel === '' ? ANY : embeddingModel, 'custom');
  return {
    known: EMBEDDING_MODELS.map(({ id, provider }) => assumeModel(id, provider)),
    ...(hasOwn && { own: { model: own, is: embeddingModel === '' ? 'any' : 'set' } as const }),
    obstacle: (model) => upstreams.obstacleTo(model)?.reason,
    resolve: (name) => modelDirectory.resolve(name),
  };
}

/** Stores breaker states in the order of their changes, in the background. */
interface BreakerKeeper {
  keep(key: string, state: Json): void;
  /** Resolves when all pending writes have succeeded or failed. */
  settled(): Promise<void>;
}

function createBreakerKeeper(store: BreakerStore, log: Log): BreakerKeeper {
  const waiting = new Map<string, Json>();
  let writing: Promise<void> | undefined;

  async function write(): Promise<void> {
    for (let [next] = waiting; next; [next] = waiting) {
      const [key, state] = next;
      waiting.delete(key);
      try {
        await store.save(key, state);
      } catch (thrown) {
        // A restart would lose this state, and the next failures would restore it.
        log.warn('breaker_not_stored', { key, error: CallError.from(thrown).toJSON() });
      }
    }
    writing = undefined;
  }

  return {
    keep(key, state) {
      // Only the newest state of each breaker is written.
      waiting.delete(key);
      waiting.set(key, state);
      writing ??= write();
    },
    settled: () => writing ?? Promise.resolve(),
  };
}

/** Replaces provider hosts with provider names for callers other than the owner. */
export function createHostRedaction(
  providers: readonly Pick<ProviderStatus, 'host' | 'title'>[],
): (principal: string) => (text: string) => string {
  const titles = new Map<string, string>(
    providers.flatMap(({ host, title }) =>
      host === undefined ? [] : [[host.toLowerCase(), title] as const],
    ),
  );
  // Longest first: one host may be a prefix of another.
  const hosts = [...titles.keys()].toSorted((a, b) => b.length - a.length);
  const pattern = hosts.map((host) => host.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('|');
  const found = new RegExp(`(?<![\\w.-])(?:${pattern})(?![\\w-])`, 'gi');
  const conceal = (text: string) =>
    hosts.length === 0
      ? text
      : text.replaceAll(found, (host) => titles.get(host.toLowerCase()) ?? 'the provider');
  return (principal) => (principal === OWNER.principal ? (text) => text : conceal);
}
