import { expect, test } from 'vitest';
import { verifies } from '../../../test/verifies.ts';
import { simulateFlapping, type Outage } from './flapping.fixture.ts';

const MINUTES = 3;

const KINDS: readonly (readonly [string, readonly Outage[]])[] = [
  ['break', ['breaks']],
  ['do both', ['breaks', 'refuses']],
];

for (const [what, hows] of KINDS) {
  verifies(
    'breaker:forced',
    `while two vendors ${what} in turn, every request is answered, in every second`,
    async () => {
      const { asked, ...result } = await simulateFlapping({
        seed: 2,
        minutes: MINUTES,
        hows,
        clients: 8,
      });
      expect(result).toMatchObject({ answered: asked, deadSeconds: 0, classes: {} });
      expect(asked).toBeGreaterThan(MINUTES * 1000);
      expect(result.longestMs).toBeLessThan(3000);
      // Probes and failed attempts are few beside the answers.
      expect(result.vendorCalls).toBeLessThan(asked * 1.05);
    },
  );
}

test('while two vendors fall silent in turn, every request is answered in the end', async () => {
  const { asked, answered } = await simulateFlapping({
    seed: 2,
    minutes: MINUTES,
    hows: ['silent'],
    clients: 8,
  });
  expect(answered).toBe(asked);
});
