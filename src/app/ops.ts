import { join } from 'node:path';
import { listKeys } from '#config/keys.ts';
import type { LoadedConfig } from '#config/load.ts';
import { CallError } from '#core/call-error.ts';
import type { Calls } from '#core/calls.ts';
import type { Clock } from '#core/clock.ts';
import { isErrorClass } from '#core/error-class.ts';
import { fix } from '#core/messages/fixes.ts';
import type { Notice } from '#core/messages/notices.ts';
import type { BreakerFinding, DoctorReport, Ops, OpsLoad, ProviderFinding } from '#core/ops.ts';
import { findProvider } from '#core/providers/list.ts';
import type { Store } from '#core/stores/store.ts';
import type { Budgets } from '#manager/budget-words.ts';
import type { ModelDesk } from '#models/desk.ts';
import type { Breakers } from '#resilience/breaker-words.ts';
import { createSearch } from '#telemetry/search.ts';
import { tail } from '#telemetry/tail.ts';
import { bounded } from './bounded.ts';
import { OPS_BUILD } from './ops-build.ts';
import { probeAll } from './ops-probe.ts';
import { findSpending } from './ops-spending.ts';
import type { LocalTarget } from './own-url.ts';
import { createReadingTurns } from './reading-turns.ts';
import { createStoreLook } from './ops-store.ts';

/** What the daemon is made of, as far as its own tools report on it. */
export interface OpsParts {
  readonly loaded: LoadedConfig;
  readonly store: Pick<Store, 'health' | 'calls' | 'breakers' | 'usage'>;
  /** Where the store is, for people. */
  readonly storedIn: string;
  /** Asked when a tool runs: the tools are there before the calls that run them. */
  readonly calls: () => Pick<Calls, 'list' | 'load'>;
  readonly connections: () => number;
  /** Where the daemon listens; nothing before it does. */
  readonly endpoint: () => string | undefined;
  /** How the daemon asks itself over TCP; nothing where it has no port. */
  readonly listener: () => LocalTarget | undefined;
  /** Beyond those of the configuration, such as settings that a client has and the daemon lacks. */
  readonly notices: () => readonly Notice[];
  readonly diagnose: () => Promise<DoctorReport>;
  /** How each provider stands, a server that was found on this machine included. */
  readonly desk: Pick<ModelDesk, 'providers'>;
  /** What may still be spent; nothing where nobody counts. */
  readonly budgets?: Pick<Budgets, 'left'>;
  /** As they stand now; without them the store tells how they stood last. */
  readonly breakers?: Pick<Breakers, 'all'>;
  readonly clock: Clock;
}

const PATIENCE_MS = 5000;
const DOCTOR_PATIENCE_MS = 20_000;

export function createOps(parts: OpsParts): Ops {
  const { loaded, store, calls, clock } = parts;
  const startedAt = clock.monotonic();
  const logFile = join(loaded.home.logDir, 'daemon.jsonl');
  const kind = loaded.config.database === '' ? 'sqlite' : 'postgres';
  const look = createStoreLook(store, { kind, name: parts.storedIn }, clock);
  const providers = providersOf(loaded, parts.desk);
  const turns = createReadingTurns(clock);

  const within = async <T>(ms: number, what: string, work: Promise<T>): Promise<T> => {
    const outcome = await bounded(clock, ms, work);
    if (outcome !== 'late') return outcome;
    throw new CallError('timeout', `${what} did not answer within ${ms / 1000} seconds.`, {
      fixes: [fix('retry'), fix('run_doctor')],
    });
  };

  async function breakers(): Promise<readonly BreakerFinding[]> {
    const all = await within(PATIENCE_MS, 'The store', store.breakers.all());
    const saved = all.map(({ key, state }) => ({ key, ...stateOf(state) }));
    if (!parts.breakers) return saved;
    // A rest that is over is told by the breaker itself; the store hears of it when somebody asks again.
    const live = new Map(parts.breakers.all().map(({ key, is }) => [key, is]));
    return saved.map((each) => ({ ...each, state: live.get(each.key) ?? 'closed' }));
  }

  return {
    build: OPS_BUILD,
    uptimeMs: () => clock.monotonic() - startedAt,
    endpoint: parts.endpoint,
    gateway() {
      const url = parts.endpoint();
      return loaded.config.gateway.enabled && url !== undefined ? `${url}/v1` : undefined;
    },
    load(): OpsLoad {
      const maxConnections = loaded.config.limits.connections;
      return { ...calls().load(), connections: parts.connections(), maxConnections };
    },
    catalogue(caller) {
      const { version, tools } = calls().list(caller);
      return { version, names: tools.map(({ name }) => name) };
    },
    store: look,
    probe: () => probeAll({ look, calls: store.calls, listener: parts.listener, clock }),
    providers: () => providers,
    breakers,
    spending(caller) {
      const { usage } = store;
      const found = findSpending(caller, { usage, breakers, budgets: parts.budgets, clock });
      return within(PATIENCE_MS, 'The store', found);
    },
    notices: () => [...loaded.notices, ...parts.notices()],
    calls: (filter) => turns(() => within(PATIENCE_MS, 'The store', store.calls.list(filter))),
    logLines: (count) => turns(() => within(PATIENCE_MS, 'The disk', tail(logFile, count))),
    search: createSearch({ clock }),
    diagnose: () => within(DOCTOR_PATIENCE_MS, 'The doctor', parts.diagnose()),
  };
}

/** Settings do not change while the daemon runs. */
function providersOf(loaded: LoadedConfig, desk: OpsParts['desk']): readonly ProviderFinding[] {
  const standings = desk.providers();
  return listKeys(loaded)
    .filter(({ name }) => findProvider(name) !== undefined)
    .map(({ name, title }) => ({
      name,
      title,
      configured: standings.some(({ id, configured }) => id === name && configured),
    }));
}

/** Breakers tag their states; what has no tag was written by somebody else. */
function stateOf(saved: unknown): Omit<BreakerFinding, 'key'> {
  const { is, trouble } = (saved ?? {}) as { is?: unknown; trouble?: unknown };
  const { class: errorClass } = (trouble ?? {}) as { class?: unknown };
  return {
    state: typeof is === 'string' ? is : 'unknown',
    ...(typeof errorClass === 'string' && isErrorClass(errorClass) && { errorClass }),
  };
}
