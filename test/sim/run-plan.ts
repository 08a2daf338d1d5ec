import type { Vendor } from './asking-plan.ts';
import { createClient, type ClientOptions, type SimClient } from './client.ts';
import { createBook } from './book.ts';
import { createSharedIds } from './shared-ids.ts';
import { createDisk } from './disk.ts';
import { checkDisk, checkEmpty, checkJobRuns } from './end-checks.ts';
import type { Envelope } from '#core/calls/envelope.schema.ts';
import { createGatewayClient } from './gateway-client.ts';
import { createHttpLegacy } from './http-legacy.ts';
import { createHttpModern } from './http-modern.ts';
import type { HttpSight } from './http-options.ts';
import { startDaemon, type SimDaemon } from './daemon.ts';
import { checkTimers, createHost, type Host } from './host.ts';
import { createJobBook } from './job-book.ts';
import { createJobClient, type JobClientOptions, type KnownJob } from './job-client.ts';
import { isJobAct } from './job-plan.ts';
import { createJobFinisher } from './job-finisher.ts';
import { knownClients, tokenOf } from './badges.ts';
import { createDaemonFreeze, patiently, type DaemonFreeze } from './daemon-freeze.ts';
import { LEASE_MS } from '#jobs/job-options.ts';
import { HEALTHY, modeAt } from './vendor-modes.ts';
import {
  isTrick,
  type Action,
  type Badge,
  type ClientPlan,
  type Plan,
  type PlannedAct,
} from './plan.ts';
import { PLANTS, type PlantName } from './plants.ts';
import { createRandom, type SeededRandom } from './random.ts';
import { createShimClient } from './shim-client.ts';
import { MAX_RECORD_MS, MAX_RECOVERY_MS } from './sim-store.ts';
import { createSimulation, type Violation, type Simulation } from './simulation.ts';

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
  /** Something that happens to the simulation right after so many events. */
  readonly fault?: { readonly step: number; readonly act: PlannedAct } | undefined;
}

/** One run of the logical daemon with its clients, from the first action to the last timer. */
export async function runPlan({
  seed,
  plan,
  plant,
  tracing,
  fault,
}: RunOptions): Promise<SimResult> {
  const random = createRandom(seed);
  const simulation = createSimulation(random.fork('ties'), tracing);
  const stage = createStage(simulation, random, plan, plant);
  for (const action of plan.actions)
    simulation.after(action.atMs, () => {
      const who = nameOf(action.by, plan);
      simulation.tell(who, () => JSON.stringify(action.act));
      if (action.by === 'simulation') stage.act(action.act);
      else actAs(stage.clients[action.by], action.act);
    });
  const lastMs = plan.actions.at(-1)?.atMs ?? 0;
  simulation.after(lastMs + 1, () => void stage.finish());
  const unseen = watchUnseen(simulation);
  await simulation.run(() => {
    stage.check();
    if (simulation.step === fault?.step) stage.act(fault.act);
  });
  unseen.stop();
  if (!simulation.violation && !stage.isOver)
    simulation.violate('ends', 'it stopped before the end');
  const { violation, step, trace } = simulation;
  return { violation, events: step, calls: stage.started, trace };
}

function nameOf(by: Action['by'], { clients, gateway }: Plan): string {
  if (by === 'simulation') return by;
  const first = clients.length + gateway.clients.length;
  if (by >= first) return `j${by - first}`;
  return by < clients.length ? `c${by}` : `g${by - clients.length}`;
}

function actAs(client: SimClient | undefined, act: Exclude<Action['act'], PlannedAct>): void {
  if (isJobAct(act)) client?.errand?.(act);
  else if (isTrick(act)) client?.trick?.(act);
  else client?.act(act);
}

function clientOf({ by, protocol }: ClientPlan, options: ClientOptions): SimClient {
  if (by === 'shim') return createShimClient(options);
  if (by !== 'http') return createClient(options);
  return protocol === 'modern' ? createHttpModern(options) : createHttpLegacy(options);
}

const PROBE = {
  by: 'http',
  protocol: 'legacy',
  can: 'forms',
  manner: 'willing',
  follows: 'nothing',
  version: '2025-11-25',
} as const;

/** Until the last session expires: one may wait for an answer that nobody will give. */
const LAST_SESSION_MS = 700_000;

/** After a full disk, the longest until the next try, also for jobs that were claimed late. */
const REFUSED_MS = LEASE_MS + 2000;

interface Stage {
  readonly clients: readonly SimClient[];
  readonly isOver: boolean;
  readonly started: number;
  act(act: PlannedAct): void;
  check(): void;
  finish(): Promise<void>;
}

