import { expect, test } from 'vitest';
import {
  CLOCK_CONFIRMED_AFTER_MS,
  judgeClock,
  readClockRecord,
  writeClockRecord,
  type ClockRecord,
} from './clock-trust.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const NOW = Date.UTC(2026, 0, 1);
const trusted: ClockRecord = { trustedMs: NOW };

test('a clock moves on with the time that passed, and by some days while the machine is off', () => {
  for (const passed of [0, HOUR_MS, 7 * DAY_MS])
    expect(judgeClock(trusted, NOW + passed, 0)).toEqual({ record: { trustedMs: NOW + passed } });
  expect(judgeClock(trusted, NOW + 30 * DAY_MS, 23 * DAY_MS).jump).toBeUndefined();
});

test('a clock that is a little behind is trusted, and the latest time stays', () => {
  expect(judgeClock(trusted, NOW - DAY_MS, 0)).toEqual({ record: trusted });
});

test.each([
  ['ahead', 3_650 * DAY_MS],
  ['ahead', 7 * DAY_MS + 1],
  ['behind', -8 * DAY_MS],
] as const)('a clock that jumps %s is reported and not trusted', (direction, jumpMs) => {
  const nowMs = NOW + jumpMs;
  expect(judgeClock(trusted, nowMs, 0)).toEqual({
    record: { trustedMs: NOW, unconfirmed: { seenMs: nowMs, ranMs: 0 } },
    jump: { direction, trustedMs: NOW, nowMs, leftMs: CLOCK_CONFIRMED_AFTER_MS },
  });
});

test.each([3_650 * DAY_MS, -3_650 * DAY_MS])(
  'running for days confirms a clock that jumped by %d ms',
  (jumpMs) => {
    let nowMs = NOW + jumpMs;
    let { record } = judgeClock(trusted, nowMs, 0);
    for (let ran = HOUR_MS; ran < CLOCK_CONFIRMED_AFTER_MS; ran += HOUR_MS) {
      nowMs += HOUR_MS;
      const judged = judgeClock(record, nowMs, HOUR_MS);
      expect(judged.jump?.leftMs).toBe(CLOCK_CONFIRMED_AFTER_MS - ran);
      record = judged.record;
    }
    nowMs += HOUR_MS;
    expect(judgeClock(record, nowMs, HOUR_MS)).toEqual({ record: { trustedMs: nowMs } });
  },
);

test('a second jump, or a right clock in between, begins the confirmation anew', () => {
  const unconfirmed = { seenMs: NOW + 3_650 * DAY_MS, ranMs: 2 * DAY_MS };
  const another = judgeClock({ trustedMs: NOW, unconfirmed }, NOW + 9_000 * DAY_MS, HOUR_MS);
  expect(another.record.unconfirmed?.ranMs).toBe(0);
  const right = judgeClock({ trustedMs: NOW, unconfirmed }, NOW + HOUR_MS, HOUR_MS);
  expect(right).toEqual({ record: { trustedMs: NOW + HOUR_MS } });
});

test('two daemons side by side confirm no more than the time that passed', () => {
  const seenMs = NOW + 3_650 * DAY_MS;
  const record: ClockRecord = { trustedMs: NOW, unconfirmed: { seenMs, ranMs: 0 } };
  const judged = judgeClock(record, seenMs + 60_000, HOUR_MS);
  expect(judged.record.unconfirmed?.ranMs).toBe(60_000);
});

test('a record is read as it was written, and a damaged one is none', () => {
  for (const record of [trusted, { trustedMs: 1, unconfirmed: { seenMs: 2, ranMs: 3 } }])
    expect(readClockRecord(writeClockRecord(record))).toEqual(record);
  for (const damaged of [undefined, null, 'text', 7, [], {}, { trustedMs: '1' }, { trustedMs: -1 }])
    expect(readClockRecord(damaged)).toBeUndefined();
  expect(readClockRecord({ trustedMs: 1, unconfirmed: { seenMs: 'x' } })).toEqual({ trustedMs: 1 });
});
