import { expect } from 'vitest';
import { verifies } from '../../test/verifies.ts';
import { createTurnLimit, inOwnTurn, pause } from './turns.ts';

verifies('stalls:turns', 'each piece of work has its own turn of the event loop', async () => {
  const events: string[] = [];
  const work = async (name: string) => {
    for (let step = 1; step <= 3; step += 1) {
      await pause();
      events.push(`${name}${step}`);
    }
  };
  let isOver = false;
  const others = (async () => {
    while (!isOver) {
      await new Promise((resolve) => setImmediate(resolve));
      events.push('-');
    }
  })();
  inOwnTurn(() => events.push('z'));
  await Promise.all([work('a'), work('b')]);
  isOver = true;
  await others;
  const pieces = events.filter((event) => event !== '-');
  expect(pieces).toEqual(['z', 'a1', 'b1', 'a2', 'b2', 'a3', 'b3']);
  // Between two pieces, others had a turn.
  expect(events.join('')).not.toMatch(/[zab]\d?[zab]/);
});

verifies('stalls:turns', 'short work that arrives at once is spread over turns', async () => {
  const limited = createTurnLimit(3);
  let done = 0;
  for (let each = 0; each < 10; each += 1) limited(() => (done += 1));
  expect(done).toBe(3);
  const seen: number[] = [];
  while (done < 10) {
    await new Promise((resolve) => setImmediate(resolve));
    seen.push(done);
  }
  expect(seen.length).toBeGreaterThanOrEqual(6);
  limited(() => (done += 1));
  expect(done).toBe(11);
});
