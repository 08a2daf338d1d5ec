import { expect, test } from 'vitest';
import { createFakeClock } from '../../test/fake-clock.ts';
import { createReadingTurns } from './reading-turns.ts';

test('reads go one by one with a pause between them, and too many are told to come back', async () => {
  const clock = createFakeClock();
  const turns = createReadingTurns(clock);
  let reading = 0;
  const read = async () => {
    reading += 1;
    return reading;
  };
  const asked = Array.from({ length: 34 }, () => turns(read));
  await expect(asked[33]).rejects.toMatchObject({ class: 'over_capacity', retryAfterMs: 1000 });
  for (let turn = 1; turn <= 33; turn++) {
    expect(await asked[turn - 1]).toBe(turn);
    await clock.untilWaiting();
    expect(reading).toBe(turn);
    clock.advance(0);
  }
});

test('a read that fails makes room for the next', async () => {
  const clock = createFakeClock();
  const turns = createReadingTurns(clock);
  for (let n = 0; n < 5; n++) {
    await expect(turns(() => Promise.reject(new Error('no')))).rejects.toThrow('no');
    clock.advance(0);
  }
  expect(await turns(() => Promise.resolve('yes'))).toBe('yes');
});
