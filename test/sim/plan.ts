import type { Manner } from './answering.ts';
import { isTaken, TAKEN, type Taken } from './badges.ts';
import { askingPlanOf, CALM, type AskingPlan } from './asking-plan.ts';
import { errandsOf, haulsOf, jobsPlanOf, type JobAct, type JobsPlan } from './job-plan.ts';
import { chatsOf, gatewayPlanOf, type GatewayPlan } from './gateway-plan.ts';
import type { Forgery } from './rounds.ts';
import type { CallLimits } from '#calls/call-limits.ts';
import type { SeededRandom } from './random.ts';
import { CONSULTING, TOOL_NAMES } from './sim-tools.ts';
import type { Can, Follows, ClientProtocolName, HandoffChoice } from './client-protocols.ts';

/** Limits of the vendors that the simulator plays are always set. */
export type SimLimits = CallLimits & Readonly<Record<'kimi' | 'glm', number>>;

export type Badge = 'owner' | 'reader' | 'helper' | 'cautious' | 'stranger' | 'none';

export interface ClientPlan {
  readonly protocol: ClientProtocolName;
  readonly by: 'ws' | 'unix' | 'shim' | 'http';
  readonly badge: Badge;
  /** What it can be asked, and how it answers. */
  readonly can: Can;
  readonly manner: Manner;
  readonly follows: Follows;
  /**
   * Of the legacy era over HTTP: since the last of them, clients come back to streams that end
   * early.
   */
  readonly version: '2025-03-26' | '2025-06-18' | '2025-11-25';
}

export type ClientAct =
  | {
      readonly is: 'call';
      readonly tool: string;
      readonly args: object;
      /** `end`: it sends no more, and waits for what it is owed. */
      readonly afterwards: 'more' | 'end';
      readonly wish?: HandoffChoice;
    }
  /** `time`: because it takes too long, by clients that can say so. */
  | { readonly is: 'cancel'; readonly back: number; readonly why?: 'time' }
  | { readonly is: 'duplicate'; readonly back: number }
  | { readonly is: 'cancel-unknown' | 'list' | 'end' | 'cut' }
  | { readonly is: 'garbage'; readonly which: number }
  | { readonly is: 'dawdle'; readonly ms: number };

/** What only some clients know how to do; the others let it be. */
export type Trick =
  | { readonly is: 'forge'; readonly how: Forgery }
  /** Over HTTP: opens the stream of what belongs to no request. */
  | { readonly is: 'listen' }
  /** Asks for the events of an answer that it has. */
  | { readonly is: 'reread' }
  /** Uses a session that somebody else opened. */
  | { readonly is: 'steal'; readonly what: number }
  /** Over somebody else's API. */
  | { readonly is: 'chat'; readonly wish: number };

const TRICKS: ReadonlySet<string> = new Set<Trick['is']>([
  'forge',
  'listen',
  'reread',
  'steal',
  'chat',
]);

export function isTrick(act: { readonly is: string }): act is Trick {
  return TRICKS.has(act.is);
}

export type PlannedAct =
  | { readonly is: 'crash' | 'drain'; readonly downMs: number; readonly which?: 'second' }
  | { readonly is: 'disk-full'; readonly ms: number }
  /** No commit ends for so long; then those that it held are there, or fail, or the daemon is killed first. */
  | { readonly is: 'disk-hang'; readonly ms: number; readonly end: 'kept' | 'lost' | 'kill' }
  /** Held for so long, as by SIGSTOP; then it goes on, or is killed. */
  | {
      readonly is: 'freeze';
      readonly ms: number;
      readonly end: 'thaw' | 'kill';
      readonly which?: 'second';
    }
  | { readonly is: 'revoke' | 'rotate'; readonly badge: Taken }
  | { readonly is: 'tools-change' };

export type Action =
  | { readonly atMs: number; readonly by: number; readonly act: ClientAct | Trick | JobAct }
  | { readonly atMs: number; readonly by: 'simulation'; readonly act: PlannedAct };

/** How the HTTP transport is set up; in milliseconds. */
export interface HttpPlan {
  readonly streamAfterMs: number;
  readonly streamForMs: number;
  readonly sseKeepaliveMs: number;
  readonly sessionIdleMs: number;
  readonly maxSessions: number;
  readonly maxLogChars: number;
}

export interface Plan {
  readonly limits: SimLimits;
  readonly maxWaiting: number;
  readonly needsToken: boolean;
  readonly http: HttpPlan;
  readonly asking: AskingPlan;
  readonly clients: readonly ClientPlan[];
  readonly gateway: GatewayPlan;
  readonly jobs: JobsPlan;
  /** Numbers mean the clients, then those of the gateway, then those of jobs. */
  readonly actions: readonly Action[];
}

