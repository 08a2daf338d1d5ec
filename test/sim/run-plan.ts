import type { Vendor } from './asking-plan.ts';
import { createClient, type ClientOptions, type SimClient } from './client.ts';
import { createBook } from './book.ts';
import { createCommons } from './commons.ts';
import { createDisk, type Disk } from './disk.ts';
import type { Envelope } from '#core/envelope.schema.ts';
import { createGatewayClient } from './gateway-client.ts';
import { createHttpLegacy } from './http-legacy.ts';
import { createHttpModern } from './http-modern.ts';
import type { HttpSight } from './http-options.ts';
import { startDaemon, type SimDaemon } from './daemon.ts';
import { knownClients, tokenOf } from './badges.ts';
import { createIce, patiently } from './ice.ts';
import type { SimClock } from './life.ts';
import { HEALTHY, moodAt } from './moods.ts';
import {
  isTrick,
  type Action,
  type Badge,
  type ClientPlan,
  type Plan,
  type WorldAct,
} from './plan.ts';
import { PLANTS, type PlantName } from './plants.ts';
import { createRandom, type SeededRandom } from './random.ts';
import { createShimClient } from './shim-client.ts';
import { createWorld, type Violation, type World } from './world.ts';

export interface SimResult {
  readonly violation: Violation | undefined;
  readonly events: number;
  /** Calls that reached the daemon. */
  readonly calls: number;
  readonly trace: readonly string[];
}

export interface RunOptions {
  readonly seed: number;
  readonly plan: Plan;
  readonly plant?: PlantName | undefined;
  readonly tracing: 'traced' | 'untraced';
}

/** One run of the logical daemon with its clients, from the first action to the last timer. */
export async function runPlan({ seed, plan, plant, tracing }: RunOptions): Promise<SimResult> {
  const random = createRandom(seed);
  const world = createWorld(random.fork('ties'), tracing);
  const stage = createStage(world, random, plan, plant);
  for (const action of plan.actions)
    world.after(action.atMs, () => {
      const who = nameOf(action.by, plan);
      world.tell(who, () => JSON.stringify(action.act));
      if (action.by === 'world') stage.act(action.act);
      else actAs(stage.clients[action.by], action.act);
    });
  const lastMs = plan.actions.at(-1)?.atMs ?? 0;
  world.after(lastMs + 1, () => void stage.finish());
  const unseen = watchUnseen(world);
  await world.run(() => stage.check());
  unseen.stop();
  if (!world.violation && !stage.isOver) world.violate('ends', 'it stopped before the end');
  const { violation, step, trace } = world;
  return { violation, events: step, calls: stage.started, trace };
}

function nameOf(by: Action['by'], { clients }: Plan): string {
  if (by === 'world') return by;
  return by < clients.length ? `c${by}` : `g${by - clients.length}`;
}

function actAs(client: SimClient | undefined, act: Exclude<Action['act'], WorldAct>): void {
  if (isTrick(act)) client?.trick?.(act);
  else client?.act(act);
}

function clientOf({ by, speech }: ClientPlan, options: ClientOptions): SimClient {
  if (by === 'shim') return createShimClient(options);
  if (by !== 'http') return createClient(options);
  return speech === 'modern' ? createHttpModern(options) : createHttpLegacy(options);
}

const PROBE = {
  by: 'http',
  speech: 'legacy',
  can: 'forms',
  manner: 'willing',
  version: '2025-11-25',
} as const;

/** Until the last session expires: one may wait for an answer that nobody will give. */
const LAST_SESSION_MS = 700_000;

interface Stage {
  readonly clients: readonly SimClient[];
  readonly isOver: boolean;
  readonly started: number;
  act(act: WorldAct): void;
  check(): void;
  finish(): Promise<void>;
}

