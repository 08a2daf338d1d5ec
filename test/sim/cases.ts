import { CALM } from './asking-plan.ts';
import { NO_GATEWAY } from './gateway-plan.ts';
import { NO_JOBS, type JobAct } from './job-plan.ts';
import type { Action, ClientPlan, Plan } from './plan.ts';

/** Worlds made by hand, for what chance would bring about too seldom. */
function caseOf(client: Partial<ClientPlan>, actions: readonly Action[]): Plan {
  return {
    limits: { global: 4, kimi: 2, glm: 2, session: 3 },
    maxWaiting: 4,
    needsToken: true,
    http: {
      streamAfterMs: 200,
      streamForMs: 0,
      sseKeepaliveMs: 20_000,
      sessionIdleMs: 800,
      maxSessions: 1000,
      maxLogChars: 1_000_000,
    },
    asking: CALM,
    clients: [
      {
        by: 'http',
        protocol: 'modern',
        badge: 'cautious',
        can: 'all',
        manner: 'willing',
        follows: 'nothing',
        version: '2025-11-25',
        ...client,
      },
    ],
    gateway: NO_GATEWAY,
    jobs: NO_JOBS,
    actions,
  };
}

const at = (atMs: number, act: Extract<Action, { by: number }>['act']): Action => ({
  atMs,
  by: 0,
  act,
});

const JOB_TIMES = {
  inlineWaitMs: 300,
  withProgressMs: 500,
  taskWaitMs: 100,
  timeoutMs: 59_000,
  waiting: 100,
  running: 2,
} as const;

/** Jobs that become so in every way, and end in every way. */
function jobCase(daemons: 1 | 2): Plan {
  const about = { can: 'forms', hears: 'nothing', at: 'first' } as const;
  const by = (who: number, atMs: number, act: JobAct): Action => ({ atMs, by: who, act });
  const errand = { is: 'errand', steps: 3, as: 'job' } as const;
  return {
    ...caseOf({ badge: 'none', by: 'unix', protocol: 'legacy' }, []),
    limits: { global: 8, kimi: 2, glm: 2, session: 3 },
    needsToken: false,
    clients: [],
    jobs: {
      clients: [
        { ...about, badge: 'owner' },
        { ...about, badge: 'owner', at: daemons === 2 ? 'second' : 'first' },
        { ...about, badge: 'helper' },
      ],
      daemons,
      times: JOB_TIMES,
    },
    actions: [
      by(0, 0, { ...errand, tool: 'haul', ms: 900, patience: 100 }),
      by(0, 5, { ...errand, tool: 'dig', ms: 600, patience: 0 }),
      by(2, 10, { ...errand, tool: 'deal', ms: 150, patience: 0 }),
      by(0, 20, { ...errand, tool: 'sift', ms: 800, patience: 'ever' }),
      by(1, 100, { ...errand, tool: 'haul', ms: 7000, patience: 40 }),
      by(0, 200, { is: 'give-up', back: 0 }),
      by(2, 250, { is: 'fetch', back: 1, forMs: 500, whose: 'theirs' }),
      by(1, 300, { is: 'fetch', back: 1, forMs: 4000, whose: 'own' }),
      by(2, 500, { is: 'reply', back: 0, how: 'all' }),
      by(0, 610, { is: 'drop', back: 1, times: 2, whose: 'own' }),
      by(2, 1200, { is: 'reply', back: 0, how: 'all' }),
      by(1, 6000, { is: 'fetch', back: 0, forMs: 4000, whose: 'own' }),
      by(0, 7300, { is: 'roll' }),
    ],
  };
}

/** Calls that end, or are cancelled, in the very moment in which they are handed off. */
function closeCase(): Plan {
  const errand = { is: 'errand', steps: 1, as: 'job', patience: 100 } as const;
  const by = (atMs: number, act: JobAct): Action => ({ atMs, by: 0, act });
  const actions = [-4, 0, 2, 4, 8].flatMap((ms, nth) => [
    by(400 * nth, { ...errand, tool: nth % 2 === 0 ? 'sift' : 'dig', ms: 100 + ms }),
    by(400 * nth + 200, { ...errand, tool: 'haul', ms: 900 }),
    by(400 * nth + 302 + ms, { is: 'abandon', back: 0 }),
  ]);
  return { ...jobCase(1), actions };
}

export const CASES = {
  'calls handed off too late': closeCase(),
  'jobs of one daemon': jobCase(1),
  'jobs of two daemons': jobCase(2),

  'a yes does not count that came before the question': caseOf({}, [
    ...[0, 300, 600, 900, 1200, 1500].map((ms) => at(ms, { is: 'forge', how: 'early-yes' })),
    at(6000, { is: 'list' }),
  ]),
  'a tool sees no answers to what was not asked': caseOf({ badge: 'owner', manner: 'silent' }, [
    ...[0, 300, 600, 900].map((ms) =>
      at(ms, {
        is: 'call',
        tool: 'wonder',
        args: { ms: 5, key: 'a' },
        afterwards: 'more',
      }),
    ),
    ...[100, 400, 700, 1000].map((ms) => at(ms, { is: 'forge', how: 'extra' })),
    at(6000, { is: 'list' }),
  ]),
} as const;

export type CaseName = keyof typeof CASES;
