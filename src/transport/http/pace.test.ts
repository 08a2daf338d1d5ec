import { expect, test } from 'vitest';
import { isSlow, startPace, touchPace } from './pace.ts';

test('a moment says nothing', () => {
  expect(isSlow(startPace(0, 0), 0, 249)).toBe(false);
});

test('nothing, or next to nothing, is slow', () => {
  expect(isSlow(startPace(0, 0), 0, 250)).toBe(true);
  expect(isSlow(startPace(0, 0), 1023, 250)).toBe(true);
  expect(isSlow(startPace(0, 0), 1024, 250)).toBe(false);
});

test('who goes on after a pause is slow no more', () => {
  const pace = startPace(0, 0);
  expect(isSlow(pace, 0, 1000)).toBe(true);
  touchPace(pace, 100_000, 1300);
  expect(isSlow(pace, 100_000, 1300)).toBe(false);
});

test('a burst does not count for long', () => {
  const pace = startPace(0, 0);
  touchPace(pace, 10_000_000, 10);
  expect([isSlow(pace, 10_000_000, 100), isSlow(pace, 10_000_000, 300)]).toEqual([false, true]);
});

test('a byte now and then is slow', () => {
  const pace = startPace(0, 0);
  const seen: boolean[] = [];
  for (let n = 1; n <= 20; n++) {
    touchPace(pace, n, n * 100);
    seen.push(isSlow(pace, n, n * 100));
  }
  expect(seen.slice(0, 2)).toEqual([false, false]);
  expect(seen.slice(3).every((each) => each)).toBe(true);
});
