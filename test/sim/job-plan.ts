import { Config } from '#config/schema/config.schema.ts';
import { JOB_TOOL_NAMES } from './job-tools.ts';
import type { Action, PlannedAct } from './plan.ts';
import type { SeededRandom } from './random.ts';

/** Whose jobs they are. */
export type JobPrincipal = 'owner' | 'helper' | 'reader';

export interface JobClientPlan {
  readonly badge: JobPrincipal;
  /** Whether what it asks for may ask back. */
  readonly can: 'nothing' | 'forms';
  /** Whether it hears of progress. */
  readonly hears: 'progress' | 'nothing';
  /** Of two daemons on one store, the one that it calls. */
  readonly at: 'first' | 'second';
}

export interface JobsPlan {
  readonly clients: readonly JobClientPlan[];
  /** Whether another daemon works on the same store. */
  readonly daemons: 1 | 2;
  /** As the configuration has them. */
  readonly times: Config['jobs'];
}

/** What clients of jobs do. `back`: which one, from the last. */
export type JobAct =
  | {
      readonly is: 'errand';
      readonly tool: string;
      readonly ms: number;
      readonly steps: number;
      readonly key?: string;
      /** How long it waits for the answer itself. */
      readonly patience: number | 'ever';
      readonly as: 'job' | 'task';
    }
  /** `abandon`: it is cancelled. `give-up`: its client waits no longer, and wants it done. */
  | { readonly is: 'abandon' | 'give-up'; readonly back: number }
  /** Its connection is gone. */
  | { readonly is: 'vanish' }
  | {
      readonly is: 'fetch';
      readonly back: number;
      readonly forMs: number;
      readonly whose: 'own' | 'theirs' | 'nobodys';
    }
  | {
      readonly is: 'drop';
      readonly back: number;
      readonly times: 1 | 2;
      readonly whose: 'own' | 'theirs';
    }
  /**
   * `late`: to a round that is over. `part`: not to all. `foreign`: to what somebody else's job
   * asks.
   */
  | {
      readonly is: 'reply';
      readonly back: number;
      readonly how: 'all' | 'part' | 'late' | 'foreign';
    }
  | { readonly is: 'roll' };

const JOB_ACTS: ReadonlySet<string> = new Set<JobAct['is']>([
  'errand',
  'abandon',
  'give-up',
  'vanish',
  'fetch',
  'drop',
  'reply',
  'roll',
]);

export function isJobAct(act: { readonly is: string }): act is JobAct {
  return JOB_ACTS.has(act.is);
}

export const NO_JOBS: JobsPlan = { clients: [], daemons: 1, times: Config.parse({}).jobs };

const SHARE = 0.35;
const SPAN_MS = 12_000;
const DURATIONS = [300, 900, 2500, 2500, 6000, 6000, 11_000, 45_000];

export function jobsPlanOf(random: SeededRandom, beside: 'asks' | 'nothing'): JobsPlan {
  if (!random.chance(SHARE)) return NO_JOBS;
  const daemons = beside === 'nothing' && random.chance(0.35) ? 2 : 1;
  return {
    clients: Array.from({ length: random.between(1, 3) }, () => ({
      badge: random.pick(['owner', 'owner', 'helper', 'helper', 'reader'] as const),
      can: random.pick(['nothing', 'forms', 'forms'] as const),
      hears: random.pick(['progress', 'nothing'] as const),
      at: daemons === 2 && random.chance(0.5) ? 'second' : 'first',
    })),
    daemons,
    times: {
      inlineWaitMs: random.pick([300, 800, 2000]),
      withProgressMs: random.pick([500, 1500, 3000]),
      taskWaitMs: random.pick([0, 100, 400]),
      timeoutMs: random.pick([4000, 15_000, 59_000, 59_000]),
      waiting: random.pick([2, 100, 100]),
      running: random.between(1, 4),
    },
  };
}

/** Calls of the same tools by all the other clients. */
export function haulsOf(random: SeededRandom, jobs: JobsPlan, clients: number): Action[] {
  if (jobs.clients.length === 0) return [];
  return Array.from({ length: random.between(2, 6) }, () => {
    if (random.chance(0.15))
      return {
        atMs: random.between(0, SPAN_MS),
        by: random.between(0, clients - 1),
        act: { is: 'listen' },
      };
    const { tool, ms, steps, key } = errandOf(random);
    const args = { ms: Math.min(ms, SPAN_MS), steps, ...(key !== undefined && { key }) };
    const wish = random.chance(0.2) ? { wish: 'background' as const } : {};
    return {
      atMs: random.between(0, SPAN_MS / 2),
      by: random.between(0, clients - 1),
      act: { is: 'call', tool, args, afterwards: 'more', ...wish },
    };
  });
}

/**
 * What these clients do, and what happens to the daemons: `first` is the number of the first of
 * them.
 */
