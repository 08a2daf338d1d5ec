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

verifies(
  'hedge:flapping',
  'while two vendors fall silent in turn, every request is answered, and none waits for long',
  async () => {
    const { asked, ...result } = await simulateFlapping({
      seed: 2,
      minutes: MINUTES,
      hows: ['silent'],
      clients: 8,
      hedge: 'auto',
    });
    expect(result).toMatchObject({ answered: asked, classes: {} });
    // Eight silent requests notice a silent vendor after 1 second. One that is asked alone is waited for.
    expect(result.deadSeconds).toBeLessThanOrEqual(MINUTES * 4);
    expect(result.longestGapS).toBeLessThanOrEqual(12);
    expect(result.longestMs).toBeLessThan(20_000);
    expect(result.vendorCalls).toBeLessThan(asked * 1.1);
  },
);

verifies('hedge:together', 'of 20 requests at once few seconds are without an answer', async () => {
  const { asked, ...result } = await simulateFlapping({
    seed: 7,
    minutes: MINUTES,
    hows: ['silent'],
    clients: 20,
    hedge: 'auto',
  });
  expect(result).toMatchObject({ answered: asked, classes: {} });
  expect(result.deadSeconds).toBeLessThanOrEqual(MINUTES * 3);
  expect(result.vendorCalls).toBeLessThan(asked * 1.05);
});

test('without hedges every request is answered in the end, too', async () => {
  const { asked, answered } = await simulateFlapping({
    seed: 2,
    minutes: MINUTES,
    hows: ['silent'],
    clients: 8,
  });
  expect(answered).toBe(asked);
});

/** Times to the first token with a long tail, around this median. */
const logNormal = (medianMs: number, spread: number) => (draw: () => number) => {
  const normal = Math.sqrt(-2 * Math.log(1 - draw())) * Math.cos(2 * Math.PI * draw());
  return Math.round(medianMs * Math.exp(spread * normal));
};

for (const [what, medianMs, spread] of [
  ['quick', 600, 0.8],
  ['varied', 1500, 0.6],
  ['slow', 6000, 0.4],
] as const) {
  verifies('hedge:healthy', `of ${what} ones hardly any is asked beside another`, async () => {
    const { asked, answered, vendorCalls } = await simulateFlapping({
      seed: 5,
      minutes: 10,
      hows: [],
      clients: 20,
      hedge: 'auto',
      answerMs: logNormal(medianMs, spread),
    });
    expect(answered).toBe(asked);
    expect(vendorCalls / asked).toBeLessThanOrEqual(1.05);
  });
}
