import { expect, test } from 'vitest';
import { isSlow, startTransferRate, touchTransferRate } from './transfer-rate.ts';

test('a too short interval is not measured', () => {
  expect(isSlow(startTransferRate(0, 0), 0, 249)).toBe(false);
});

test('no or hardly any bytes are slow', () => {
  expect(isSlow(startTransferRate(0, 0), 0, 250)).toBe(true);
  expect(isSlow(startTransferRate(0, 0), 1023, 250)).toBe(true);
  expect(isSlow(startTransferRate(0, 0), 1024, 250)).toBe(false);
});

test('a sender that resumes after a pause is not slow', () => {
  const rate = startTransferRate(0, 0);
  expect(isSlow(rate, 0, 1000)).toBe(true);
  touchTransferRate(rate, 100_000, 1300);
  expect(isSlow(rate, 100_000, 1300)).toBe(false);
});

test('a burst does not count for long', () => {
  const rate = startTransferRate(0, 0);
  touchTransferRate(rate, 10_000_000, 10);
  expect([isSlow(rate, 10_000_000, 100), isSlow(rate, 10_000_000, 300)]).toEqual([false, true]);
});

test('a byte now and then is slow', () => {
  const rate = startTransferRate(0, 0);
  const seen: boolean[] = [];
  for (let n = 1; n <= 20; n++) {
    touchTransferRate(rate, n, n * 100);
    seen.push(isSlow(rate, n, n * 100));
  }
  expect(seen.slice(0, 2)).toEqual([false, false]);
  expect(seen.slice(3).every((each) => each)).toBe(true);
});
