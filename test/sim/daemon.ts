import { NO_DOCUMENTS } from '#tools/gateway/no-documents.fixture.ts';
import { createLifecycle } from '#app/daemon/lifecycle.ts';
import { createEngine } from '#app/engine.ts';
import { uuidFrom } from '#app/uuid.ts';
import type { Calls } from '#core/calls/calls.ts';
import type { Envelope } from '#core/calls/envelope.schema.ts';
import { createIds } from '#core/ids.ts';
import type { Log, Metrics, Tracer } from '#core/telemetry/telemetry.ts';
import type { Tool } from '#core/tools/tool.ts';
import type { Limiter } from '#resilience/limiter.ts';
import { jobTools as jobDeskTools } from '#tools/jobs/job-tools.ts';
import { gatewayOperations } from '#tools/gateway/index.ts';
import { createGateway } from '#transport/gateway/gateway.ts';
import { createReceiveBuffers, MAX_RECEIVE_BUFFER_BYTES } from '#transport/http/receive-buffers.ts';
import { createMcpHttp } from '#transport/streamable/mcp-http.ts';
import type { ConnectionInfo, Session } from '../../src/transport/channel.ts';
import type { Vendor } from './asking-plan.ts';
import type { Book } from './book.ts';
import { createClockSkew } from './clock-skew.ts';
import type { Disk } from './disk.ts';
import { createGatewayWatch } from './gateway-watch.ts';
import { createHttpWatch, type HttpWatch } from './http-watch.ts';
import type { SimExchange } from './http-wire.ts';
import type { DaemonFreeze } from './daemon-freeze.ts';
import type { JobBook } from './job-book.ts';
import { createJobTransport, type JobTransport } from './job-transport.ts';
import { jobTools } from './job-tools.ts';
import { createJobWatch } from './job-watch.ts';
import { createSimProcess, createSimClock, EPOCH_MS, type SimClock } from './sim-process.ts';
import type { VendorMode } from './vendor-modes.ts';
import type { Plan } from './plan.ts';
import type { Plants } from './plants.ts';
import type { SeededRandom } from './random.ts';
import { createSimManager, type SimManager } from './sim-manager.ts';
import { configOf, DEFAULTS } from './sim-config.ts';
import { createSimStore, type SimStore } from './sim-store.ts';
import { simTools, watchedTool, type Workshop } from './sim-tools.ts';
import { STATE_KEY } from './state-key.ts';
import { createWatch, type Watch } from './watch.ts';
import type { DaemonEnd } from './wire.ts';
import type { Simulation } from './simulation.ts';

/**
 * The daemon without its process and its sockets: everything between a channel and the disk is the
 * real thing.
 */
const refuse = async () => {
  throw new Error('Simulated clients upload nothing.');
};
const NO_FILES = { write: refuse, get: refuse, list: refuse, delete: refuse, read: refuse };

export interface SimDaemon {
  readonly watch: Watch;
  readonly limiter: Limiter;
  readonly clock: SimClock;
  readonly calls: Calls;
  readonly store: SimStore;
  readonly managing: SimManager;
  /** What serves HTTP has timers that go on while nobody is there. */
  readonly httpClock: SimClock;
  readonly gatewayClock: SimClock;
  readonly http: HttpWatch;
  readonly httpSize: number;
  readonly isStopping: boolean;
  readonly connections: number;
  /** By what name it takes jobs. */
  readonly owner: string;
  readonly jobDoor: JobTransport;
  /** Nothing when it takes nobody any more. */
  open(channel: DaemonEnd, opening: ConnectionInfo): Session | undefined;
  /** False when it takes nobody any more. */
  serve(exchange: SimExchange): boolean;
  /** What must be so after every event. */
  check(): void;
  changeTools(): void;
  /** Takes a client's token away; resolves when it is, with the time it is good for still. */
  revoke(id: string): Promise<number>;
  /** Puts another token in the place of a client's. */
  rotate(oldToken: string, newToken: string): Promise<number>;
  /** Answers what runs, closes what is open, writes what is noted. */
  stop(): Promise<void>;
  /** Everything in memory is gone at once. */
  crash(): void;
}

