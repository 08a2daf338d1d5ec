import { CALM } from './asking-plan.ts';
import { NO_GATEWAY } from './gateway-plan.ts';
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
        speech: 'modern',
        badge: 'cautious',
        can: 'all',
        manner: 'willing',
        version: '2025-11-25',
        ...client,
      },
    ],
    gateway: NO_GATEWAY,
    actions,
  };
}

const at = (atMs: number, act: Extract<Action, { by: number }>['act']): Action => ({
  atMs,
  by: 0,
  act,
});

export const CASES = {
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
