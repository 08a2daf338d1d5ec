import type { Config } from '#config/config.schema.ts';
import type { Manager } from '#core/ask.ts';
import { baseRenderer } from '#core/messages/render.ts';
import { asSentence } from '#core/messages/sentence.ts';
import { CallError } from '#core/call-error.ts';
import { every, sleep, type Clock } from '#core/clock.ts';
import type { Embedder } from '#core/embed.ts';
import type { Random } from '#core/random.ts';
import type { CallStore } from '#core/stores/calls.ts';
import type { Store } from '#core/stores/store.ts';
import { createBudgets } from '#manager/budget.ts';
import type { Budgets } from '#manager/budget-words.ts';
import { createCorrections } from '#manager/context/corrections.ts';
import { createSummaries } from '#manager/context/summaries.ts';
import { createManager } from '#manager/create-manager.ts';
import { createEmbedder } from '#manager/embed.ts';
import { createIntent } from '#manager/intent.ts';
import { createLatencies } from '#manager/latencies.ts';
import { LOCAL_MODEL } from '#providers/local/local-model.ts';
import type { Breakers } from '#resilience/breaker-words.ts';
import { createBreakers, DEFAULT_RULES } from '#resilience/breakers.ts';
import type { Outside } from '../outside/outside.ts';
import type { Telemetry } from '../telemetry.ts';
import { accountDigests } from './account-digests.ts';
import { createConcealing } from './conceal.ts';
import { createEmbedWorld } from './embed-world.ts';
import { createBreakerKeeper } from './keep-breakers.ts';
import { createRouteWorld } from './route-world.ts';

export interface ManagerParts {
  readonly config: Config;
  readonly store: Pick<Store, 'breakers' | 'calls' | 'usage' | 'settings' | 'clients'>;
  readonly outside: Outside;
  readonly clock: Clock;
  readonly random: Random;
  readonly telemetry: Pick<Telemetry, 'log' | 'crumbs' | 'metrics'>;
  /** What is put around its parts, to look at them or to break them: the simulator does both. */
  readonly around?: {
    readonly breakers?: (real: Breakers) => Breakers;
    readonly budgets?: (real: Budgets) => Budgets;
  };
}

/** The manager with what it remembers: resting providers, what was spent today, how tokens were misjudged. */
export interface Managing {
  readonly manager: Manager;
  readonly embedder: Embedder;
  readonly breakers: Breakers;
  readonly budgets: Budgets;
  close(): Promise<void>;
}

const CORRECTIONS = 'manager.corrections';
const SAVE_MS = 60_000;
const MAX_INTENTS = 1000;

export async function openManager(parts: ManagerParts): Promise<Managing> {
  const { config, store, outside, clock, random } = parts;
  const { log, crumbs, metrics } = parts.telemetry;
  const { providers } = outside;

  const accounts = accountDigests(config.providers);
  const keeper = createBreakerKeeper(store.breakers, log);
  const ownBreakers = createBreakers({
    clock,
    random,
    rules: { ...DEFAULT_RULES, ...config.breaker },
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
  const breakers = parts.around?.breakers?.(ownBreakers) ?? ownBreakers;
  const ownBudgets = await createBudgets({
    limits: config.budget,
    clock,
    totals: (day) => store.usage.totals({ fromDay: day, toDay: day }),
  });
  const budgets = parts.around?.budgets?.(ownBudgets) ?? ownBudgets;
  const corrections = createCorrections(await store.settings.get(CORRECTIONS));
  const latencies = createLatencies();

  async function saveCorrections(): Promise<void> {
    if (!corrections.isDirty) return;
    try {
      await store.settings.set(CORRECTIONS, corrections.toJson());
    } catch (thrown) {
      log.warn('corrections_not_stored', { error: CallError.from(thrown).toJSON() });
    }
  }
  const saving = every(clock, SAVE_MS, saveCorrections);

  const spend: CallStore['spend'] = (attempts, usage) => store.calls.spend(attempts, usage);
  // What asking takes alike, whatever is asked for.
  const asking = {
    providers,
    breakers,
    budgets,
    clock,
    random,
    spend,
    conceal: createConcealing(outside.desk.providers()),
    log,
    crumbs,
    metrics,
  };
  const manager = createManager({
    ...asking,
    corrections,
    latencies,
    patience: config.patience,
    world: createRouteWorld({
      config,
      catalogue: () => outside.catalogue(),
      resolve: (name) => outside.desk.resolve(name),
      obstacle: (model) => outside.obstacleTo(model),
      abilities: new Map([...providers].map(([id, { can }]) => [id, can])),
      local: LOCAL_MODEL,
      breakers,
      budgets,
      correction: (provider, model) => corrections.correction(provider, model),
      latencies,
    }),
    summaries: createSummaries({ pause: () => sleep(clock, 0) }),
    intents: createIntent({ clock, maxEntries: MAX_INTENTS }),
    locale: config.locale,
    classifyMs: config.routing.classify ? config.routing.classifyMs : 0,
  });
  const { embeddingModel } = config.providers.custom;
  const embedder = createEmbedder({ ...asking, world: createEmbedWorld(outside, embeddingModel) });
  return {
    manager,
    embedder,
    breakers,
    budgets,
    async close() {
      saving.stop();
      await Promise.all([saveCorrections(), keeper.settled()]);
    },
  };
}
