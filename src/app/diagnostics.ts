import { join } from 'node:path';
import { OWNER } from '#auth/authenticator.ts';
import { listKeys } from '#config/secrets/keys.ts';
import type { LoadedConfig } from '#config/load/load.ts';
import type { Calls } from '#core/calls/calls.ts';
import type {
  BreakerFinding,
  BuildFacts,
  DaemonLoad,
  Diagnostics,
  DoctorReport,
  ExhaustedBalance,
  ProbeFinding,
  ProviderFinding,
  SpendingFinding,
  StoreFinding,
} from '#core/diagnostics/diagnostics.ts';
import { CallError } from '#core/errors/call-error.ts';
import { isErrorClass } from '#core/errors/error-class.ts';
import { fix } from '#core/messages/fixes.ts';
import type { Notice } from '#core/messages/notices.ts';
import { baseRenderer } from '#core/messages/render.ts';
import { findProvider } from '#core/providers/list.ts';
import type { CallStore } from '#core/stores/calls.ts';
import type { Store } from '#core/stores/store.ts';
import type { Clock } from '#core/time/clock.ts';
import { utcDay } from '#core/time/utc-day.ts';
import type { Budgets } from '#manager/budget/budgets.ts';
import { LEGACY_VERSIONS, MODERN_VERSION } from '#mcp/protocol-versions.ts';
import type { ModelDirectory } from '#models/model-directory.ts';
import { getFromDaemon } from '#net/get-from-daemon.ts';
import type { Breakers } from '#resilience/breaker-types.ts';
import { createLimiter } from '#resilience/limiter.ts';
import { MIGRATIONS } from '#store/migrations/migrations.ts';
import { createSearch } from '#telemetry/logs/log-search.ts';
import { tail } from '#telemetry/logs/log-reader.ts';
import { withTimeout } from './with-timeout.ts';
import { BUILD } from './build-info.ts';
import type { LoopbackTarget } from './listeners/daemon-url.ts';

/** The parts of the daemon that its own tools report on. */
export interface OpsParts {
  readonly loaded: LoadedConfig;
  readonly store: Pick<Store, 'health' | 'calls' | 'breakers' | 'usage'>;
  /** The location of the store, for display. */
  readonly storedIn: string;
  /** Called when a tool runs: tools are created before the calls that run them. */
  readonly calls: () => Pick<Calls, 'list' | 'load'>;
  readonly connections: () => number;
  /** The address that the daemon listens on; undefined before it listens. */
  readonly endpoint: () => string | undefined;
  /** How the daemon reaches itself over TCP; undefined without a port. */
  readonly listener: () => LoopbackTarget | undefined;
  /**
   * Notices beyond those of the configuration, such as settings that a client has and the daemon
   * lacks.
   */
  readonly notices: () => readonly Notice[];
  readonly diagnose: () => Promise<DoctorReport>;
  /** The state of each provider, including a server discovered on this machine. */
  readonly modelDirectory: Pick<ModelDirectory, 'providers'>;
  /** Remaining budgets; undefined if there are none. */
  readonly budgets?: Pick<Budgets, 'left'>;
  /** Current breakers; if undefined, the stored states are used. */
  readonly breakers?: Pick<Breakers, 'all'>;
  readonly clock: Clock;
}

const READ_TIMEOUT_MS = 5000;
const DOCTOR_PATIENCE_MS = 20_000;

