import { expect, test } from 'vitest';
import { createFakeClock } from '../../../test/fake-clock.ts';
import { deadlineIn } from '#core/deadline.ts';
import { askDeadline, shareTime } from './time-share.ts';

const patience = { firstTokenMs: 60_000, idleMs: 30_000 };

test('while others could be asked, nobody may be silent for more than half of the time', () => {
  const clock = createFakeClock();
  const deadline = deadlineIn(clock, 90_000);
  const stream = shareTime(deadline, patience, { delivery: 'stream', othersLeft: 'yes' }, clock);
  expect(stream.patience).toEqual({ firstTokenMs: 45_000, idleMs: 30_000 });
  expect(stream.deadline).toEqual(deadline);
  const whole = shareTime(deadline, patience, { delivery: 'whole', othersLeft: 'yes' }, clock);
  expect(whole.deadline.at - clock.monotonic()).toBe(54_000);
});

test('the last one has all the time there is', () => {
  const clock = createFakeClock();
  const deadline = deadlineIn(clock, 90_000);
  for (const delivery of ['stream', 'whole'] as const) {
    expect(shareTime(deadline, patience, { delivery, othersLeft: 'no' }, clock)).toEqual({
      deadline,
      patience,
    });
  }
});

test('a setting that is shorter holds', () => {
  const clock = createFakeClock();
  const about = { delivery: 'stream', othersLeft: 'yes' } as const;
  const short = { firstTokenMs: 5000, idleMs: 1000 };
  expect(shareTime(deadlineIn(clock, 90_000), short, about, clock).patience).toEqual(short);
});

test('asking ends a little before the call does, so that the failure can be told', () => {
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
