import { hash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildEngine } from '#app/build-engine.ts';
import { openListeners, type Listeners } from '#app/listeners/listeners.ts';
import type { Engine } from '#app/engine.ts';
import { createLifecycle } from '#app/daemon/lifecycle.ts';
import type { ModelSide } from '#app/manager/model-side.ts';
import { openManager, type RunningManager } from '#app/manager/open-manager.ts';
import { openUpstreams } from '#app/providers/upstreams.ts';
import { systemClock, systemRandom } from '#app/system.ts';
import { loadConfig } from '#config/load/load.ts';
import type { Manager } from '#core/llm/ask.ts';
import type { Clock } from '#core/time/clock.ts';
import { deadlineIn } from '#core/time/deadline.ts';
import { createIds } from '#core/ids.ts';
import type { Json } from '#core/json/json.ts';
import type { StreamTimeouts } from '#core/llm/provider.ts';
import type { Random } from '#core/random.ts';
import type { BreakerStore } from '#core/stores/breakers.ts';
import type { AttemptRecord, CallRecord } from '#core/stores/calls.ts';
import type { Store } from '#core/stores/store.ts';
import type { UsageTotal } from '#core/stores/usage.ts';
import { createMetrics } from '#telemetry/metrics/metrics.ts';
import type { SeenRequest } from '../../emulator/requests.ts';
import { startEmulator, type Emulator } from '../../emulator/start.ts';
import { createVendors } from '../../emulator/vendors.ts';
import { createListLog, type ListLog } from '../list-log.ts';
import { withWatchedCitations } from '../watch-citations.ts';
import { withContinuations } from './ask-continuations.ts';
import { ASK_KEYS, SET_UP, type SetUp } from './ask-under-test.ts';
import { open, send, type SendOptions, type Sent, type Stream } from './gateway-client.ts';
import { eventually } from '../eventually.ts';
import { countingClock } from './provider-under-test.ts';

export interface GatewayHarnessOptions {
  readonly store: Store;
  /** Everybody unless told. */
  readonly providers?: readonly SetUp[];
  /** Sections of the configuration, beside keys and addresses. */
  readonly settings?: Readonly<Record<string, object>>;
  /** Where the vendors are; at the emulator unless told. */
  readonly vendorsUrl?: string;
  /** Fetches pictures and documents; nothing can unless told. */
  readonly withPublicHttp?: ModelSide['withPublicHttp'];
  /** Of the listeners; the machine's unless told. */
  readonly doorClock?: Clock;
}

/** The vendors on loopback, and a daemon's engine and listeners before them, in this process. */
export interface GatewayHarness {
  readonly emulator: Emulator;
  /** A client of its own, for whom nobody has failed yet, before vendors that are as new. */
  rig(options?: RigOptions): Promise<GatewayRig>;
  close(): Promise<void>;
}

export interface RigOptions {
  readonly patience?: StreamTimeouts;
}

export type Asking = Omit<SendOptions, 'url' | 'key'>;

export interface GatewayRig {
  readonly url: string;
  readonly key: string;
  readonly log: ListLog;
  readonly crumbs: ListLog;
  send(asking: Asking): Promise<Sent>;
  open(asking: Asking): Stream;
  drain(withinMs: number): Promise<void>;
  /** As they are on disk. */
  calls(reqId: string): Promise<readonly CallRecord[]>;
  attempts(reqId: string): Promise<readonly AttemptRecord[]>;
  usage(): Promise<readonly UsageTotal[]>;
  /** Chats that a vendor received. */
  chats(vendor?: string): readonly SeenRequest[];
  /**
   * What is still held of the requests so far, in a moment at the latest: calls, timers, money,
   * leave to ask.
   */
  held(): Promise<readonly string[]>;
  close(): Promise<void>;
}

const LONG: StreamTimeouts = { firstTokenMs: 20_000, idleMs: 20_000 };
/** So much that nothing is ever refused for it, and set, so that money is set aside at all. */
const RICH = { clientDailyUsd: 1000 };
/** Nothing of the matrix waits for these, unless a test says otherwise. */
const GATEWAY = { timeoutMs: 25_000 };

const newId = createIds(systemClock, systemRandom);
const NO_TRACER = {
  isOff: true as const,
  span: <T>(_name: string, _options: object, work: (span: never) => Promise<T>) =>
    work({ traceId: '0'.repeat(32), traceparent: undefined, set: () => undefined } as never),
};

