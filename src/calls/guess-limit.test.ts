import { expect, test } from 'vitest';
import { createFakeClock } from '../../test/fake-clock.ts';
import { verifies } from '../../test/verifies.ts';
import { createGuessLimit } from './guess-limit.ts';

const HERE = '127.0.0.1';

function guess(limit: ReturnType<typeof createGuessLimit>, from: number, to: number): void {
  for (let n = from; n < to; n += 1) limit.refused(HERE, `digest-${n}`);
}

verifies('security:guessing', 'after 20 wrong tokens an address has to wait, and no other', () => {
  const clock = createFakeClock();
  const limit = createGuessLimit(clock);
  expect(limit.isIdle).toBe(true);
  guess(limit, 0, 19);
  expect(limit.waitMs(HERE)).toBe(0);
  guess(limit, 19, 20);
  expect(limit.waitMs(HERE)).toBe(3000);
  expect(limit.waitMs('192.0.2.1')).toBe(0);
  clock.advance(3000);
  expect(limit.waitMs(HERE)).toBe(0);
  guess(limit, 20, 21);
  expect(limit.waitMs(HERE)).toBe(3000);
});

test('one wrong token that is repeated is no guessing', () => {
  const limit = createGuessLimit(createFakeClock());
  for (let n = 0; n < 1000; n += 1) limit.refused(HERE, 'the same');
  expect(limit.waitMs(HERE)).toBe(0);
});

test('an address that is quiet for a minute is forgotten', () => {
  const clock = createFakeClock();
  const limit = createGuessLimit(clock);
  guess(limit, 0, 50);
  clock.advance(60_000);
  expect(limit.waitMs(HERE)).toBe(0);
  expect(limit.isIdle).toBe(true);
});

test('guesses from very many addresses take a bounded place', () => {
  const limit = createGuessLimit(createFakeClock());
  for (let n = 0; n < 20; n += 1) limit.refused(HERE, `digest-${n}`);
  for (let n = 0; n < 5000; n += 1) limit.refused(`10.0.${n >> 8}.${n & 255}`, 'x');
  expect(limit.waitMs(HERE)).toBe(0);
});