function createStage(
  simulation: Simulation,
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
  const sharedIds = createSharedIds();
  const daemonFreeze = createDaemonFreeze(simulation);
  /** From when on the tokens of these open nothing, and the grace that they had. */
  const revoked = new Map<string, { readonly at: number; readonly graceMs: number }>();
  /** The last start: the clock may have been set back at it, and then the grace begins again. */
  let startedAt = 0;
  // Of several daemons only the one that did it knows at once.
  const isRevoked = (credential: string) => {
    const { at = Infinity, graceMs = 0 } = revoked.get(credential) ?? {};
    return plan.jobs.daemons === 1 && simulation.now >= Math.max(at, startedAt + graceMs);
  };
  /** Badges whose tokens somebody set about to take away. */
  const doubtful = new Set<string>();
  let areWell = false;
  const mode = (vendor: Vendor) =>
    areWell ? 'healthy' : modeAt(plan.asking.schedules[vendor] ?? HEALTHY, simulation.now);
  const envelopes = new Map<string, Envelope>();
  const answered = (envelope: Envelope) => void envelopes.set(envelope.req_id, envelope);
  const jobBook = createJobBook(simulation, disk);
  const board: KnownJob[] = [];
  let fullUntil = Number.NEGATIVE_INFINITY;
  let isOver = false;

  function hostOf(name: string, daemonFreeze: DaemonFreeze): Host {
    const about = {
      simulation,
      disk,
      plan,
      plants,
      daemonFreeze,
      book,
      jobBook,
      isRevoked,
      mode,
      answered,
    };
    return createHost({
      ...about,
      start(life, failed) {
        startedAt = simulation.now;
        return startDaemon({ ...about, random: random.fork(`${name} ${life}`), failed });
      },
      ended({ watch }) {
        for (const reqId of watch.calls.keys()) started.add(reqId);
      },
    });
  }

  const host = hostOf('daemon', daemonFreeze);
  const second =
    plan.jobs.daemons === 2 ? hostOf('second', createDaemonFreeze(simulation)) : undefined;
  const hosts = second ? [host, second] : [host];
  const jobFinisher = createJobFinisher({ simulation, disk, book, board, host, plan: plan.jobs });

  function takeToken(act: 'revoke' | 'rotate', badge: Badge): void {
    const { daemon } = host;
    if (!daemon || daemonFreeze.isFrozen) return;
    doubtful.add(badge);
    const id = `client_${badge}`;
    const taken =
      act === 'revoke'
        ? daemon.revoke(id)
        : daemon.rotate(tokenOf(badge) ?? '', `another-token-of-${badge}-in-the-simulation`);
    // A full disk refuses the one as well as the other; then the token stays good.
    taken.then(
      (graceMs) => {
        const at = simulation.now + graceMs;
        if (at < (revoked.get(id)?.at ?? Infinity)) revoked.set(id, { at, graceMs });
      },
      () => undefined,
    );
  }

  function hangDisk(ms: number, end: 'kept' | 'lost' | 'kill'): void {
    const until = simulation.now + ms;
    disk.hang = { until, end: end === 'lost' ? 'lost' : 'kept' };
    // Until the store has been tried again.
    disk.wasUnwellAt = Math.max(disk.wasUnwellAt, until + MAX_RECOVERY_MS);
    // What it held is gone with them.
    if (end === 'kill') simulation.after(ms - 1, () => hosts.forEach((each) => each.crash(0)));
  }

  const http: HttpSight = {
    serve: (exchange) => host.daemon?.serve(exchange) ?? false,
    get life() {
      return host.daemon ? host.lives : 0;
    },
    get isStopping() {
      return host.daemon?.isStopping ?? true;
    },
    sessionIdleMs: plan.http.sessionIdleMs,
    room: plan.http.maxSessions < 10 ? 'tight' : 'ample',
    told: (session) => host.daemon?.http.told(session) ?? 0,
    isSaid: (session, text) => host.daemon?.http.isSaid(session, text) ?? true,
    envelopeOf: (reqId) => envelopes.get(reqId),
    sessionOver: (session) => host.daemon?.watch.checkGone(session),
  };

  function aboutOf(name: string): Omit<ClientOptions, 'plan'> {
    return {
      name,
      needsToken: plan.needsToken,
      simulation,
      random: random.fork(name),
      disk,
      daemonFreeze,
      book,
      sharedIds,
      http,
      isDoubtful: (badge) => doubtful.has(badge),
      shimClock: plants.shimClock ?? ((clock) => clock),
      sending: plants.sending ?? (() => (text, send) => send(text)),
      acknowledged,
      jobTold: (id, by) => jobBook.told(id, by),
      jobHeard(id, principal, mark) {
        const whose = principal === 'owner' ? 'local' : principal;
        if (!board.some((job) => job.id === id)) board.push({ id, principal: whose, mark });
      },
      jobs: board,
      theirJobs(principal) {
        const whose = principal === 'owner' ? 'local' : principal;
        return board.filter((job) => job.principal !== whose);
      },
      taskTold: (task) => jobBook.taskTold(task),
      gaveUp: (mark) => host.daemon?.watch.gaveUp(mark),
      cancelWished: (mark, session) => host.daemon?.watch.cancelWished(mark, session),
      open: (channel, opening) => host.daemon?.open(channel, opening),
    };
  }
  const optionsOf = (name: string, client: ClientPlan) => ({ ...aboutOf(name), plan: client });
  const mayQuote = plan.asking.extractiveFallback === 'always';
  const clients = [
    ...plan.clients.map((client, at) => clientOf(client, optionsOf(`c${at}`, client))),
    ...plan.gateway.clients.map((client, at) =>
      createGatewayClient({ ...aboutOf(`g${at}`), plan: client, mayQuote }),
    ),
    ...plan.jobs.clients.map((client, at) => createJobClient(jobClientOf(client, `j${at}`))),
  ];

  function jobClientOf(client: JobClientOptions['plan'], name: string): JobClientOptions {
    const at = client.at === 'second' && second ? second : host;
    const about = { name, plan: client, simulation, disk, book, jobBook, board, acknowledged };
    let met: SimDaemon | undefined;
    return {
      ...about,
      daemonFreeze: at.daemonFreeze,
      daemons: plan.jobs.daemons,
      timeoutMs: plan.jobs.times.timeoutMs,
      reach() {
        const { daemon: life, isChanging } = at;
        if (!life || life.isStopping || isChanging) return undefined;
        // A connection may outlive its token, but no new one is let in, nor is one whose token is
        // about to end.
        if (met !== life && revoked.has(`client_${client.badge}`)) return undefined;
        met = life;
        return { transport: life.jobDoor, watch: life.watch, life };
      },
    };
  }

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
          return at(act).crash(act.downMs);
        case 'freeze':
          return at(act).freeze(act.ms, act.end);
        case 'revoke':
        case 'rotate':
          return takeToken(act.is, act.badge);
        case 'drain':
          return at(act).drain(act.downMs);
        case 'disk-full':
          disk.isFull = true;
          fullUntil = simulation.now + act.ms;
          disk.wasUnwellAt = Math.max(disk.wasUnwellAt, fullUntil);
          simulation.after(act.ms, () => (disk.isFull = simulation.now < fullUntil));
          return;
        case 'disk-hang':
          return hangDisk(act.ms, act.end);
        case 'tools-change':
          return daemonFreeze.run(() => host.daemon?.changeTools());
      }
    },
    check() {
      for (const { daemon } of hosts) daemon?.check();
      checkJobRuns(hosts, simulation);
    },
    async finish() {
      await Promise.all(clients.map((client) => client.finish()));
      simulation.tell('simulation', () => 'everybody is gone');
      // What somebody gave up may become a job late.
      do await jobFinisher.bury().then(emptied);
      while (jobFinisher.isNeeded);
      if (http.room === 'tight' && host.daemon) await probe().then(emptied);
      for (const { daemon: last } of hosts) if (last) checkEmpty(last, plan, simulation);
      const { daemon } = host;
      if (daemon) {
        areWell = true;
        await daemon.managing.checkRecovery();
        daemon.managing.checkRest();
      }
      for (const each of hosts) {
        const { daemon: last } = each;
        await each.stop();
        if (last) checkTimers({ HTTP: last.httpClock }, simulation);
      }
      checkDisk(disk, acknowledged, started, simulation);
      jobBook.checkEnd();
      isOver = true;
    },
  };

  function at({ which }: { readonly which?: 'second' }): Host {
    return which === 'second' && second ? second : host;
  }

  async function emptied(): Promise<void> {
    const tooLong = patiently(simulation, daemonFreeze, LAST_SESSION_MS, () =>
      simulation.violate('expires', `${host.daemon?.httpSize} sessions over HTTP are left behind`),
    );
    // Whoever wrote the last hears of it a moment later; what a full disk refused is tried again.
    await tick(MAX_RECORD_MS);
    const isUnwell = () => simulation.now < disk.wasUnwellAt + REFUSED_MS;
    while (isUnwell() || hosts.some(isUsed)) {
      if (isUnwell()) await tick(REFUSED_MS);
      for (let ticks = 0; hosts.some(isUsed); ticks++)
        await tick(Math.min(20 + ticks * ticks, 1000));
    }
    tooLong.stop();
  }

  function isUsed({ daemon, isChanging, daemonFreeze: { isFrozen } }: Host): boolean {
    if (!daemon || isChanging || isFrozen) return isChanging || isFrozen;
    const { connections, httpSize, watch, managing, jobDoor } = daemon;
    const isThere = connections + httpSize + managing.asks.open + jobDoor.size > 0;
    return isThere || watch.isBusy;
  }

  function tick(ms: number): Promise<void> {
    return new Promise(
      (resolve) => void simulation.after(daemonFreeze.isFrozen ? 1000 : ms, resolve),
    );
  }
}

/** A rejection that nobody handles would end a real daemon. */
function watchUnseen(simulation: Simulation): { stop(): void } {
  const onUnseen = (reason: unknown) =>
    simulation.violate('unseen', `nobody handled: ${String(reason)}`);
  process.on('unhandledRejection', onUnseen);
  return { stop: () => void process.off('unhandledRejection', onUnseen) };
}