export interface DaemonOptions {
  readonly simulation: Simulation;
  readonly disk: Disk;
  readonly plan: Plan;
  readonly plants: Plants;
  readonly random: SeededRandom;
  readonly daemonFreeze: DaemonFreeze;
  readonly book: Book;
  readonly jobBook: JobBook;
  /** It could not begin its work. */
  readonly failed: () => void;
  readonly isRevoked: (credential: string) => boolean;
  readonly mode: (vendor: Vendor) => VendorMode;
  /** A call was answered. */
  readonly answered: (envelope: Envelope) => void;
}

const GOING_AWAY = 1001;
const DRAIN_MS = 8000;
/** The longest that a stop may take after its drain. */
const STOP_MS = 10_000;

const SILENT_LOG: Log = { info() {}, warn() {}, error() {}, with: () => SILENT_LOG };
const NO_METRICS: Metrics = {
  counter: () => ({ add() {} }),
  histogram: () => ({ observe() {} }),
  gauge() {},
};
const NO_TRACER: Tracer = {
  span: async (_name, _options, work) =>
    work({ traceId: '0'.repeat(32), traceparent: undefined, set() {} }),
};

const HEALTH = {
  t: 0,
  uptime_human: '00:00:00',
  sessions: 0,
  global_capacity: 0,
  global_inflight: 0,
  tool_count: 0,
};

