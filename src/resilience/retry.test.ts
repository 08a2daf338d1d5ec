import { expect, test } from 'vitest';
import { ERROR_CLASSES, ERROR_POLICY } from '#core/errors/error-class.ts';
import { retryDelayMs } from './retry.ts';
import { unitRandom } from './random-float.ts';

const lowest = (bytes: number) => new Uint8Array(bytes);
const highest = (bytes: number) => new Uint8Array(bytes).fill(255);

test('each class is retried as its policy says', () => {
  for (const name of ERROR_CLASSES) {
    const least = { never: undefined, after: 1000, backoff: 0 }[ERROR_POLICY[name].retry];
    expect([name, retryDelayMs({ class: name }, 0, lowest)]).toEqual([name, least]);
  }
});

test('the backoff has full jitter, doubles with each attempt and stops at four seconds', () => {
  const error = { class: 'network' } as const;
  expect(retryDelayMs(error, 3, lowest)).toBe(0);
  const most = [0, 1, 2, 3, 4, 5, 1e9].map((attempt) => retryDelayMs(error, attempt, highest) ?? 0);
  expect(most.map((ms) => Math.ceil(ms))).toEqual([250, 500, 1000, 2000, 4000, 4000, 4000]);
  for (const ms of most) expect(ms).toBeLessThan(4000);
});

test('a vendor’s Retry-After is respected, and an invalid one is ignored', () => {
  expect(retryDelayMs({ class: 'rate_limit', retryAfterMs: 20_000 }, 0, lowest)).toBe(20_000);
  expect(retryDelayMs({ class: 'overloaded', retryAfterMs: 5000 }, 0, highest)).toBe(5000);
  for (const retryAfterMs of [Number.NaN, -1, Infinity])
    expect(retryDelayMs({ class: 'rate_limit', retryAfterMs }, 0, lowest)).toBe(1000);
  expect(retryDelayMs({ class: 'network' }, -5, highest)).toBeLessThan(250);
});

test('unitRandom is in [0, 1)', () => {
  expect(unitRandom(lowest)).toBe(0);
  expect(unitRandom(highest)).toBeLessThan(1);
  expect(unitRandom(highest)).toBeGreaterThan(0.9999);
  expect(
    unitRandom((bytes) => Uint8Array.from({ length: bytes }, (_, at) => (at === 0 ? 128 : 0))),
  ).toBe(0.5);
});