export async function openGatewayHarness(options: GatewayHarnessOptions): Promise<GatewayHarness> {
  const { store, providers = Object.keys(SET_UP) as SetUp[] } = options;
  const emulator = await startEmulator({
    vendors: withContinuations(createVendors(), () => 'exactly'),
  });
  const home = mkdtempSync(join(tmpdir(), 'exai-gateway-'));
  const settings = {
    budget: RICH,
    gateway: GATEWAY,
    ...options.settings,
    providers: addresses(options.vendorsUrl ?? emulator.url, providers),
  };
  writeFileSync(join(home, 'config.json'), JSON.stringify(settings), { mode: 0o600 });
  const loaded = loadConfig({
    env: { EXAI_HOME: home, EXAI_PORT: '0', EXAI_AUTH_REQUIRE_TOKEN: 'false' },
  });
  const clock = countingClock(systemClock);
  const log = createListLog();
  const crumbs = createListLog();
  const metrics = createMetrics();
  const { config } = loaded;
  const random = systemRandom;
  const outside = await openUpstreams({ config, settings: store.settings, clock, random, log });
  let managing: RunningManager | undefined;
  let listeners: Listeners | undefined;
  const telemetry = { log, crumbs, metrics, tracer: NO_TRACER };
  const engine = await buildEngine({
    loaded,
    // Of its own, as its log is sparing by the minute: only what asks is to leave no timer.
    system: { clock: systemClock, random, warn: () => undefined },
    host: '127.0.0.1',
    store,
    storedIn: 'SQLite in a folder',
    newId,
    telemetry: { ...telemetry, flush: async () => undefined, stop: async () => undefined },
    instance: 'i',
    startedAtMs: systemClock.now(),
    listeners: () => listeners,
    requestStop: () => undefined,
    modelDirectory: outside.modelDirectory,
    manager: withWatchedCitations(whoeverIs(() => managing?.manager)),
    lifecycle: createLifecycle(systemClock),
    ...(options.withPublicHttp && { withPublicHttp: options.withPublicHttp }),
  });
  listeners = await openListeners({
    config,
    port: 'configured',
    socketFile: join(home, 'daemon.sock'),
    isLockIntact: () => true,
    engine,
    responses: store.responses,
    files: store.files,
    http: { routes: [], isTrusted: async () => true },
    clock: options.doorClock ?? systemClock,
    random,
    newId,
    log,
    metrics,
    tracer: NO_TRACER,
  });
  const entered = listeners;

  return {
    emulator,
    async rig({ patience = LONG } = {}) {
      emulator.reset();
      // A search that the model may leave be is one that it talks about.
      Object.assign(emulator.switches['glm'] ?? {}, { searchIntent: 'always' });
      log.lines.length = 0;
      crumbs.lines.length = 0;
      managing = await openManager({
        config: { ...config, timeouts: patience },
        store: { ...store, breakers: forgetful() },
        upstreams: outside,
        clock,
        random: AT_ONCE,
        telemetry,
      });
      const client = await addClient(store);
      return createRig({
        managing,
        engine,
        listeners: entered,
        emulator,
        store,
        clock,
        log,
        crumbs,
        client,
      });
    },
    async close() {
      await entered.drain(0);
      await outside.close();
      await emulator.close();
      rmSync(home, { recursive: true, force: true });
    },
  };
}

/** One that is put in place of another does not need an engine of its own. */
function whoeverIs(now: () => Manager | undefined): Manager {
  const manager = () => {
    const found = now();
    if (!found) throw new Error('There is no manager yet.');
    return found;
  };
  return {
    ask: (...asked) => manager().ask(...asked),
    explain: (...asked) => manager().explain(...asked),
    classify: (...asked) => manager().classify(...asked),
  };
}

interface TestClient {
  readonly name: string;
  readonly key: string;
}

async function addClient(store: Store): Promise<TestClient> {
  const id = newId('client');
  const name = id.toLowerCase().replaceAll('_', '-');
  const key = `exai_${Buffer.from(systemRandom(24)).toString('hex')}`;
  await store.clients.add({
    id,
    name,
    principal: name,
    tokenSha256: hash('sha256', key),
    scopes: ['*'],
  });
  return { name, key };
}

