import { describe, expect, test } from 'vitest';
import { HUB_PLANTS, runHubSeed, type HubPlant } from '../sim/hub-world.ts';
import { caseCount } from '../thorough.ts';
import { verifies } from '../verifies.ts';

const WORLDS = caseCount(40, 2_000);

async function firstFailure(seeds: number, plant?: HubPlant) {
  for (let seed = 1; seed <= seeds; seed += 1) {
    const { violations } = await runHubSeed(seed, plant);
    if (violations.length > 0) return { seed, violations };
  }
  return undefined;
}

describe('the simulated hub', () => {
  verifies('hub:chaos', `${WORLDS} simulations keep every invariant`, async () => {
    let calls = 0;
    for (let seed = 1; seed <= WORLDS; seed += 1) {
      const result = await runHubSeed(seed);
      expect({ seed, violations: result.violations }).toEqual({ seed, violations: [] });
      calls += result.calls;
    }
    expect(calls).toBeGreaterThan(20 * WORLDS);
  });

  test.each(HUB_PLANTS)('the planted bug "%s" is found within 40 simulations', async (plant) => {
    expect(await firstFailure(40, plant)).toBeDefined();
  });

  test('a seed goes the same way each time', async () => {
    for (const seed of [1, 2, 3]) expect(await runHubSeed(seed)).toEqual(await runHubSeed(seed));
  });
});
