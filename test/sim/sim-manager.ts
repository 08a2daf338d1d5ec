import type { Config } from '#config/schema/config.schema.ts';
import type { Manager } from '#core/llm/ask.ts';
import type { Clock } from '#core/time/clock.ts';
import { deadlineIn } from '#core/time/deadline.ts';
import type { NewId } from '#core/ids.ts';
import type { Random } from '#core/random.ts';
import type { Store } from '#core/stores/store.ts';
import type { Log, Metrics } from '#core/telemetry/telemetry.ts';
import { DEFAULT_RULES, type BreakerChange } from '#resilience/breakers.ts';
import type { Breakers } from '#resilience/breaker-types.ts';
import type { ModelDirectory } from '#models/model-directory.ts';
import { costOf } from '#models/price.ts';
import { openManager } from '../../src/app/manager/open-manager.ts';
import type { Upstreams } from '#app/providers/upstreams.ts';
import { createAskWatch, type AskWatch } from './ask-watch.ts';
import type { AskingPlan, Vendor } from './asking-plan.ts';
import { questionText } from './answer-text.ts';
import { createBreakerWatch, type BreakerWatch } from './breaker-watch.ts';
import { createBudgetWatch, type BudgetWatch } from './budget-watch.ts';
import type { Disk } from './disk.ts';
import type { DaemonFreeze } from './daemon-freeze.ts';
import type { VendorMode } from './vendor-modes.ts';
import type { Plants } from './plants.ts';
import type { SeededRandom } from './random.ts';
import { CATALOGUE, createSimUpstreams } from './sim-upstreams.ts';
import type { SimStore } from './sim-store.ts';
import { createUploadWatch } from './upload-watch.ts';
import { createVendorBook, type Served } from './vendor-book.ts';
import type { Simulation } from './simulation.ts';

/** The manager of one daemon, with the vendors that it asks and everybody who watches. */
export interface SimManager {
  readonly manager: Manager;
  /** The models that there are. */
  readonly desk: Pick<ModelDirectory, 'models' | 'resolve'>;
  readonly asks: AskWatch;
  check(): void;
  /** Nobody asks: then nothing may be out. */
  checkRest(): void;
  /** Every vendor is well: whoever rests must come back with its next request. */
  checkRecovery(): Promise<void>;
  close(): Promise<void>;
}

export interface SimManagerOptions {
  readonly simulation: Simulation;
  readonly daemonFreeze: DaemonFreeze;
  readonly disk: Disk;
  readonly config: Config;
  readonly plan: AskingPlan;
  readonly limits: { readonly kimi: number; readonly glm: number };
  readonly plants: Plants;
  readonly onExtended: (reqId: string, ms: number) => void;
  readonly clock: Clock;
  readonly random: SeededRandom;
  readonly bytes: Random;
  readonly newId: NewId;
  readonly mode: (vendor: Vendor) => VendorMode;
  readonly store: Pick<Store, 'breakers' | 'calls' | 'usage' | 'settings' | 'clients'> &
    Pick<SimStore, 'unspent' | 'files'>;
  readonly log: Log;
  readonly metrics: Metrics;
}