export function startDaemon(options: DaemonOptions): SimDaemon {
  const { simulation, disk, plan, plants, random, daemonFreeze, book, isRevoked } = options;
  const life = createSimProcess(simulation, daemonFreeze);
  const skewMs = createClockSkew(simulation, random.fork('clock'));
  const realClock = createSimClock(simulation, life, skewMs);
  const clock = plants.clock?.(realClock) ?? realClock;
  const { jobBook } = options;
  const store = createSimStore(disk, simulation, life, random.fork('store'), jobBook, plants.bound);
  const among = plan.jobs.daemons === 2 ? 'others' : 'alone';
  const jobWatch = createJobWatch({
    simulation,
    daemonFreeze,
    disk,
    among,
    book: jobBook,
    calls: () => watch.calls,
  });
  const watch = createWatch({
    simulation,
    life,
    daemonFreeze,
    disk,
    limits: plan.limits,
    book,
    jobs: jobWatch,
    isRevoked,
    recorded: (row) => managing.asks.recorded(row),
    storeFailure: () => store.failure(),
    operation: (name) => operations.find((tool) => tool.name === name),
    answered(reqId, answer) {
      options.answered(answer.envelope);
      managing.asks.answered(reqId, answer);
    },
  });
  const chance = random.fork('ids');
  const newId = watch.newId(createIds(clock, (bytes) => chance.bytes(bytes)));

  const audit = watch.wrapStore(plants.store?.(store.calls, realClock) ?? store.calls);
  const config = configOf(plan, plants);
  const managing: SimManager = createSimManager({
    ...options,
    config,
    plan: plan.asking,
    limits: plan.limits,
    // What is stored of breakers and budgets is compared with the right time.
    clock: {
      now: () => EPOCH_MS + simulation.now,
      monotonic: () => clock.monotonic(),
      after: (ms, then) => clock.after(ms, then),
    },
    random: random.fork('vendors'),
    bytes: (bytes) => chance.bytes(bytes),
    newId,
    onExtended: (reqId, ms) => watch.extended(reqId, ms),
    store,
    log: SILENT_LOG,
    metrics: NO_METRICS,
  });
  const owner = newId('writer');
  const engine = createEngine({
    config,
    among,
    store: {
      calls: audit,
      clients: store.clients,
      jobs: jobWatch.wrapStore(plants.jobStore?.(store.jobs, clock) ?? store.jobs),
      results: store.results,
      failure: () => (plants.storeFailure ? undefined : store.failure()),
    },
    clock,
    random: (bytes) => chance.bytes(bytes),
    newId,
    log: SILENT_LOG,
    metrics: NO_METRICS,
    tracer: NO_TRACER,
    version: '0.1.0',
    tokens: {
      token: config.token,
      anonymous: config.token === '' ? 'allowed' : 'refused',
      peerUser: async () => 'same',
      checkToken: () => undefined,
      saveToken: () => ({ kept: true }),
    },
    local: {
      instance: owner,
      userFolder: '/home/someone',
      missingSettings: () => [],
      requestStop: () => undefined,
    },
    exai: { health: () => HEALTH },
    manager: managing.manager,
    stateKey: STATE_KEY,
    decorate: {
      limiter: (real) => plants.limiter?.(real) ?? real,
      calls: (real) => watch.wrap(plants.calls?.(real) ?? real),
    },
  });
  const { registry, limiter, calls, openSession, authenticator } = engine;
  void authenticator.refresh();
  const operations = gatewayOperations({
    ...config.gateway,
    modelDirectory: managing.desk,
    responses: store.responses,
    files: NO_FILES,
    ...NO_DOCUMENTS,
    newId,
    embeddingAliases: [],
    quotes: config.fallback.extractive === 'always' ? 'always' : 'as_asked',
  }).map((tool) => watchedTool(tool, watch.workshop));
  const ownTools = jobDeskTools({ jobs: engine.jobs, results: engine.results, clock });
  registry.put('builtin', [
    ...toolsOf(watch.workshop),
    ...ownTools.map((tool) => watchedTool(tool, watch.workshop)),
  ]);
  engine.content.put('builtin', { operations });

  const jobDoor = createJobTransport(calls, plants.jobs?.(engine.jobs) ?? engine.jobs, life);
  // A daemon that cannot take up its jobs does not start.
  engine.jobLife.begin().catch(() => options.failed());

  const http = createHttpWatch({ simulation, disk, watch, jobBook });
  const realHttpClock = createSimClock(simulation, life, skewMs);
  const httpClock = plants.httpClock?.(realHttpClock) ?? realHttpClock;
  const openMcp = http.around((line, about) => engine.openMcp(line, about));
  const receiveBuffers = createReceiveBuffers({
    maxBytes: MAX_RECEIVE_BUFFER_BYTES,
    clock: httpClock,
  });
  const mcpHttp = createMcpHttp({
    receiveBuffers,
    ...plan.http,
    openMcp: (line, about) => openMcp(plants.line?.(line, about) ?? line, about),
    authenticator: plants.authenticator?.(authenticator) ?? authenticator,
    find: (name) => calls.find(name),
    clock: httpClock,
    newSession: () => uuidFrom(chance.bytes(16)),
    maxBodyBytes: DEFAULTS.listener.maxBodyBytes,
    metrics: NO_METRICS,
  });
  const mcp = mcpHttp.endpoints.find(({ path }) => path === '/mcp');
  const realGatewayClock = createSimClock(simulation, life, skewMs);
  const gatewayClock = plants.gatewayClock?.(realGatewayClock) ?? realGatewayClock;
  const gateway = createGateway({
    receiveBuffers,
    responses: store.responses,
    files: NO_FILES,
    calls,
    authenticator: plants.gatewayDoorman?.(authenticator) ?? authenticator,
    clock: gatewayClock,
    newSession: () => uuidFrom(chance.bytes(16)),
    maxBodyBytes: config.gateway.maxBodyBytes,
    headHoldMs: plants.headHoldMs?.(plan.gateway.headHoldMs) ?? plan.gateway.headHoldMs,
    sseKeepaliveMs: plan.gateway.keepaliveMs,
    repeats: config.gateway,
    maxRunning: () => config.limits.global,
    metrics: NO_METRICS,
  });
  const chats = createGatewayWatch({
    simulation,
    daemonFreeze,
    watch,
    plan: plan.gateway,
    isRevoked,
  });
  const endpointOf = (path: string) =>
    path === '/mcp' ? mcp : gateway.endpoints.find((endpoint) => endpoint.path === path);
  const exchanges = new Set<SimExchange>();

  const connections = new Map<DaemonEnd, { session: Session; id: string }>();
  let isTaking = true;

  async function drain(channel: DaemonEnd, session: Session, id: string): Promise<void> {
    const isDrained = await within(session.drain(), DRAIN_MS);
    for (const call of watch.calls.values())
      if (isDrained && call.session === id && call.state === 'open' && !call.job && !call.isGivenUp)
        simulation.violate('drain', `${call.reqId} is open though its session has drained`);
    channel.close(GOING_AWAY, 'The daemon is stopping.');
  }

  /**
   * As the real listeners do it: whoever waits for an answer of its client is not waited for without
   * end.
   */
  function within(work: Promise<void>, ms: number): Promise<boolean> {
    return new Promise((resolve) => {
      const late = life.after(ms, () => resolve(false));
      void work.then(() => {
        late.stop();
        resolve(true);
      });
    });
  }

  /** As the real daemon does it: what hangs is left behind. */
  async function stopParts(): Promise<readonly string[]> {
    const lifecycle = createLifecycle(createSimClock(simulation, life));
    await lifecycle.start('store', { start: () => store, stop: () => store.close() });
    await lifecycle.start('models', { start: () => managing, stop: () => managing.close() });
    await lifecycle.start('jobs', { start: () => engine, stop: () => engine.jobLife.stop() });
    return lifecycle.stop(() => undefined);
  }

  return {
    http,
    httpClock,
    gatewayClock,
    owner,
    jobDoor,
    check() {
      watch.check(limiter);
      if (daemonFreeze.isFrozen) return;
      managing.check();
      chats.check(gateway);
    },
    get httpSize() {
      return mcpHttp.size;
    },
    get isStopping() {
      return !isTaking;
    },
    serve(exchange) {
      const endpoint = endpointOf(exchange.path);
      if (!life.isAlive || !endpoint) return false;
      exchanges.add(exchange);
      if (endpoint !== mcp) chats.arrived(exchange);
      exchange.onGone = () => {
        exchanges.delete(exchange);
        chats.left(exchange);
        if (exchange.mark !== undefined) watch.markGone(exchange.mark);
      };
      const plant = endpoint === mcp ? plants.exchange : plants.chatExchange;
      endpoint.handle(plant?.(exchange) ?? exchange);
      return true;
    },
    watch,
    limiter,
    clock,
    calls,
    store,
    managing,
    get connections() {
      return connections.size + exchanges.size;
    },
    open(channel, opening) {
      if (!isTaking || !life.isAlive) return undefined;
      const session = openSession(channel, opening);
      connections.set(channel, { session, id: opening.session });
      channel.onGone = () => {
        connections.delete(channel);
        watch.checkGone(opening.session);
      };
      return session;
    },
    changeTools: () =>
      registry.put(
        'builtin',
        [
          ...toolsOf(watch.workshop),
          ...ownTools.map((tool) => watchedTool(tool, watch.workshop)),
        ].map((tool) => ({ ...tool, title: `${tool.title} anew` })),
      ),
    async revoke(id) {
      await store.clients.expire(id, clock.now());
      authenticator.revoke(id);
      return 0;
    },
    async rotate(oldToken, newToken) {
      const { graceMs } = await authenticator.rotate(oldToken, newToken);
      return graceMs;
    },
    async stop() {
      isTaking = false;
      const open = [...connections];
      const late = life.after(2 * DRAIN_MS, () => {
        const left = connections.size + exchanges.size;
        simulation.violate('drain', `${left} connections were not drained in time`);
      });
      await Promise.all([
        mcpHttp.drain(DRAIN_MS),
        jobDoor.drain(DRAIN_MS),
        engine.jobLife.drain(DRAIN_MS),
        gateway.drain(plan.gateway.drainMs).then(() => chats.drained()),
        ...open.map(([channel, { session, id }]) => drain(channel, session, id)),
      ]);
      if (gateway.size > 0 && exchanges.size === 0)
        simulation.violate('drain', `${gateway.size} chats are left`);
      if (mcpHttp.size > 0)
        simulation.violate('drain', `${mcpHttp.size} sessions over HTTP are left`);
      while (connections.size + exchanges.size > 0) await watch.workshop.sleep(5);
      late.stop();
      const drainedAt = simulation.now;
      const frozenBeforeMs = daemonFreeze.frozenMs;
      const hanging = await stopParts();
      const tookMs = simulation.now - drainedAt - (daemonFreeze.frozenMs - frozenBeforeMs);
      if (tookMs > STOP_MS) simulation.violate('stop', `a stop took ${tookMs} ms after its drain`);
      if (hanging.length === 0) managing.asks.checkStored();
      else store.giveUp();
    },
    crash() {
      life.end();
      isTaking = false;
      for (const channel of connections.keys()) channel.die();
      connections.clear();
      for (const exchange of exchanges) exchange.die();
      exchanges.clear();
    },
  };
}

function toolsOf(workshop: Workshop): Tool[] {
  return [...simTools(workshop), ...jobTools(workshop)];
}
