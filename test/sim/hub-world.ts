import type { CallResult } from '#core/calls/calls.ts';
import type { InputResponses } from '#core/tools/input-request.ts';
import type { Connection } from '#hub/connection/connection.ts';
import { createMemoryStore, OWNER, type MemoryStore } from '../../src/calls/calls.fixture.ts';
import { createFakeClock, type FakeClock } from '../fake-clock.ts';
import { openTestHub, type TestHub } from '../hub-harness.ts';
import { createHubServer, type HubServer, type HubServerPlan } from './hub-server.ts';
import { createHubWatch, type HubCall, type HubWatch } from './hub-watch.ts';
import { createRandom, type SeededRandom } from './random.ts';

/** Known bugs that the watch has to find. */
export const HUB_PLANTS = [
  'answers are swapped',
  'one connection serves all callers',
  'cancellations are not told',
  'connections are not closed',
  'changes are not followed',
  'a call more than the limit',
  'audit rows are lost',
  'failures have no class',
  'questions go to any caller',
] as const;
export type HubPlant = (typeof HUB_PLANTS)[number];

export interface HubSimResult {
  readonly violations: readonly string[];
  readonly calls: number;
  readonly answered: number;
}

const CALL_TIMEOUT_MS = 5_000;
const START_TIMEOUT_MS = 2_000;
/** A call settles by the time limit of its tool, and a little later where it starts a server. */
const SETTLED_MS = CALL_TIMEOUT_MS + 2_000;
const STEP_MS = 25;
const RUN_MS = 20_000;
/** Parked calls end after ten minutes. */
const QUIET_MS = 11 * 60_000;
const PRINCIPALS = ['anna', 'bert', 'cleo'] as const;

/** Servers behind the hub that misbehave as the seed says, and clients that call, ask and cancel. */
export async function runHubSeed(seed: number, plant?: HubPlant): Promise<HubSimResult> {
  const random = createRandom(seed);
  const watch = createHubWatch();
  const clock = createFakeClock();
  const plans = drawPlans(random.fork('plans'));
  const isDeaf = plant === 'cancellations are not told';
  const servers = plans.map((plan) =>
    createHubServer(plan, random.fork(plan.name), { clock, watch, isDeaf }),
  );
  const chance = random.fork('hub');
  const store = createMemoryStore();
  const hub = await openTestHub(
    Object.fromEntries(servers.map((server) => [server.plan.name, server])),
    {
      clock,
      store: plant === 'audit rows are lost' ? losing(store) : store,
      limits: { global: 1_000, session: 1_000 },
      start: 'in_background',
      config: Object.fromEntries(
        plans.map(({ name, shared, maxConcurrent }) => [
          name,
          {
            shared: plant === 'one connection serves all callers' ? true : shared,
            maxConcurrent: maxConcurrent + (plant === 'a call more than the limit' ? 1 : 0),
            callTimeoutMs: CALL_TIMEOUT_MS,
            startTimeoutMs: START_TIMEOUT_MS,
            idleStopMs: 2_000,
          },
        ]),
      ),
      connection: createPlant(plant),
      random: (bytes) => chance.bytes(bytes),
    },
  );
  const world = {
    hub,
    clock,
    watch,
    random: random.fork('clients'),
    servers,
    restarted: new Map<string, number>(),
    calls: [],
  };
  await pass(clock, 200);
  const clients = PRINCIPALS.map((principal) => runClient(principal, world));
  void Promise.all(clients);
  const changes = random.fork('changes');
  for (let atMs = 0; atMs < RUN_MS; atMs += STEP_MS) {
    if (changes.chance(0.01)) changes.pick(servers).changeTools();
    if (changes.chance(0.003)) {
      const { name } = changes.pick(plans);
      world.restarted.set(name, clock.monotonic());
      void hub.hub.find(name)?.restart();
    }
    await pass(clock, STEP_MS);
  }
  const settled = Promise.all(clients).then(() => true);
  await pass(clock, SETTLED_MS * 2, 500);
  if (!(await Promise.race([settled, idle().then(() => false)]))) {
    watch.violate('ends', 'A client still waits for its calls');
  }
  checkLists(world);
  await pass(clock, QUIET_MS, 10_000);
  if (hub.ongoing.parked > 0) watch.violate('leak', `${hub.ongoing.parked} calls are parked`);
  await hub.close();
  for (const server of servers) {
    const left = server.connected();
    if (left > 0) watch.violate('leak', `${server.plan.name} has ${left} connections`);
  }
  const answered = [...store.noted, ...store.recorded].length;
  if (answered < watch.calls) watch.violate('audit', `${answered} rows of ${watch.calls} calls`);
  return { violations: watch.violations, calls: watch.calls, answered };
}

function drawPlans(random: SeededRandom): HubServerPlan[] {
  return Array.from({ length: random.between(2, 4) }, (_, at) => ({
    name: `server${at}`,
    manner: at === 0 ? 'well' : random.pick(['well', 'ill', 'ill'] as const),
    shared: random.chance(0.6),
    maxConcurrent: random.between(2, 5),
  }));
}

interface World {
  readonly hub: TestHub;
  readonly clock: FakeClock;
  readonly watch: HubWatch;
  readonly random: SeededRandom;
  readonly servers: readonly HubServer[];
  /** When a server was restarted last. */
  readonly restarted: Map<string, number>;
  /** The numbers of all calls so far. */
  readonly calls: number[];
}