export function createSimManager(options: SimManagerOptions): SimManager {
  const { simulation, daemonFreeze, disk, config, plan, limits, plants, clock, log, metrics } =
    options;
  const rules = { ...DEFAULT_RULES, ...config.breaker };
  const book = createVendorBook(() => simulation.now);
  const { unspent } = options.store;
  const { maxVendorCalls } = config.fallback;
  const asks = createAskWatch({
    simulation,
    daemonFreeze,
    disk,
    book,
    unspent,
    maxVendorCalls,
    hedge: plan.hedge,
    onExtended: options.onExtended,
    keysOf: (provider) =>
      isLimitedVendor(provider) ? (plan.accounts[provider]?.keys.length ?? 1) : 1,
  });
  const breakers: BreakerWatch = createBreakerWatch(simulation, clock, rules, savedIn(disk));
  const budgets: BudgetWatch = createBudgetWatch(simulation, plan.budget, disk.usage);

  const uploads = createUploadWatch(simulation, disk);
  let made: Upstreams | undefined;
  const outside = () =>
    (made ??= createSimUpstreams({
      config,
      clock,
      random: options.random,
      book,
      mode: options.mode,
      tell: (vendor, what) => simulation.tell(vendor, () => what),
      capacity: (vendor) => plants.vendorCapacity?.(config.limits[vendor]) ?? config.limits[vendor],
      queueMs: (ms) => (plants.queueMs ? plants.queueMs(ms) : ms),
      countCall: plants.countCall ?? ((count) => count()),
      accounts: plan.accounts,
      uploads,
      keys: plants.keys ?? ((keys) => keys),
      keepAlive: plants.keepAlive ?? ((pace) => pace.alive()),
      learn: plants.learn ?? ((learn) => learn()),
      onWrongPause({ provider, model, ask, startedAt }, what) {
        // Of one who was held, all times are over at once.
        if (daemonFreeze.lastFrozenAt >= startedAt) return;
        simulation.violate('thinker', `${provider}/${model} ${what}, for ${ask}`);
      },
      onOverrun({ provider }) {
        // With several keys, their limits are not added up.
        if (isLimitedVendor(provider) && (plan.accounts[provider]?.keys.length ?? 1) === 1)
          simulation.violate('tier', `${provider} is sent more at once than it had named`);
      },
      onAsked(served) {
        asks.asked(served);
        breakers.asked(served, book.running);
        const principal = asks.principalOf(served.ask);
        const { price } = CATALOGUE.find(served.model, served.provider) ?? {};
        if (principal !== undefined && price && price.output > 0) budgets.asked(principal);
      },
      onAdmitted({ provider }) {
        if (!isLimitedVendor(provider)) return;
        const inside = [...book.running].filter(
          (served) => served.provider === provider && served.isAdmitted,
        ).length;
        if (inside > limits[provider])
          simulation.violate(
            'vendor-limits',
            `${provider} answers ${inside} at once, not ${limits[provider]}`,
          );
      },
      plant: plants.provider,
      onFollowUp(served) {
        const principal = asks.principalOf(served.ask);
        const { price } = CATALOGUE.find(served.model, served.provider) ?? {};
        if (principal === undefined || !price || price.output === 0) return;
        budgets.asked(principal);
        budgets.askedAgain(principal, spentByOthers(principal, served));
      },
      onCharged(served, usage) {
        const principal = asks.principalOf(served.ask);
        const model = CATALOGUE.find(served.model, served.provider) ?? {};
        if (principal !== undefined) budgets.charged(principal, costOf(model, usage).microUsd);
      },
    }));

  /** What was charged for requests of this principal that still run. */
  function spentByOthers(principal: string, except: Served): number {
    return [...book.running].reduce((sum, served) => {
      if (served === except || asks.principalOf(served.ask) !== principal) return sum;
      const model = CATALOGUE.find(served.model, served.provider) ?? {};
      return sum + (served.usage ? costOf(model, served.usage).microUsd : 0);
    }, 0);
  }

  const crumbs: Log = {
    ...log,
    info(event, fields) {
      if (event !== 'breaker') return;
      // A line of the log has its own names.
      const coolOffMs = fields?.['cool_off_ms'];
      breakers.onChange({ ...fields, coolOffMs } as unknown as BreakerChange);
    },
  };
  const store = plants.managerStore?.(options.store) ?? options.store;
  const open = () =>
    openManager({
      config,
      store: {
        ...store,
        files: plants.files?.(options.store.files) ?? options.store.files,
        calls: asks.wrapStore(store.calls),
      },
      upstreams: outside(),
      clock,
      random: options.bytes,
      telemetry: { log, crumbs, metrics: { ...metrics, text: () => '' } },
      hedgeLeastMs: plants.hedgeLeastMs ?? plan.hedge.leastMs,
      decorate: {
        breakers(real) {
          const watched = breakers.wrap(plants.breakers?.(real, clock) ?? real);
          return plants.leave?.(watched) ?? watched;
        },
        budgets(real) {
          const watched = budgets.wrap(real);
          return plants.budgets?.(watched) ?? watched;
        },
      },
    });
  // With the first question, as most simulations have none: what it waits for takes no time.
  let managing: ReturnType<typeof open> | undefined;
  let watched: Promise<Manager> | undefined;
  function opened(): Promise<Manager> {
    managing ??= open();
    watched ??= managing.then(({ manager: real }) => asks.wrap(plants.manager?.(real) ?? real));
    return watched;
  }
  const manager: Manager = {
    ask: async (...asked) => (await opened()).ask(...asked),
    explain: async (...asked) => (await opened()).explain(...asked),
    classify: async (...asked) => (await opened()).classify(...asked),
  };

  /** Of the vendors, those that need not be gone yet are left out. */
  function checkOut(isExpected: (served: Served) => boolean): void {
    if (asks.open > 0) return;
    if (breakers.out > 0) simulation.violate('rest', `${breakers.out} leaves of breakers are out`);
    if (budgets.out > 0) simulation.violate('rest', `${budgets.out} reservations are not settled`);
    const left = [...book.running].filter((served) => !isExpected(served)).length;
    if (left > 0) simulation.violate('rest', `${left} vendors still answer`);
  }

  async function probe(name: string): Promise<void> {
    const reqId = options.newId('req');
    const ask = { model: name, fallback: 'none', lastResort: 'none' } as const;
    const content = questionText(`${reqId}#1`, 'Are you back?');
    let attempts = 0;
    try {
      await manager.ask(
        { ...ask, messages: [{ role: 'user', content }] },
        {
          reqId,
          tool: 'chat',
          caller: { principal: 'prober', scopes: ['*'], roots: [] },
          deadline: deadlineIn(clock, PROBE_MS),
          signal: new AbortController().signal,
          category: 'balanced',
          nextAttempt: () => (attempts += 1),
        },
      );
    } catch (thrown) {
      if ((thrown as { class?: string }).class === 'budget') return;
      simulation.violate('recovery', `${name} is well, and asking it failed: ${String(thrown)}`);
    }
  }

  return {
    manager,
    desk: {
      models: () => outside().modelDirectory.models(),
      resolve: (name) => outside().modelDirectory.resolve(name),
    },
    asks,
    check() {
      breakers.check();
      asks.check();
      checkOut((served) => asks.isOvertaken(served));
    },
    checkRest() {
      checkOut(() => false);
      uploads.checkRest();
    },
    async checkRecovery() {
      if (!managing) return;
      const resting = restingOf((await managing).breakers);
      if (resting.length === 0) return;
      await new Promise<void>((resolve) => void clock.after(rules.maxCoolOffMs, resolve));
      for (const name of resting) await probe(name);
    },
    async close() {
      await (await managing)?.close();
    },
  };
}

const PROBE_MS = 5000;
const MAX_PROBES = 3;

/** Models to ask, by the names that people ask for them: of an account that rests, any. */
function restingOf(breakers: Breakers): string[] {
  const names = breakers
    .all()
    .filter(({ is }) => is !== 'closed')
    .map(({ key }) => (key.includes('/') ? key : (ANY[key] ?? '')))
    // A name of OpenRouter's may mean the vendor itself.
    .filter((key) => /^(kimi|glm|custom)\//.test(key))
    .map((key) => key.replace(/^(kimi|glm)\//, ''));
  return [...new Set(names)].slice(0, MAX_PROBES);
}

const ANY: Readonly<Record<string, string>> = {
  kimi: 'kimi/kimi-k3',
  glm: 'glm/glm-5.3',
  custom: 'custom/own-model',
};

function savedIn({ breakers }: Disk) {
  return [...breakers].map(([key, saved]) => ({ key, ...saved }));
}

function isLimitedVendor(provider: string): provider is 'kimi' | 'glm' {
  return provider === 'kimi' || provider === 'glm';
}
