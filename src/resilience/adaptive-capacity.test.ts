import { expect, test } from 'vitest';
import { createFakeClock } from '../../test/fake-clock.ts';
import { verifies } from '../../test/verifies.ts';
import { createAdaptiveCapacity } from './adaptive-capacity.ts';

function start() {
  const clock = createFakeClock();
  let changes = 0;
  const capacity = createAdaptiveCapacity(clock, () => (changes += 1));
  const accept = (times: number) => {
    for (let done = 0; done < times; done += 1)
      capacity.learn('kimi', { is: 'accepted' }, capacity.of('kimi', 100));
  };
  return { clock, capacity, accept, now: () => capacity.of('kimi', 6), changes: () => changes };
}

verifies(
  'limits:adaptive',
  'starts low and grows to the configured limit while it is needed',
  () => {
    const { accept, now, capacity, changes } = start();
    expect(now()).toBe(2);
    capacity.learn('kimi', { is: 'accepted' }, 1);
    expect(now()).toBe(2);
    accept(2);
    expect(now()).toBe(4);
    accept(10);
    expect(now()).toBe(6);
    expect(changes()).toBe(12);
  },
);

verifies('limits:adaptive', 'falls to what a refusal names, and then grows slowly', () => {
  const { accept, now, capacity } = start();
  accept(4);
  capacity.learn('kimi', { is: 'limited', concurrency: 1 }, 6);
  expect(now()).toBe(1);
  accept(19);
  expect(now()).toBe(1);
  accept(1);
  expect(now()).toBe(2);
});

test('a refusal that names nothing halves it, and one request always stays', () => {
  const { accept, now, capacity } = start();
  accept(4);
  capacity.learn('kimi', { is: 'limited' }, 6);
  expect(now()).toBe(3);
  capacity.learn('kimi', { is: 'limited' }, 1);
  expect(now()).toBe(1);
});

verifies('limits:adaptive', 'an account without requests left pauses, for a minute at most', () => {
  const { clock, now, capacity, changes } = start();
  capacity.learn('kimi', { is: 'accepted', pauseMs: 5000 }, 1);
  expect(now()).toBe(0);
  clock.advance(5000);
  expect([now(), changes()]).toEqual([2, 1]);
  capacity.learn('kimi', { is: 'limited', pauseMs: 1e12 }, 1);
  clock.advance(59_999);
  expect(now()).toBe(0);
  clock.advance(1);
  expect(now()).toBe(1);
});

test('another account begins anew, the same one does not', () => {
  const { now, capacity } = start();
  capacity.begin('kimi', 'a');
  capacity.learn('kimi', { is: 'limited' }, 2);
  capacity.begin('kimi', 'a');
  expect(now()).toBe(1);
  capacity.begin('kimi', 'b');
  expect(now()).toBe(2);
});
