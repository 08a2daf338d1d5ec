import { expect, test } from 'vitest';
import { createFakeClock } from '../../../test/fake-clock.ts';
import { deadlineIn, earlier, remainingMs, signalAt } from './deadline.ts';

test('a deadline runs down and never below nothing', () => {
  const clock = createFakeClock();
  const deadline = deadlineIn(clock, 1000);
  clock.advance(400);
  expect(remainingMs(deadline, clock)).toBe(600);
  clock.advance(5000);
  expect(remainingMs(deadline, clock)).toBe(0);
  expect(earlier(deadline, deadlineIn(clock, 1))).toBe(deadline);
});

test.each([3_600_000, -3_600_000])(
  'a wall clock that is set by %d ms neither ends nor prolongs it',
  (jumpMs) => {
    const clock = createFakeClock();
    const deadline = deadlineIn(clock, 1000);
    const { signal } = signalAt(deadline, clock);
    clock.jump(jumpMs);
    expect(remainingMs(deadline, clock)).toBe(1000);
    clock.advance(999);
    expect(signal.aborted).toBe(false);
    clock.advance(1);
    expect(signal.aborted).toBe(true);
  },
);

test('its signal aborts as a timeout when the time is up', () => {
  const clock = createFakeClock();
  const { signal } = signalAt(deadlineIn(clock, 1000), clock);
  clock.advance(999);
  expect(signal.aborted).toBe(false);
  clock.advance(1);
  expect(signal.reason).toMatchObject({ class: 'timeout' });
});

test('its signal passes on the reason of the caller who cancels first', () => {
  const clock = createFakeClock();
  const caller = new AbortController();
  const { signal } = signalAt(deadlineIn(clock, 1000), clock, caller.signal);
  caller.abort('enough');
  clock.advance(2000);
  expect(signal.reason).toBe('enough');
});

test('a parent signal that has already aborted aborts at once', () => {
  const clock = createFakeClock();
  expect(signalAt(deadlineIn(clock, 1000), clock, AbortSignal.abort('gone')).signal.reason).toBe(
    'gone',
  );
});

test('once disposed it leaves no timer behind', () => {
  const clock = createFakeClock();
  const limit = signalAt(deadlineIn(clock, 1000), clock);
  limit.dispose();
  expect(clock.waiting).toBe(0);
  clock.advance(2000);
  expect(limit.signal.aborted).toBe(false);
});