async function runClient(principal: string, world: World): Promise<void> {
  const random = world.random.fork(principal);
  const running: Promise<void>[] = [];
  for (let atMs = 0; atMs < RUN_MS - 2 * SETTLED_MS;) {
    const pauseMs = random.between(10, 400);
    await wait(world.clock, pauseMs);
    atMs += pauseMs;
    const { plan } = random.pick(world.servers);
    const n = world.calls.length;
    world.calls.push(n);
    running.push(call({ n, principal, server: plan }, random.fork(`${n}`), world));
  }
  await Promise.all(running);
}

/** Makes a call, answers what it asks, or leaves it. */
async function call(about: HubCall, random: SeededRandom, world: World): Promise<void> {
  const { hub, clock, watch, restarted } = world;
  const { n, principal, server } = about;
  const caller = { ...OWNER, principal, credential: `token of ${principal}` };
  const more: { answers?: InputResponses; state?: string } = {};
  const startedAt = clock.monotonic();
  const isAble = random.chance(0.7);
  for (;;) {
    const begunAt = clock.monotonic();
    const running = hub.start(
      `mcp__${server.name}__work`,
      { n, principal },
      {
        ...more,
        caller,
        session: principal,
        ...(isAble && { clientCapabilities: ['form'] as const }),
      },
    );
    const cancelMs = random.chance(0.1) ? random.between(0, 1_000) : undefined;
    let isCancelled = false;
    const timer =
      cancelMs === undefined
        ? undefined
        : clock.after(cancelMs, () => {
            isCancelled = true;
            running.cancel();
          });
    const answer: CallResult = await running.answer;
    timer?.stop();
    const tookMs = clock.monotonic() - begunAt;
    if (tookMs > SETTLED_MS) watch.violate('late', `Call ${n} took ${tookMs} ms`);
    if (!answer.inputRequired) {
      const wasRestarted = (restarted.get(server.name) ?? -1) >= startedAt;
      const excuse = isCancelled ? 'cancelled' : wasRestarted ? 'restarted' : 'none';
      return watch.ends(about, answer, excuse);
    }
    const { questions, state, abandon } = answer.inputRequired;
    for (const question of Object.values(questions)) {
      if (question.is === 'form') watch.asks(about, question.message);
    }
    if (random.chance(0.2)) return random.chance(0.5) ? abandon?.() : undefined;
    await wait(clock, random.between(0, 3_000));
    const answered = { action: 'accept', content: { name: principal } };
    more.answers = Object.fromEntries(Object.keys(questions).map((name) => [name, answered]));
    more.state = state;
  }
}

/** Servers that are connected have the tools that they say; those that were added later wait. */
function checkLists({ hub, servers, watch }: World): void {
  for (const server of servers) {
    if (server.connected() === 0) continue;
    const { name } = server.plan;
    const upstream = hub.hub.find(name);
    const { quarantined = [] } = upstream?.review?.() ?? {};
    const known = [...(upstream?.tools() ?? []), ...quarantined].map((tool) => tool.name);
    const missing = server.tools().filter((tool) => !known.includes(tool));
    if (missing.length > 0) watch.violate('list', `${name} has ${missing.join()} unseen`);
  }
}

function losing(store: MemoryStore): MemoryStore {
  let count = 0;
  return {
    ...store,
    record: (row) => (++count % 20 === 0 ? Promise.resolve() : store.record(row)),
  };
}

/** A bug between the hub and a connection; the other bugs are elsewhere. */
function createPlant(plant: HubPlant | undefined): (connection: Connection) => Connection {
  const swap = swapping();
  const bugs: Partial<Record<HubPlant, (connection: Connection) => Partial<Connection>>> = {
    'changes are not followed': (connection) => ({ request: unchanging(connection) }),
    'connections are not closed': () => ({ close: async () => undefined }),
    'failures have no class': (connection) => ({
      request: (...given) =>
        connection.request(...given).catch(() => {
          throw new Error('It broke.');
        }),
    }),
    'questions go to any caller': (connection) => ({
      request: (method, params, options) =>
        connection.request(method, params, { ...options, owner: 'anybody' }),
    }),
    'answers are swapped': (connection) => ({
      request: async (...given) => {
        const result = await connection.request(...given);
        return given[0] === 'tools/call' ? swap(result) : result;
      },
    }),
  };
  const bug = plant && bugs[plant];
  return (connection) => (bug ? { ...connection, ...bug(connection) } : connection);
}

type Result = Awaited<ReturnType<Connection['request']>>;

/** Gives every second result to two calls, and every first to none. */
function swapping(): (result: Result) => Promise<Result> | Result {
  let waiting: ((result: Result) => void) | undefined;
  return (result) => {
    const other = waiting;
    waiting = undefined;
    if (!other) return new Promise((resolve) => (waiting = resolve));
    other(result);
    return result;
  };
}

/** Lists the same tools again and again. */
function unchanging(connection: Connection): Connection['request'] {
  let first: ReturnType<Connection['request']> | undefined;
  return (method, ...given) => {
    if (method !== 'tools/list') return connection.request(method, ...given);
    first ??= connection.request(method, ...given);
    return first;
  };
}

function wait(clock: FakeClock, ms: number): Promise<void> {
  return new Promise((resolve) => clock.after(ms, resolve));
}

async function pass(clock: FakeClock, ms: number, step = STEP_MS): Promise<void> {
  for (let passed = 0; passed < ms; passed += step) {
    clock.advance(step);
    await idle();
  }
}

/** Everything that can go on without time has gone on. */
async function idle(): Promise<void> {
  for (let turn = 0; turn < 3; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}