export function createOps(parts: OpsParts): Diagnostics {
  const { loaded, store, calls, clock } = parts;
  const startedAt = clock.monotonic();
  const logFile = join(loaded.home.logDir, 'daemon.jsonl');
  const kind = loaded.config.database === '' ? 'sqlite' : 'postgres';
  const look = createStoreLook(store, { kind, name: parts.storedIn }, clock);
  const turns = createSerialReads(clock);

  const within = async <T>(ms: number, what: string, work: Promise<T>): Promise<T> => {
    const outcome = await withTimeout(clock, ms, work);
    if (outcome !== 'late') return outcome;
    throw new CallError('timeout', `${what} did not answer within ${ms / 1000} seconds.`, {
      fixes: [fix('retry'), fix('run_doctor')],
    });
  };

  async function breakers(): Promise<readonly BreakerFinding[]> {
    const all = await within(READ_TIMEOUT_MS, 'The store', store.breakers.all());
    const saved = all.map(({ key, state }) => ({ key, ...stateOf(state) }));
    if (!parts.breakers) return saved;
    // The end of a cool-down is known only to the breaker itself; the store is updated with the
    // next request.
    const live = new Map(parts.breakers.all().map((view) => [view.key, view]));
    return saved.map((each) => {
      const { is = 'closed', reason } = live.get(each.key) ?? {};
      return { ...each, state: is, ...(reason && { because: baseRenderer.reason(reason) }) };
    });
  }

  return {
    build: OPS_BUILD,
    uptimeMs: () => clock.monotonic() - startedAt,
    endpoint: parts.endpoint,
    gateway() {
      const url = parts.endpoint();
      return loaded.config.gateway.enabled && url !== undefined ? `${url}/v1` : undefined;
    },
    load(): DaemonLoad {
      const maxConnections = loaded.config.limits.connections;
      return { ...calls().load(), connections: parts.connections(), maxConnections };
    },
    catalogue(caller) {
      const { version, tools } = calls().list(caller);
      return { version, names: tools.map(({ name }) => name) };
    },
    store: look,
    probe: () => probeAll({ look, calls: store.calls, listener: parts.listener, clock }),
    providers: () => providersOf(loaded, parts.modelDirectory),
    breakers,
    spending(caller) {
      const { usage } = store;
      const found = findSpending(caller, { usage, breakers, budgets: parts.budgets, clock });
      return within(READ_TIMEOUT_MS, 'The store', found);
    },
    notices: () => [...loaded.notices, ...parts.notices()],
    calls: (filter) => turns(() => within(READ_TIMEOUT_MS, 'The store', store.calls.list(filter))),
    logLines: (count) => turns(() => within(READ_TIMEOUT_MS, 'The disk', tail(logFile, count))),
    search: createSearch({ clock }),
    diagnose: () => within(DOCTOR_PATIENCE_MS, 'The doctor', parts.diagnose()),
  };
}

/** Provider findings by the current settings. */
function providersOf(
  loaded: LoadedConfig,
  desk: OpsParts['modelDirectory'],
): readonly ProviderFinding[] {
  const states = desk.providers();
  return listKeys(loaded)
    .filter(({ name }) => findProvider(name) !== undefined)
    .map(({ name, title }) => ({
      name,
      title,
      configured: states.some(({ id, configured }) => id === name && configured),
    }));
}

/** Breakers tag their states; a state without a tag was not written by us. */
function stateOf(saved: unknown): Omit<BreakerFinding, 'key'> {
  const { is, trouble } = (saved ?? {}) as { is?: unknown; trouble?: unknown };
  const { class: errorClass } = (trouble ?? {}) as { class?: unknown };
  return {
    state: typeof is === 'string' ? is : 'unknown',
    ...(typeof errorClass === 'string' && isErrorClass(errorClass) && { errorClass }),
  };
}

/** Version and build of this program, with the supported MCP revisions, newest first. */
export const OPS_BUILD: BuildFacts = {
  ...BUILD,
  protocols: [MODERN_VERSION, ...LEGACY_VERSIONS],
};

const PROBE_TIMEOUT_MS = 3000;

interface Probed {
  readonly look: Diagnostics['store'];
  readonly calls: Pick<CallStore, 'list'>;
  readonly listener: () => LoopbackTarget | undefined;
  readonly clock: Clock;
}

/** Probes each part, in parallel and in bounded time. Failures are findings. */
async function probeAll(probed: Probed): Promise<readonly ProbeFinding[]> {
  const { look, calls, clock } = probed;
  const target = probed.listener();
  return Promise.all([
    probe('the store', clock, async () => {
      const { ok, detail } = await look('ask');
      if (!ok) throw new CallError('network', detail ?? 'It does not work.');
    }),
    probe('the audit', clock, () => calls.list({ limit: 1 })),
    ...(target ? [probe('the listener', clock, () => askListener(target, clock))] : []),
  ]);
}

async function probe(
  what: string,
  clock: Clock,
  work: () => Promise<unknown>,
): Promise<ProbeFinding> {
  const startedAt = clock.monotonic();
  const elapsed = () => Math.round(clock.monotonic() - startedAt);
  try {
    const outcome = await withTimeout(clock, PROBE_TIMEOUT_MS, work());
    if (outcome !== 'late') return { what, ok: true, elapsedMs: elapsed() };
    return {
      what,
      ok: false,
      elapsedMs: elapsed(),
      detail: `No answer in ${PROBE_TIMEOUT_MS} ms.`,
    };
  } catch (thrown) {
    return { what, ok: false, elapsedMs: elapsed(), detail: CallError.from(thrown).message };
  }
}

async function askListener({ url, ...tls }: LoopbackTarget, clock: Clock): Promise<void> {
  const call = { timeoutMs: PROBE_TIMEOUT_MS, clock, token: '', ...tls };
  const { status } = await getFromDaemon(`${url}/healthz`, call);
  if (status !== 200) throw new CallError('bad_response', `It answers with ${status}.`);
}

