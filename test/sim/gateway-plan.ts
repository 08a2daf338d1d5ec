import type { Shape } from '../cases/gateway-readers.ts';
import { isTaken, type Taken } from './badges.ts';
import type { Action, Badge, PlannedAct } from './plan.ts';
import type { SeededRandom } from './random.ts';

/** A client of somebody else's API. */
export interface GatewayClientPlan {
  readonly shape: Shape;
  readonly badge: Badge;
  /** Of how many milliseconds each of its readings is, where it reads slowly. */
  readonly slownessMs: number;
}

/** How the transport for other people's clients is set up; in milliseconds. */
export interface GatewayPlan {
  readonly clients: readonly GatewayClientPlan[];
  readonly headHoldMs: number;
  readonly keepaliveMs: number;
  readonly timeoutMs: number;
  readonly drainMs: number;
}

export const NO_GATEWAY: GatewayPlan = {
  clients: [],
  headHoldMs: 10_000,
  keepaliveMs: 20_000,
  timeoutMs: 6000,
  drainMs: 8000,
};

const SHARE = 0.3;

export function gatewayPlanOf(random: SeededRandom, needsToken: boolean): GatewayPlan {
  if (!random.chance(SHARE)) return NO_GATEWAY;
  const owner = needsToken ? 'owner' : 'none';
  return {
    clients: Array.from({ length: random.between(1, 2) }, () => ({
      shape: random.pick(['openai', 'anthropic'] as const),
      badge: random.chance(0.06)
        ? random.pick(['stranger', 'none'] as const)
        : random.pick([owner, owner, 'reader', 'helper', 'cautious'] as const),
      slownessMs: random.chance(0.2) ? random.between(20, 400) : 0,
    })),
    headHoldMs: random.pick([0, 60, 400, 2000]),
    keepaliveMs: random.pick([80, 80, 700, 20_000]),
    timeoutMs: random.pick([1500, 4000, 6000]),
    drainMs: random.pick([0, 300, 8000]),
  };
}

/** What these clients do: `first` is the number of the first of them. */
export function chatsOf(
  random: SeededRandom,
  { clients }: GatewayPlan,
  first: number,
  spanMs: number,
): Action[] {
  const burstAt = random.between(0, spanMs);
  const momentOf = () =>
    random.chance(0.4) ? burstAt + random.between(0, 30) : random.between(0, spanMs);
  return clients.flatMap(({ badge }, at) => [
    ...Array.from({ length: random.between(3, 7) }, () => ({
      atMs: momentOf(),
      by: first + at,
      act: actOf(random),
    })),
    // Soon after much was asked, so that somebody is in the middle of an answer.
    ...(isTaken(badge) && random.chance(0.3)
      ? [
          {
            atMs: burstAt + random.between(50, 600),
            by: 'simulation',
            act: takingOf(random, badge),
          } as const,
        ]
      : []),
  ]);
}

function takingOf(random: SeededRandom, badge: Taken): PlannedAct {
  return { is: random.pick(['revoke', 'rotate'] as const), badge };
}

function actOf(random: SeededRandom): Extract<Action, { by: number }>['act'] {
  const lot = random.next();
  if (lot < 0.76) return { is: 'chat', wish: random.between(0, 1_000_000) };
  if (lot < 0.9) return { is: 'cancel', back: random.between(0, 2) };
  return { is: 'dawdle', ms: random.between(100, 3000) };
}