function createStage(
  world: World,
  random: SeededRandom,
  plan: Plan,
  plant: PlantName | undefined,
): Stage {
  const disk = createDisk();
  for (const client of knownClients()) disk.clients.set(client.id, client);
  const plants = plant === undefined ? {} : PLANTS[plant]();
  const acknowledged = new Set<string>();
  const started = new Set<string>();
  const book = createBook();
  const commons = createCommons();
  const ice = createIce(world);
  /** From when on the tokens of these open nothing. */
  const revokedAt = new Map<string, number>();
  const isRevoked = (credential: string) => world.now >= (revokedAt.get(credential) ?? Infinity);
  /** Badges whose tokens somebody set about to take away. */
  const doubtful = new Set<string>();
  let areWell = false;
  const mood = (vendor: Vendor) =>
    areWell ? 'healthy' : moodAt(plan.asking.tempers[vendor] ?? HEALTHY, world.now);
  const envelopes = new Map<string, Envelope>();
  const answered = (envelope: Envelope) => void envelopes.set(envelope.req_id, envelope);
  let lives = 0;
  let isOver = false;
  let isChanging = false;
  let daemon: SimDaemon | undefined = begin();

  function begin(): SimDaemon {
    lives += 1;
    const chance = random.fork(`daemon ${lives}`);
    const about = { world, disk, plan, plants, ice, book, isRevoked, mood, answered };
    return startDaemon({ ...about, random: chance });
  }

  function end({ watch }: SimDaemon): void {
    for (const reqId of watch.calls.keys()) started.add(reqId);
    daemon = undefined;
  }

  async function stop(leaving: SimDaemon): Promise<void> {
    isChanging = true;
    await leaving.stop();
    for (const reqId of leaving.watch.calls.keys())
      if (!disk.rows.has(reqId) && !leaving.store.refused.has(reqId))
        world.violate('audit', `${reqId} was started and has no audit row`);
    checkTimers({ chats: leaving.gatewayClock }, world);
    end(leaving);
    leaving.crash();
    isChanging = false;
  }

  function crash(downMs: number): void {
    if (!daemon) return;
    daemon.crash();
    end(daemon);
    isChanging = false;
    ice.thaw();
    restart(downMs);
  }

  function freeze(ms: number, how: 'thaw' | 'kill'): void {
    if (!daemon || isChanging || ice.isFrozen) return;
    const held = daemon;
    ice.freeze();
    world.after(ms, () => {
      // It may have been killed meanwhile.
      if (daemon !== held) return;
      if (how === 'kill') crash(0);
      else ice.thaw();
    });
  }

  function takeToken(act: 'revoke' | 'rotate', badge: Badge): void {
    if (!daemon || ice.isFrozen) return;
    doubtful.add(badge);
    const id = `client_${badge}`;
    const taken =
      act === 'revoke'
        ? daemon.revoke(id)
        : daemon.rotate(tokenOf(badge) ?? '', `another-token-of-${badge}-in-the-simulation`);
    // A full disk refuses the one as well as the other; then the token stays good.
    taken.then(
      (graceMs) => revokedAt.set(id, Math.min(world.now + graceMs, revokedAt.get(id) ?? Infinity)),
      () => undefined,
    );
  }

  function restart(afterMs: number): void {
    world.after(afterMs, () => {
      world.tell('world', () => 'the daemon is back');
      daemon = begin();
    });
  }

  const http: HttpSight = {
    serve: (exchange) => daemon?.serve(exchange) ?? false,
    get life() {
      return daemon ? lives : 0;
    },
    get isStopping() {
      return daemon?.isStopping ?? true;
    },
    sessionIdleMs: plan.http.sessionIdleMs,
    room: plan.http.maxSessions < 10 ? 'tight' : 'ample',
    told: (session) => daemon?.http.told(session) ?? 0,
    isSaid: (session, text) => daemon?.http.isSaid(session, text) ?? true,
    envelopeOf: (reqId) => envelopes.get(reqId),
    sessionOver: (session) => daemon?.watch.checkGone(session),
  };

  function aboutOf(name: string): Omit<ClientOptions, 'plan'> {
    return {
      name,
      needsToken: plan.needsToken,
      world,
      random: random.fork(name),
      disk,
      ice,
      book,
      commons,
      http,
      isDoubtful: (badge) => doubtful.has(badge),
      shimClock: plants.shimClock ?? ((clock) => clock),
      sending: plants.sending ?? (() => (text, send) => send(text)),
      acknowledged,
      cancelWished: (mark, session) => daemon?.watch.cancelWished(mark, session),
      open: (channel, opening) => daemon?.open(channel, opening),
    };
  }
  const optionsOf = (name: string, client: ClientPlan) => ({ ...aboutOf(name), plan: client });
  const mayQuote = plan.asking.localAnswers === 'always';
  const clients = [
    ...plan.clients.map((client, at) => clientOf(client, optionsOf(`c${at}`, client))),
    ...plan.gateway.clients.map((client, at) =>
      createGatewayClient({ ...aboutOf(`g${at}`), plan: client, mayQuote }),
    ),
  ];

  /** Where room is tight, whoever comes when all have left must have the whole of it. */
  async function probe(): Promise<void> {
    const client = { ...PROBE, badge: plan.needsToken ? 'owner' : 'none' } as const;
    const ample = Object.create(http, { room: { value: 'ample' } }) as HttpSight;
    const prober = createHttpLegacy({ ...optionsOf('probe', client), http: ample });
    prober.act({ is: 'call', tool: 'talk', args: { ms: 300 }, afterwards: 'more' });
    await tick(200);
    prober.act({ is: 'cut' });
    await prober.finish();
  }

  return {
    clients,
    get isOver() {
      return isOver;
    },
    get started() {
      return started.size;
    },
    act(act) {
      switch (act.is) {
        case 'crash':
          return crash(act.downMs);
        case 'freeze':
          return freeze(act.ms, act.end);
        case 'revoke':
        case 'rotate':
          return takeToken(act.is, act.badge);
        case 'drain': {
          if (!daemon || isChanging || ice.isFrozen) return;
          const leaving = daemon;
          void stop(leaving).then(() => restart(act.downMs));
          return;
        }
        case 'disk-full':
          disk.isFull = true;
          world.after(act.ms, () => (disk.isFull = false));
          return;
        case 'tools-change':
          return ice.run(() => daemon?.changeTools());
      }
    },
    check() {
      daemon?.check();
    },
    async finish() {
      await Promise.all(clients.map((client) => client.finish()));
      world.tell('world', () => 'everybody is gone');
      await emptied();
      if (http.room === 'tight' && daemon) await probe().then(emptied);
      if (daemon) {
        const last = daemon;
        checkEmpty(last, world);
        areWell = true;
        await last.managing.checkRecovery();
        last.managing.checkRest();
        await stop(last);
        checkTimers({ calls: last.clock, HTTP: last.httpClock }, world);
      }
      checkDisk(disk, acknowledged, started, world);
      isOver = true;
    },
  };

  async function emptied(): Promise<void> {
    const tooLong = patiently(world, ice, LAST_SESSION_MS, () =>
      world.violate('expires', `${daemon?.httpSize} sessions over HTTP are left behind`),
    );
    for (let ticks = 0; daemon && isUsed(daemon); ticks++)
      await tick(Math.min(20 + ticks * ticks, 1000));
    tooLong.stop();
  }

  function isUsed({ connections, httpSize, watch, managing }: SimDaemon): boolean {
    const isThere = connections > 0 || httpSize > 0 || managing.asks.open > 0;
    return isThere || watch.isBusy || isChanging || ice.isFrozen;
  }

  function tick(ms: number): Promise<void> {
    return new Promise((resolve) => void world.after(ice.isFrozen ? 1000 : ms, resolve));
  }
}

