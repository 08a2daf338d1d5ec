import type { ErrorClass } from '#core/errors/error-class.ts';
import { createFakeClock, type FakeClock } from '../../test/fake-clock.ts';
import {
  createBreakers,
  DEFAULT_RULES,
  type BreakerChange,
  type BreakersOptions,
} from './breakers.ts';
import type { BreakerPermit, BreakerRules, Breakers } from './breaker-types.ts';

export const RULES: BreakerRules = {
  ...DEFAULT_RULES,
  windowMs: 60_000,
  minCalls: 4,
  failurePercent: 50,
  coolOffMs: 10_000,
  maxCoolOffMs: 300_000,
};
export const K3 = { provider: 'kimi', model: 'kimi-k3' };
export const K2 = { provider: 'kimi', model: 'kimi-k2' };
/** Neither longer nor shorter than the rules say. */
const middle = (bytes: number) => new Uint8Array(bytes).fill(128, 0, 1);

export function createTestBreakers(
  options: Partial<BreakersOptions> & { readonly clock?: FakeClock } = {},
) {
  const clock = options.clock ?? createFakeClock();
  const changes: BreakerChange[] = [];
  const breakers = createBreakers({
    random: middle,
    rules: RULES,
    onChange: (change) => changes.push(change),
    ...options,
    clock,
  });
  return {
    clock,
    changes,
    breakers,
    transitions: () => changes.map(({ key, to }) => `${key} ${to}`),
  };
}

export function permit(breakers: Breakers, target = K3): BreakerPermit {
  const acquired = breakers.tryAcquire(target);
  if (acquired.is === 'refused') throw new Error(acquired.reason.code);
  return acquired.permit;
}

export function failTimes(
  breakers: Breakers,
  errorClass: ErrorClass,
  times = 1,
  target = K3,
): void {
  for (let turn = 0; turn < times; turn++) permit(breakers, target).failure({ class: errorClass });
}
