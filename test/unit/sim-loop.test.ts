import { describe, expect, test } from 'vitest';
import { LOOP_PLANTS, runLoopSeed, type LoopPlant } from '../sim/loop-world.ts';
import { caseCount } from '../thorough.ts';
import { verifies } from '../verifies.ts';

const WORLDS = caseCount(300, 10_000);

async function firstFailure(seeds: number, plant?: LoopPlant) {
  for (let seed = 1; seed <= seeds; seed += 1) {
    const { violations } = await runLoopSeed(seed, plant);
    if (violations.length > 0) return { seed, violations };
  }
  return undefined;
}

describe('the simulated tool loop', () => {
  verifies('loop:resumed', `${WORLDS} simulations keep every invariant`, async () => {
    const ends = new Map<string, number>();
    let crashes = 0;
    for (let seed = 1; seed <= WORLDS; seed += 1) {
      const result = await runLoopSeed(seed);
      expect({ seed, violations: result.violations }).toEqual({ seed, violations: [] });
      ends.set(result.end, (ends.get(result.end) ?? 0) + 1);
      crashes += result.crashes;
    }
    expect(crashes).toBeGreaterThan(WORLDS / 10);
    // Every way to end has happened, or the simulation says less than it seems to.
    expect([...ends.keys()].toSorted()).toEqual([
      'answered',
      'budget_used',
      'calls_repeated',
      'calls_returned',
      'calls_used',
      'model_failed',
      'rejected',
      'rounds_used',
      'time_used',
    ]);
  });

  test.each(LOOP_PLANTS)('the planted bug "%s" is found within 300 simulations', async (plant) => {
    expect(await firstFailure(300, plant)).toBeDefined();
  });

  test('a seed goes the same way each time', async () => {
    for (const seed of [1, 2, 3, 4, 5]) {
      expect(await runLoopSeed(seed)).toEqual(await runLoopSeed(seed));
    }
  });
});
