import { CallError } from '#core/call-error.ts';
import type { Calls } from '#core/calls.ts';
import { createIds } from '#core/ids.ts';
import type { Log, Metrics, Tracer } from '#core/telemetry.ts';
import { createLimiter, type Limiter } from '#resilience/limiter.ts';
import { createCalls } from '../../src/calls/create-calls.ts';
import { createDoorman } from '../../src/calls/doorman.ts';
import { capacityOf } from '../../src/calls/limits.ts';
import { createRegistry, type Registry } from '../../src/calls/registry.ts';
import { createMetadata } from '../../src/calls/request-metadata.ts';
import type { Opening, Session } from '../../src/transport/channel.ts';
import { createExaiSession } from '../../src/transport/exai/exai-session.ts';
import { createLocalSession } from '../../src/transport/local/local-session.ts';
import { createMcpSession } from '../../src/transport/mcp/mcp-session.ts';
import { createOpenSession } from '../../src/transport/open-session.ts';
import { OWNER_TOKEN } from './badges.ts';
import type { Disk } from './disk.ts';
import { createLife, createSimClock, type SimClock } from './life.ts';
import type { Plan } from './plan.ts';
import type { Plants } from './plants.ts';
import type { SeededRandom } from './random.ts';
import { createSimStore, type SimStore } from './sim-store.ts';
import { READING, simTools } from './sim-tools.ts';
import { createWatch, type Watch } from './watch.ts';
import type { DaemonEnd } from './wire.ts';
import type { World } from './world.ts';

/** The daemon without its process and its sockets: everything between a channel and the disk is the real thing. */
export interface SimDaemon {
  readonly watch: Watch;
  readonly limiter: Limiter;
  readonly clock: SimClock;
  readonly calls: Calls;
  readonly store: SimStore;
  readonly connections: number;
  /** Nothing when it takes nobody any more. */
  open(channel: DaemonEnd, opening: Opening): Session | undefined;
  changeTools(): void;
  /** Answers what runs, closes what is open, writes what is noted. */
  stop(): Promise<void>;
  /** Everything in memory is gone at once. */
  crash(): void;
}

export interface DaemonOptions {
  readonly world: World;
  readonly disk: Disk;
  readonly plan: Plan;
  readonly plants: Plants;
  readonly random: SeededRandom;
}

const GOING_AWAY = 1001;
const DRAIN_MS = 8000;
// Short, so that a timer nobody stopped does its harm while there is still somebody to harm.
const HELLO_MS = 1000;
const PROGRESS_MS = 800;

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

// Time zones are costly to look up and the same in every world.
let nowMs = () => 0;
const metadata = createMetadata({ timezone: 'UTC', location: '' }, { now: () => nowMs() });

export function startDaemon({ world, disk, plan, plants, random }: DaemonOptions): SimDaemon {
  const life = createLife(world);
  const realClock = createSimClock(world, life);
  const clock = plants.clock?.(realClock) ?? realClock;
  nowMs = () => clock.now();
  const store = createSimStore(disk, world, life, random.fork('store'));
  const watch = createWatch(world, life, plan.limits);
  const chance = random.fork('ids');
  const newId = watch.newId(createIds(clock, (bytes) => chance.bytes(bytes)));

  const registry = createRegistry({ profile: 'full', enabled: [], disabled: [] });
  registry.put('builtin', simTools(watch.workshop));
  const limiter = plantedLimiter(plan, plants);
  const inner = createCalls({
    registry,
    limiter,
    capacity: plan.limits.global,
    retryAfterMs: 1000,
    metadata,
    store: watch.wrapStore(plants.store?.(store.calls) ?? store.calls),
    clock,
    newId,
    log: SILENT_LOG,
    metrics: NO_METRICS,
    tracer: NO_TRACER,
  });
  const calls = watch.wrap(plants.calls?.(inner) ?? inner);
  const doorman = createDoorman({
    token: plan.needsToken ? OWNER_TOKEN : '',
    graceMs: 1000,
    clients: store.clients,
    clock,
    newId,
    checkToken: () => undefined,
    keepToken: () => ({ kept: true }),
  });
  const shared = { calls, doorman, clock, log: SILENT_LOG, helloTimeoutMs: HELLO_MS };
  const mcp = {
    calls,
    log: SILENT_LOG,
    version: '0.1.0',
    instructions: '',
    loadSdk: () => Promise.reject(new CallError('internal', 'The simulation has no SDK.')),
  };
  const openSession = createOpenSession({
    doorman,
    clock,
    helloTimeoutMs: HELLO_MS,
    protocols: {
      mcp: (channel, about) => createMcpSession(channel, about, mcp),
      exai: (channel, opening) =>
        createExaiSession(channel, opening, {
          ...shared,
          newUuid: () => newId('client'),
          progressIntervalMs: PROGRESS_MS,
          compatText: true,
          health: () => health(registry, calls),
        }),
      local: (channel, opening) =>
        createLocalSession(channel, opening, {
          ...shared,
          openMcp: (line, about) => createMcpSession(line, about, mcp),
          version: '0.1.0',
          instance: newId('writer'),
          userFolder: '/home/someone',
          replay: () => READING,
          settingsLacking: () => [],
          requestStop: () => undefined,
        }),
    },
  });

  const connections = new Map<DaemonEnd, { session: Session; id: string }>();
  let isTaking = true;

  async function drain(channel: DaemonEnd, session: Session, id: string): Promise<void> {
    await session.drain();
    for (const call of watch.calls.values())
      if (call.session === id && call.state === 'open')
        world.violate('drain', `${call.reqId} is open though its session has drained`);
    channel.close(GOING_AWAY, 'The daemon is stopping.');
  }

  return {
    watch,
    limiter,
    clock,
    calls,
    store,
    get connections() {
      return connections.size;
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
        simTools(watch.workshop).map((tool) => ({ ...tool, title: `${tool.title} anew` })),
      ),
    async stop() {
      isTaking = false;
      const open = [...connections];
      const late = life.after(DRAIN_MS, () => {
        world.violate('drain', `${connections.size} connections were not drained in time`);
      });
      await Promise.all(open.map(([channel, { session, id }]) => drain(channel, session, id)));
      while (connections.size > 0) await watch.workshop.sleep(5);
      late.stop();
      await store.close();
    },
    crash() {
      life.end();
      isTaking = false;
      for (const channel of connections.keys()) channel.die();
      connections.clear();
    },
  };
}

function plantedLimiter({ limits, maxWaiting }: Plan, plants: Plants): Limiter {
  const capacity = (pool: string) => {
    const count = capacityOf(pool, limits);
    return plants.capacity?.(count) ?? count;
  };
  const limiter = createLimiter({ capacity, maxWaiting });
  return plants.limiter?.(limiter) ?? limiter;
}

function health(registry: Registry, calls: Calls) {
  const { running, capacity } = calls.load();
  return {
    t: 0,
    uptime_human: '0 s',
    sessions: 0,
    global_capacity: capacity,
    global_inflight: running,
    tool_count: registry.size,
  };
}
