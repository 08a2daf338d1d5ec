import { expect, test } from 'vitest';
import { createFakeClock } from '../../../test/fake-clock.ts';
import { deadlineIn } from '#core/time/deadline.ts';
import { askDeadline, attemptLimits, callTimeMs } from './attempt-limits.ts';

const timeouts = { firstTokenMs: 60_000, idleMs: 30_000 };

test('with a fallback left, a model may be silent for at most half of the time', () => {
  const clock = createFakeClock();
  const deadline = deadlineIn(clock, 90_000);
  const stream = attemptLimits(
    deadline,
    timeouts,
    { delivery: 'stream', hasFallback: true, queue: 'short' },
    clock,
  );
  expect(stream.timeouts).toEqual({ firstTokenMs: 45_000, idleMs: 30_000 });
  expect(stream.deadline).toEqual(deadline);
  const whole = attemptLimits(
    deadline,
    timeouts,
    { delivery: 'whole', hasFallback: true, queue: 'short' },
    clock,
  );
  // With the time in the queue: 54 seconds and 2.
  expect(whole).toMatchObject({ deadline: deadlineIn(clock, 56_000), wholeMs: 54_000 });
});

test('the last one has all the time there is', () => {
  const clock = createFakeClock();
  const deadline = deadlineIn(clock, 90_000);
  for (const delivery of ['stream', 'whole'] as const) {
    expect(
      attemptLimits(
        deadline,
        timeouts,
        { delivery, hasFallback: false, queue: 'whole_time' },
        clock,
      ),
    ).toEqual({
      deadline,
      timeouts,
    });
  }
});

test('a setting that is shorter holds', () => {
  const clock = createFakeClock();
  const about = { delivery: 'stream', hasFallback: true, queue: 'short' } as const;
  const short = { firstTokenMs: 5000, idleMs: 1000 };
  expect(attemptLimits(deadlineIn(clock, 90_000), short, about, clock).timeouts).toEqual(short);
});

test('an ask ends a little before its call, so that the failure can be reported', () => {
  const clock = createFakeClock();
  expect(askDeadline(deadlineIn(clock, 90_000), clock).at - clock.monotonic()).toBe(89_500);
  expect(askDeadline(deadlineIn(clock, 1000), clock).at - clock.monotonic()).toBe(950);
});

test('a request with a limit of its own ends there, and never after its call', () => {
  const clock = createFakeClock();
  const call = deadlineIn(clock, 90_000);
  const left = (timeoutMs: number) => askDeadline(call, clock, timeoutMs).at - clock.monotonic();
  expect(left(30_000)).toBe(30_000);
  expect(left(600_000)).toBe(89_500);
  expect(left(0)).toBe(0);
});

const THINKING = { firstTokenMs: 300_000, idleMs: 120_000 };

test('a call with much time leaves two minutes for the next model, not half', () => {
  const clock = createFakeClock();
  const about = { delivery: 'stream', hasFallback: true, queue: 'short' } as const;
  const firstToken = (leftMs: number) =>
    attemptLimits(deadlineIn(clock, leftMs), THINKING, about, clock).timeouts?.firstTokenMs;
  expect([firstToken(660_000), firstToken(300_000), firstToken(100_000)]).toEqual([
    300_000, 180_000, 50_000,
  ]);
});

test('the time of a call follows its first model, up to 15 minutes', () => {
  expect(callTimeMs(THINKING, { hasFallback: true })).toBe(660_000);
  expect(callTimeMs(THINKING, { hasFallback: false })).toBe(540_000);
  const longest = { firstTokenMs: 600_000, idleMs: 120_000 };
  expect(callTimeMs(longest, { hasFallback: true })).toBe(900_000);
});

test('a model whose usual time is known is given 8 times that, at least 20 seconds', () => {
  const clock = createFakeClock();
  const timeouts = { firstTokenMs: 60_000, idleMs: 30_000 };
  const limits = (usualMs: number | undefined, delivery: 'stream' | 'whole' = 'stream') =>
    attemptLimits(
      deadlineIn(clock, 600_000),
      timeouts,
      { delivery, hasFallback: true, queue: 'whole_time', usualMs },
      clock,
    );
  expect([undefined, 1000, 4000, 20_000].map((ms) => limits(ms).timeouts?.firstTokenMs)).toEqual([
    60_000, 20_000, 32_000, 60_000,
  ]);
  expect([undefined, 1000, 10_000].map((ms) => limits(ms, 'whole').wholeMs)).toEqual([
    120_000, 60_000, 80_000,
  ]);
});