interface RigParts {
  readonly managing: RunningManager;
  readonly engine: Engine;
  readonly listeners: Listeners;
  readonly emulator: Emulator;
  readonly store: Store;
  readonly clock: ReturnType<typeof countingClock>;
  readonly log: ListLog;
  readonly crumbs: ListLog;
  readonly client: TestClient;
}

function createRig(parts: RigParts): GatewayRig {
  const { managing, engine, listeners, emulator, store, clock, client } = parts;
  const { key, name } = client;
  const url = listeners.bound?.url ?? '';
  let isClosed = false;
  const chats = (vendor?: string) =>
    emulator
      .requests(vendor === undefined ? {} : { vendor })
      .filter(({ method, path }) => method === 'POST' && path.includes('/chat'));

  function holding(): readonly string[] {
    const { running, waiting, waitingForProvider } = engine.calls.load();
    return [
      ...(running > 0 ? [`${running} calls`] : []),
      ...(waiting + waitingForProvider > 0 ? ['places'] : []),
      ...(clock.waiting() > 0 ? [`${clock.waiting()} timers`] : []),
      ...chats().flatMap(({ vendor, fault, left }) =>
        isEndless(fault?.id) && !left ? [`the silence of ${vendor}`] : [],
      ),
    ];
  }

  async function close(): Promise<void> {
    if (isClosed) return;
    isClosed = true;
    await managing.close();
  }

  return {
    url,
    key,
    log: parts.log,
    crumbs: parts.crumbs,
    send: (asking) => send({ ...asking, url, key }),
    open: (asking) => open({ ...asking, url, key }),
    drain: (withinMs) => listeners.drain(withinMs),
    calls: (reqId) => store.calls.list({ reqId, limit: 10 }),
    attempts: (reqId) => store.calls.attempts(reqId),
    usage: () =>
      store.usage.totals({ principal: name, fromDay: '2000-01-01', toDay: '2999-12-31' }),
    chats,
    async held() {
      const probes = probesOut(managing);
      const aside = await setAside(managing, name, clock);
      await close();
      await eventually(() => holding().length === 0);
      return [...probes, ...aside, ...holding()];
    },
    close,
  };
}

/**
 * Whoever has rested is tried with few probes: one that is refused shows that somebody never gave
 * his back.
 */
function probesOut({ breakers }: RunningManager): readonly string[] {
  return breakers.all().flatMap(({ key, is }) => {
    const slash = key.indexOf('/');
    if (is !== 'half_open' || slash === -1) return [];
    const asked = { provider: key.slice(0, slash), model: key.slice(slash + 1) };
    const probe = breakers.tryAcquire(asked);
    if (probe.is === 'refused') return [`a probe of ${key}`];
    probe.permit.cancel();
    return [];
  });
}

/** Only whoever hangs up ends these. */
function isEndless(fault: string | undefined): boolean {
  return fault === 'F5.silent' || fault === 'F5.headers' || fault === 'F5.stall';
}

/** More than anybody has: whoever is alone gets it, and nobody else. */
async function setAside(
  { budgets }: RunningManager,
  principal: string,
  clock: Clock,
): Promise<readonly string[]> {
  const { signal } = new AbortController();
  try {
    const alone = await budgets.reserve(principal, 1e15, {
      deadline: deadlineIn(clock, 0),
      signal,
    });
    alone.settle(0);
    return [];
  } catch {
    // It would have had to wait for what others have set aside.
    return ['money that was set aside'];
  }
}

const [KIMI = '', GLM = '', OPENROUTER = ''] = ASK_KEYS;

function addresses(url: string, providers: readonly SetUp[]): Record<string, object> {
  const all = {
    kimi: { apiKey: KIMI, baseUrl: `${url}/kimi/v1` },
    glm: { apiKey: GLM, baseUrl: `${url}/glm/api/paas/v4` },
    openrouter: { apiKey: OPENROUTER, baseUrl: `${url}/openrouter/api/v1` },
    custom: { baseUrl: `${url}/ollama/v1`, model: 'qwen3:8b' },
  };
  return Object.fromEntries(providers.map((id) => [id, all[id]]));
}

/** Full jitter from nothing: whoever may be asked again at once is. */
const AT_ONCE: Random = (bytes) => new Uint8Array(bytes);

function forgetful(): BreakerStore {
  const kept = new Map<string, Json>();
  return {
    save: async (key, state) => void kept.set(key, state),
    all: async () =>
      [...kept].map(([key, state]) => ({ key, state, updatedAt: systemClock.now() })),
  };
}