/** Nobody is there and nothing runs: then nothing may be taken or waited for. */
function checkEmpty({ limiter, calls, clock }: SimDaemon, world: World): void {
  const { running } = calls.load();
  if (limiter.running > 0) world.violate('slots', `${limiter.running} slots are taken at the end`);
  if (limiter.waiting > 0)
    world.violate('slots', `${limiter.waiting} wait in the queue at the end`);
  if (running > 0) world.violate('slots', `${running} calls are counted as running at the end`);
  if (clock.waiting > 0) world.violate('timers', `${clock.waiting} timers wait at the end`);
}

/** It has stopped: nothing may wait for anything. */
function checkTimers(clocks: Readonly<Record<string, SimClock>>, world: World): void {
  for (const [what, { waiting }] of Object.entries(clocks))
    if (waiting > 0) world.violate('timers', `${waiting} timers of ${what} wait after the end`);
}

function checkDisk(
  { rows }: Disk,
  acknowledged: ReadonlySet<string>,
  started: ReadonlySet<string>,
  world: World,
): void {
  for (const reqId of acknowledged)
    if (!rows.has(reqId)) world.violate('durable', `${reqId} was acknowledged and is not on disk`);
  for (const reqId of rows.keys())
    if (!started.has(reqId)) world.violate('audit', `${reqId} has a row but was never started`);
}

/** A rejection that nobody handles would end a real daemon. */
function watchUnseen(world: World): { stop(): void } {
  const onUnseen = (reason: unknown) =>
    world.violate('unseen', `nobody handled: ${String(reason)}`);
  process.on('unhandledRejection', onUnseen);
  return { stop: () => void process.off('unhandledRejection', onUnseen) };
}