export interface SpendingParts {
  readonly usage: Pick<Store['usage'], 'totals'>;
  readonly breakers: () => Promise<readonly BreakerFinding[]>;
  readonly budgets: Pick<Budgets, 'left'> | undefined;
  readonly clock: Pick<Clock, 'now'>;
}

/** Today's spending: of all clients for the owner, else of the caller alone. */
export async function findSpending(
  { principal }: Parameters<Diagnostics['spending']>[0],
  { usage, breakers, budgets, clock }: SpendingParts,
): Promise<SpendingFinding> {
  const day = utcDay(clock.now());
  const whose = principal === OWNER.principal ? {} : { principal };
  const [totals, findings] = await Promise.all([
    usage.totals({ ...whose, fromDay: day, toDay: day }),
    breakers(),
  ]);
  const sum = (name: 'calls' | 'costMicroUsd' | 'unpriced' | 'estimated') =>
    totals.reduce((all, total) => all + total[name], 0);
  const left = budgets?.left(principal);
  // The remaining shared budget would tell a client what the others spend.
  const budget = left?.whose === 'everyone' && principal !== OWNER.principal ? undefined : left;
  return {
    day,
    calls: sum('calls'),
    costMicroUsd: sum('costMicroUsd'),
    unpriced: sum('unpriced'),
    estimated: sum('estimated'),
    ...(budget && {
      budget: {
        leftMicroUsd: budget.leftMicroUsd,
        because: baseRenderer.reason(budget.reason),
      },
    }),
    exhausted: findings.flatMap(exhaustedBalance),
  };
}

/**
 * An account's breaker opens at once when the provider requires payment, and stays open until it
 * answers again.
 */
function exhaustedBalance({ key, state, errorClass }: BreakerFinding): ExhaustedBalance[] {
  const isAccount = !key.includes('/');
  if (!isAccount || state === 'closed') return [];
  if (errorClass !== 'billing' && errorClass !== 'quota') return [];
  return [{ provider: key, errorClass }];
}

const STORE_TIMEOUT_MS = 2000;
/** Results are cached this long, so that many requests do not load the store. */
const FRESH_MS = 5000;

/** Checks the store in bounded time and never rejects. Concurrent checks share one result. */
function createStoreLook(
  store: Pick<Store, 'health'>,
  place: Pick<StoreFinding, 'kind' | 'name'>,
  clock: Clock,
): Diagnostics['store'] {
  let last: { readonly at: number; readonly finding: Promise<StoreFinding> } | undefined;

  return (look) => {
    const isFresh = last !== undefined && clock.monotonic() - last.at < FRESH_MS;
    if (look === 'known' && last && isFresh) return last.finding;
    const finding = ask(store, place, clock);
    last = { at: clock.monotonic(), finding };
    return finding;
  };
}

async function ask(
  store: Pick<Store, 'health'>,
  place: Pick<StoreFinding, 'kind' | 'name'>,
  clock: Clock,
): Promise<StoreFinding> {
  const lost = { ...place, ok: false, schemaVersion: MIGRATIONS.length };
  try {
    const health = await withTimeout(clock, STORE_TIMEOUT_MS, store.health());
    return health === 'late'
      ? { ...lost, detail: 'It does not answer.' }
      : { ...health, name: place.name };
  } catch (thrown) {
    return { ...lost, detail: CallError.from(thrown).message };
  }
}

/** Runs reads one at a time. */
type SerialReads = <T>(read: () => Promise<T>) => Promise<T>;

const MAX_WAITING = 32;
const COME_BACK_MS = 1000;
const ONE_QUEUE = { pools: ['reads'], fairnessKey: 'reads' };

/**
 * Serialises long reads. A page of thousands of rows takes tens of milliseconds of this thread; a
 * thousand concurrent reads would block all other work and fill the memory.
 */
export function createSerialReads(clock: Clock): SerialReads {
  const limiter = createLimiter({ capacity: () => 1, maxWaiting: MAX_WAITING });
  return async (read) => {
    const admission = limiter.acquire(ONE_QUEUE);
    if (admission.is === 'full') throw tooMany();
    const permit = admission.is === 'granted' ? admission.permit : await admission.entry.permit;
    if (!permit) throw tooMany();
    try {
      return await read();
    } finally {
      // Yields to other work between two reads: a reader thread that answers at once would starve
      // the event loop.
      clock.after(0, () => permit.release());
    }
  };
}

function tooMany(): CallError {
  return new CallError('over_capacity', 'Too many long reports are asked for at once.', {
    retryAfterMs: COME_BACK_MS,
    fixes: [fix('retry', { afterMs: 1000 }), 'Ask for fewer lines if you can.'],
  });
}