export function errandsOf(random: SeededRandom, plan: JobsPlan, first: number): Action[] {
  const { clients } = plan;
  if (clients.length === 0) return [];
  const burstAt = random.between(0, SPAN_MS);
  const acts = clients.flatMap((_, at) =>
    Array.from({ length: random.between(4, 11) }, () => {
      const atMs = random.chance(0.3)
        ? burstAt + random.between(0, 40)
        : random.between(0, SPAN_MS);
      const act = actOf(random);
      const later = act.is === 'errand' ? closeCallsOf(random, act) : [];
      const all = [{ afterMs: 0, act }, ...later];
      return all.map((each) => ({
        atMs: atMs + each.afterMs,
        by: first + at,
        act: each.act,
      }));
    }).flat(),
  );
  // Most is lost in the moments in which something is written: half of all faults fall into them.
  const momentOf = () => {
    const { atMs, act } = random.pick(acts);
    if (act.is !== 'errand' || random.chance(0.5)) return random.between(0, SPAN_MS + 4000);
    const waitMs = act.patience === 'ever' ? 0 : act.patience;
    return atMs + random.pick([waitMs, act.ms]) + random.between(0, 30);
  };
  const faults = faultsOf(random, plan).map((act) => ({
    atMs: momentOf(),
    by: 'simulation' as const,
    act,
  }));
  return [...acts, ...faults];
}

/** What comes in the very moment in which it is handed off, or ends. */
function closeCallsOf(
  random: SeededRandom,
  { patience, ms }: JobAct & { readonly is: 'errand' },
): { readonly afterMs: number; readonly act: JobAct }[] {
  const about = (afterMs: number) => Math.max(1, afterMs + random.between(-10, 15));
  const calls: { afterMs: number; act: JobAct }[] = [];
  if (patience !== 'ever' && random.chance(0.25)) {
    const is = random.pick(['abandon', 'abandon', 'give-up'] as const);
    calls.push({ afterMs: about(patience), act: { is, back: 0 } });
  }
  if (ms < SPAN_MS && random.chance(0.35))
    calls.push({
      afterMs: about(ms + random.pick([0, 0, 20])),
      act: { is: 'drop', back: 0, times: random.chance(0.3) ? 2 : 1, whose: 'own' },
    });
  return calls;
}

function actOf(random: SeededRandom): JobAct {
  const lot = random.next();
  const back = random.between(0, 3);
  if (lot < 0.42) return errandOf(random);
  if (lot < 0.48) return { is: 'abandon', back };
  if (lot < 0.54) return { is: 'give-up', back };
  if (lot < 0.57) return { is: 'vanish' };
  if (lot < 0.74) {
    const whose = random.pick(['own', 'own', 'own', 'theirs', 'nobodys'] as const);
    return { is: 'fetch', back, forMs: random.pick([0, 500, 4000, 20_000]), whose };
  }
  if (lot < 0.83) {
    const whose = random.pick(['own', 'own', 'theirs'] as const);
    return { is: 'drop', back, times: random.chance(0.3) ? 2 : 1, whose };
  }
  if (lot < 0.95) {
    const how = random.pick(['all', 'all', 'all', 'part', 'late', 'foreign'] as const);
    return { is: 'reply', back, how };
  }
  return { is: 'roll' };
}

function errandOf(random: SeededRandom): JobAct & { readonly is: 'errand' } {
  const ms = random.pick(DURATIONS);
  return {
    is: 'errand',
    tool: random.pick(JOB_TOOL_NAMES),
    ms,
    steps: random.between(1, 6),
    ...(random.chance(0.4) && { key: random.pick(['a', 'b']) }),
    patience: random.pick([0, 0, 100, 400, 1500, 1500, 'ever'] as const),
    as: random.pick(['job', 'task'] as const),
  };
}

/** More than elsewhere: jobs are for that. */
function faultsOf(random: SeededRandom, { clients, daemons }: JobsPlan): PlannedAct[] {
  const faults: PlannedAct[] = [];
  const guests = clients.flatMap(({ badge }) => (badge === 'owner' ? [] : [badge]));
  if (guests.length > 0 && random.chance(0.2))
    faults.push({ is: 'revoke', badge: random.pick(guests) });
  const count = random.pick([0, 1, 1, 2, 3]);
  for (let nth = 0; nth < count; nth++) {
    const which = daemons === 2 && random.chance(0.5) ? { which: 'second' as const } : {};
    const lot = random.next();
    if (lot < 0.5) faults.push({ is: 'crash', downMs: random.between(0, 3000), ...which });
    else if (lot < 0.75) faults.push({ is: 'drain', downMs: random.between(0, 800), ...which });
    else if (lot < 0.87) faults.push({ is: 'disk-full', ms: random.between(20, 2000) });
    else {
      const ms = random.chance(0.5) ? random.between(100, 5000) : random.between(20_000, 90_000);
      faults.push({ is: 'freeze', ms, end: random.chance(0.3) ? 'kill' : 'thaw', ...which });
    }
  }
  return faults;
}
