import { describe, expect, test } from 'vitest';
import { PLANTS, type PlantName } from '../sim/plants.ts';
import { verifies } from '../verifies.ts';
import { planOfSeed, runSeed, shrink } from '../sim/run-seed.ts';
import { describeFailure, runSeeds } from '../sim/run-seeds.ts';

const MINUTE_MS = 60_000;

describe('the simulated daemon', () => {
  verifies(
    'sim:seeds',
    'a thousand worlds keep every invariant',
    async () => {
      const { failedSeed, calls } = await runSeeds(1, 1000);
      expect(failedSeed === undefined ? '' : await describeFailure(failedSeed)).toBe('');
      expect(calls).toBeGreaterThan(5000);
    },
    MINUTE_MS,
  );

  test.each(Object.keys(PLANTS) as PlantName[])(
    'the planted bug %s is found within 200 worlds',
    async (plant) => {
      const { failedSeed } = await runSeeds(1, 200, plant);
      expect(failedSeed).toBeDefined();
    },
    MINUTE_MS,
  );

  verifies('sim:seeds', 'a seed goes the same way each time', async () => {
    for (let seed = 1; seed <= 20; seed++) {
      const [first, second] = [
        await runSeed(seed, undefined, 'traced'),
        await runSeed(seed, undefined, 'traced'),
      ];
      expect(second).toEqual(first);
      expect(first.trace.length).toBeGreaterThan(0);
    }
  });

  verifies(
    'sim:seeds',
    'a failing seed is shown with few of its actions, its trace and the command that replays it',
    async () => {
      const { failedSeed = 0 } = await runSeeds(1, 200, 'doubled-answer');
      const plan = await shrink(failedSeed, 'doubled-answer');
      expect(plan.actions.length).toBeLessThan(planOfSeed(failedSeed).actions.length);
      const words = await describeFailure(failedSeed, 'doubled-answer');
      expect(words).toContain('breaks "answers"');
      expect(words).toContain(`npm run sim -- --seed ${failedSeed} --plant doubled-answer`);
      expect(words.split('\n').length).toBeLessThan(150);
    },
  );
});
