import { expect, test } from 'vitest';
import { createFakeClock } from '../../../test/fake-clock.ts';
import { every, sleep } from './clock.ts';

test('a sleep ends at its time, or when it is aborted, and leaves no timer', async () => {
  const clock = createFakeClock();
  const slept = sleep(clock, 100);
  clock.advance(100);
  await slept;
  const controller = new AbortController();
  const cut = sleep(clock, 100, controller.signal);
  controller.abort();
  await cut;
  await sleep(clock, 100, controller.signal);
  expect(clock.waiting).toBe(0);
});

test('repeated work starts again only after it ended, until stopped', async () => {
  const clock = createFakeClock();
  const starts: number[] = [];
  let finish = () => {};
  const timer = every(clock, 10, () => {
    starts.push(clock.now());
    return new Promise((resolve) => (finish = resolve));
  });
  clock.advance(10);
  clock.advance(100);
  expect(starts).toHaveLength(1);
  finish();
  await clock.untilWaiting();
  clock.advance(10);
  expect(starts).toHaveLength(2);
  timer.stop();
  finish();
  await Promise.resolve();
  clock.advance(100);
  expect(starts).toHaveLength(2);
});