const SPAN_MS = 4000;
const DURATIONS = [0, 5, 40, 300, 300, 900, 2500, 3000];

/** What happens in a run, before it begins: so that a failing one can be tried again with less. */
export function planOf(random: SeededRandom): Plan {
  // Of its own, so that what is asked of models changes nothing else.
  const chance = random.fork('asking');
  const wantsAnswers = chance.chance(0.3);
  const needsToken = random.chance(0.5);
  const gatewayChance = random.fork('gateway');
  const gateway = gatewayPlanOf(gatewayChance, needsToken);
  const isAsking = wantsAnswers || gateway.clients.length > 0;
  const jobChance = random.fork('jobs');
  const jobs = jobsPlanOf(jobChance, isAsking ? 'asks' : 'nothing');
  const clients = Array.from({ length: random.between(1, 4) }, () => clientOf(random, needsToken));
  const count = random.between(5, 24);
  const actions = Array.from({ length: count }, () => ({
    atMs: random.between(0, SPAN_MS),
    by: random.between(0, clients.length - 1),
    act: random.chance(0.1) ? trickOf(random) : actOf(random),
  }));
  // Bursts are where queues fill and limits matter.
  const burstAt = random.between(0, SPAN_MS);
  const burst = Array.from({ length: random.chance(0.5) ? random.between(3, 10) : 0 }, () => ({
    atMs: burstAt + random.between(0, 3),
    by: random.between(0, clients.length - 1),
    act: callOf(random),
  }));
  return {
    limits: {
      global: random.between(1, 5),
      kimi: random.between(1, 2),
      glm: random.between(1, 2),
      session: random.between(1, 3),
    },
    maxWaiting: random.between(0, 4),
    needsToken,
    http: httpOf(random),
    asking: isAsking ? askingPlanOf(chance, wantsAnswers ? 'any' : 'breaking') : CALM,
    clients,
    gateway,
    jobs,
    actions: [
      ...haulsOf(jobChance, jobs, clients.length),
      // Where models are asked, less happens beside it: a simulation is to be small.
      ...(isAsking
        ? [
            ...actions.filter(() => chance.chance(wantsAnswers ? 0.5 : 0.3)),
            ...(wantsAnswers ? asksOf(chance, clients) : []),
          ]
        : [...actions, ...burst]),
      ...chatsOf(gatewayChance, gateway, clients.length, SPAN_MS),
      ...errandsOf(jobChance, jobs, clients.length + gateway.clients.length),
      ...faultsOf(random, [...clients, ...gateway.clients]),
    ].sort((a, b) => a.atMs - b.atMs),
  };
}

/** Calls whose tools ask models. Some come together, where money and probes are counted. */
function asksOf(random: SeededRandom, clients: readonly ClientPlan[]): Action[] {
  const burstAt = random.between(0, SPAN_MS);
  return Array.from({ length: random.between(3, 10) }, () => ({
    atMs: random.chance(0.4) ? burstAt + random.between(0, 30) : random.between(0, SPAN_MS),
    by: random.between(0, clients.length - 1),
    act: {
      is: 'call',
      tool: random.pick(CONSULTING),
      // Often the same, so that calls meet their like.
      args: { wish: random.chance(0.2) ? 7 : random.between(0, 1_000_000) },
      afterwards: 'more',
    },
  }));
}

function clientOf(random: SeededRandom, needsToken: boolean): ClientPlan {
  const by = random.pick([
    'ws',
    'ws',
    'unix',
    'shim',
    'shim',
    'http',
    'http',
    'http',
    'http',
  ] as const);
  const protocol = random.pick(
    by === 'shim'
      ? (['modern', 'legacy'] as const)
      : by === 'http'
        ? (['modern', 'legacy', 'legacy'] as const)
        : (['modern', 'legacy', 'exai', 'exai'] as const),
  );
  const owner = needsToken ? 'owner' : 'none';
  // Few come in vain: whoever is refused tries nothing further.
  const badge = random.chance(0.08)
    ? random.pick(['stranger', 'none'] as const)
    : random.pick([owner, owner, owner, 'reader', 'helper', 'cautious'] as const);
  return {
    by,
    protocol,
    badge,
    can: random.pick(['nothing', 'forms', 'all', 'all', 'all'] as const),
    manner: random.pick(['willing', 'willing', 'willing', 'twice', 'no', 'silent'] as const),
    follows: protocol === 'modern' && by !== 'shim' && random.chance(0.4) ? 'tasks' : 'nothing',
    version: random.pick(['2025-03-26', '2025-06-18', '2025-11-25', '2025-11-25'] as const),
  };
}

