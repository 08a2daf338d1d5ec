// What stands before every request to a vendor: leave of the breakers, and money set aside.
import { systemClock, systemRandom } from '#app/system.ts';
import { Config } from '#config/schema/config.schema.ts';
import { deadlineIn } from '#core/time/deadline.ts';
import { createBudgets } from '#manager/budget/budgets.ts';
import { createBreakers, DEFAULT_RULES, MAX_BREAKERS } from '#resilience/breakers.ts';
import type { Breakers } from '#resilience/breaker-types.ts';
import type { BenchRow } from '../report.ts';
import { cpuOfEach, type Work } from './cpu.ts';

const RICH_USD = 1e9;
const FLAT_GOAL = 1.5;

export async function guardRows(): Promise<BenchRow[]> {
  const few = breakers(1);
  const many = breakers(MAX_BREAKERS);
  const cpu = await cpuOfEach({
    clock: lookAtClock,
    few: acquiring(few),
    many: acquiring(many),
    promise: awaiting,
    free: await reserving({}),
    limited: await reserving({ dailyUsd: RICH_USD, clientDailyUsd: RICH_USD }),
  });
  return [
    row('the time, read twice', cpu.clock),
    row('breaker: leave and a success', cpu.few, cpu.clock),
    {
      ...row(`the same, ${MAX_BREAKERS} breakers known`, cpu.many, cpu.few),
      goal: `≤ ${FLAT_GOAL} × with one`,
      ok: cpu.many / cpu.few <= FLAT_GOAL,
    },
    row('a promise that is kept, awaited', cpu.promise),
    row('budget without limits: set aside and settled', cpu.free, cpu.promise),
    row('budget with limits of all and of the client: the same', cpu.limited, cpu.promise),
  ];
}

function breakers(known: number): Breakers {
  const rules = { ...DEFAULT_RULES, ...Config.parse({}).breaker };
  const made = createBreakers({ clock: systemClock, random: systemRandom, rules });
  for (let n = known - 1; n >= 0; n -= 1) {
    const acquired = made.tryAcquire({ provider: 'glm', model: `model-${n}` });
    if (acquired.is === 'granted') acquired.permit.success();
  }
  return made;
}

function acquiring(asking: Breakers): Work {
  const asked = { provider: 'glm', model: 'model-0' };
  return (times) => {
    for (let n = 0; n < times; n += 1) {
      const acquired = asking.tryAcquire(asked);
      if (acquired.is === 'refused') throw new Error(acquired.reason.code);
      acquired.permit.success();
    }
  };
}

/** The least that a breaker with a window of time needs. */
const lookAtClock: Work = (times) => {
  let at = 0;
  for (let n = 0; n < times; n += 1) at += systemClock.monotonic() + systemClock.monotonic();
  if (at <= 0) throw new Error('there is no time');
};

const awaiting: Work = async (times) => {
  for (let n = 0; n < times; n += 1) await KEPT;
};
const KEPT = Promise.resolve();

async function reserving(limits: {
  readonly dailyUsd?: number;
  readonly clientDailyUsd?: number;
}): Promise<Work> {
  const budgets = await createBudgets({
    limits: { ...Config.parse({}).budget, ...limits },
    clock: systemClock,
    totals: async () => [],
  });
  const wait = {
    deadline: deadlineIn(systemClock, 3_600_000),
    signal: new AbortController().signal,
  };
  return async (times) => {
    for (let n = 0; n < times; n += 1) {
      const reservation = await budgets.reserve('local', 100, wait);
      reservation.settle(1);
    }
  };
}

function row(what: string, microseconds: number, floor?: number): BenchRow {
  return {
    what,
    value: microseconds * 1000,
    unit: 'ns',
    ...(floor !== undefined && { ratio: microseconds / floor }),
  };
}
