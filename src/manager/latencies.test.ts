import { expect, test } from 'vitest';
import { createLatencies, type LatencyTraits } from './latencies.ts';

const SMALL: LatencyTraits = {
  delivery: 'stream',
  thinks: false,
  searches: false,
  promptTokens: 100,
};

test('a usual time is known after a few measurements', () => {
  const latencies = createLatencies();
  for (let measured = 0; measured < 2; measured += 1) latencies.learn('glm', 'm', 1000, SMALL);
  expect(latencies.usualMs('glm', 'm', SMALL)).toBeUndefined();
  expect(latencies.firstTokenMs('glm', 'm')).toBe(1000);
  latencies.learn('glm', 'm', 2000, SMALL);
  // A mean of 1200, and a mean deviation of 200.
  expect(latencies.usualMs('glm', 'm', SMALL)).toBe(1400);
});

test('it is of requests like this one alone', () => {
  const latencies = createLatencies();
  for (let measured = 0; measured < 3; measured += 1) latencies.learn('glm', 'm', 1000, SMALL);
  for (const other of [
    { ...SMALL, delivery: 'whole' },
    { ...SMALL, thinks: true },
    { ...SMALL, searches: true },
    { ...SMALL, promptTokens: 100_000 },
    { ...SMALL, promptTokens: 1_000_000 },
  ] as const)
    expect(latencies.usualMs('glm', 'm', other)).toBeUndefined();
  expect(latencies.usualMs('glm', 'm', { ...SMALL, promptTokens: 8000 })).toBe(1000);
  expect(latencies.usualMs('kimi', 'm', SMALL)).toBeUndefined();
});

test('what is no time is not learned', () => {
  const latencies = createLatencies();
  for (const ms of [Number.NaN, -1, Infinity, Number.NaN]) latencies.learn('glm', 'm', ms, SMALL);
  expect(latencies.usualMs('glm', 'm', SMALL)).toBeUndefined();
});

test('a streamed answer tells how long a whole one takes, and nothing else', () => {
  const latencies = createLatencies();
  const whole = { ...SMALL, delivery: 'whole' } as const;
  for (let measured = 0; measured < 3; measured += 1) latencies.learnWhole('glm', 'm', 9000, SMALL);
  expect(latencies.usualMs('glm', 'm', whole)).toBe(9000);
  expect(latencies.usualMs('glm', 'm', SMALL)).toBeUndefined();
  expect(latencies.firstTokenMs('glm', 'm')).toBeUndefined();
});