function httpOf(random: SeededRandom): HttpPlan {
  const isTight = random.chance(0.1);
  return {
    streamAfterMs: random.pick([0, 30, 200, 1000]),
    streamForMs: random.pick([0, 0, 250, 700]),
    sseKeepaliveMs: random.chance(0.25) ? 900 : 20_000,
    sessionIdleMs: random.pick([800, 3000, 30_000]),
    maxSessions: isTight ? 2 : 1000,
    maxLogChars: isTight ? 4000 : 1_000_000,
  };
}

function trickOf(random: SeededRandom): Trick {
  const lot = random.next();
  if (lot < 0.75) return { is: lot < 0.55 ? 'listen' : 'reread' };
  return { is: 'steal', what: random.between(0, 3) };
}

function actOf(random: SeededRandom): ClientAct {
  const lot = random.next();
  if (lot < 0.6) return callOf(random);
  if (lot < 0.78) {
    const back = random.between(0, 3);
    return { is: 'cancel', back, ...(random.chance(0.3) && { why: 'time' }) };
  }
  if (lot < 0.82) return { is: 'duplicate', back: random.between(0, 2) };
  if (lot < 0.84) return { is: 'cancel-unknown' };
  if (lot < 0.87) return { is: 'list' };
  if (lot < 0.9) return { is: 'garbage', which: random.between(0, 99) };
  if (lot < 0.94) return { is: 'dawdle', ms: random.between(10, 1500) };
  return { is: lot < 0.97 ? 'end' : 'cut' };
}

function callOf(random: SeededRandom): ClientAct {
  const name = random.chance(0.2) ? random.pick(['inquire', 'wonder']) : random.pick(TOOL_NAMES);
  const afterwards = random.chance(0.04) ? 'end' : 'more';
  const lot = random.next();
  if (lot < 0.04) return { is: 'call', tool: `${name}x`, args: {}, afterwards };
  if (lot < 0.08) return { is: 'call', tool: name, args: { ms: 'long' }, afterwards };
  // Often the same, so that calls meet their like.
  const args = random.chance(0.4)
    ? { ms: 300 }
    : { ms: random.pick(DURATIONS), ...(random.chance(0.3) && { key: random.pick(['a', 'b']) }) };
  const tool = random.chance(0.1) ? `${name}_EXAI-WS` : name;
  const wish = random.chance(0.1)
    ? random.pick(['background', 'background', 'wait'] as const)
    : undefined;
  return { is: 'call', tool, args, afterwards, ...(wish && { wish }) };
}

function faultsOf(random: SeededRandom, clients: readonly { readonly badge: Badge }[]): Action[] {
  const faults: PlannedAct[] = [];
  if (random.chance(0.3)) faults.push({ is: 'crash', downMs: random.between(0, 1500) });
  if (random.chance(0.15)) faults.push({ is: 'drain', downMs: random.between(0, 800) });
  if (random.chance(0.15)) faults.push({ is: 'disk-full', ms: random.between(20, 800) });
  if (random.chance(0.3)) faults.push({ is: 'tools-change' });
  if (random.chance(0.3)) faults.push(freezeOf(random));
  if (random.chance(0.35)) {
    const there = clients.flatMap(({ badge }) => (isTaken(badge) ? [badge] : []));
    const badge = random.pick(there.length > 0 ? there : TAKEN);
    faults.push({ is: random.pick(['revoke', 'rotate'] as const), badge });
  }
  // Of its own, so that it changes nothing else.
  const hang = random.fork('hang');
  if (hang.chance(0.2)) faults.push(diskHangOf(hang));
  return faults.map((act) => ({ atMs: random.between(0, SPAN_MS), by: 'simulation', act }));
}

/** Some are shorter than the store waits, some longer than anybody. */
export function diskHangOf(random: SeededRandom): PlannedAct {
  const ms = random.chance(0.4) ? random.between(100, 7000) : random.between(8000, 40_000);
  return { is: 'disk-hang', ms, end: random.pick(['kept', 'kept', 'lost', 'kill'] as const) };
}

/** Some are short, some are longer than anybody waits. */
function freezeOf(random: SeededRandom): PlannedAct {
  const ms = random.chance(0.4) ? random.between(100, 3000) : random.between(20_000, 200_000);
  return { is: 'freeze', ms, end: random.chance(0.3) ? 'kill' : 'thaw' };
}
