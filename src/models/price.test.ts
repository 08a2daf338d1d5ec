import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { TokenUsage } from '#core/llm/chat.ts';
import { costOf, formatPrice } from './price.ts';

const price = { input: 950_000, cached: 160_000, output: 4_000_000 };
const usage = (over: Partial<TokenUsage>): TokenUsage => ({
  input: 0,
  output: 0,
  cached: 0,
  reasoning: 0,
  estimated: false,
  ...over,
});

describe('the cost of a call', () => {
  test('is that of fresh input, cached input and output', () => {
    const told = usage({ input: 1_000_000, cached: 400_000, output: 100_000 });
    expect(costOf({ price }, told)).toEqual({ microUsd: 570_000 + 64_000 + 400_000, known: true });
  });

  test('is rounded up once, to whole micro-dollars', () => {
    expect(costOf({ price }, usage({ input: 1 })).microUsd).toBe(1);
    expect(costOf({ price }, usage({ input: 1, output: 1 })).microUsd).toBe(5);
    expect(costOf({ price }, usage({})).microUsd).toBe(0);
  });

  test('is what the vendor says, where it says so', () => {
    expect(costOf({ price }, usage({ input: 5, costMicroUsd: 12.2 }))).toEqual({
      microUsd: 13,
      known: true,
    });
    expect(costOf({}, usage({ costMicroUsd: 0 }))).toEqual({ microUsd: 0, known: true });
    expect(costOf({ price }, usage({ input: 1, costMicroUsd: NaN })).microUsd).toBe(1);
  });

  test('follows the length of the prompt, and says that a converted price is an estimate', () => {
    const tiers = [{ fromInput: 32_000, input: 2_000_000, cached: 1_000_000, output: 8_000_000 }];
    const tiered = { ...price, tiers, isEstimate: true } as const;
    expect(costOf({ price: tiered }, usage({ input: 31_999 }))).toEqual({
      microUsd: Math.ceil(31_999 * 0.95),
      known: true,
      isEstimate: true,
    });
    expect(costOf({ price: tiered }, usage({ input: 32_000, output: 10 })).microUsd).toBe(64_080);
    expect(formatPrice(tiered)).toBe(
      '$0.95 in, $0.16 cached, $4 out, more for long prompts, estimated',
    );
  });

  test('is unknown without a price, and known where it is free', () => {
    expect(costOf({}, usage({ input: 9 }))).toEqual({ microUsd: 0, known: false });
    const free = { input: 0, cached: 0, output: 0 };
    expect(costOf({ price: free }, usage({ input: 9 }))).toEqual({ microUsd: 0, known: true });
  });

  test('is exact for huge counts, and sane for senseless ones', () => {
    const huge = usage({ input: 9_007_199_254_740_991, cached: 1 });
    expect(costOf({ price }, huge).microUsd).toBe(8_556_839_292_003_941);
    const senseless = usage({ input: -5, output: NaN, cached: Infinity });
    expect(costOf({ price }, senseless)).toEqual({ microUsd: 0, known: true });
    expect(costOf({ price }, usage({ input: 100, cached: 1_000_000 })).microUsd).toBe(16);
  });

  test('of two calls is never less than that of both in one', () => {
    const tokens = fc.nat({ max: 2_000_000 });
    fc.assert(
      fc.property(tokens, tokens, tokens, tokens, (a, b, c, d) => {
        const apart =
          costOf({ price }, usage({ input: a, output: b })).microUsd +
          costOf({ price }, usage({ input: c, output: d })).microUsd;
        const together = costOf({ price }, usage({ input: a + c, output: b + d })).microUsd;
        expect(apart - together).toBeGreaterThanOrEqual(0);
        expect(apart - together).toBeLessThanOrEqual(1);
      }),
    );
  });
});

test('a price is shown in dollars for a million tokens', () => {
  expect(formatPrice(price)).toBe('$0.95 in, $0.16 cached, $4 out');
  expect(formatPrice({ input: 300_000, cached: 300_000, output: 900_000 })).toBe(
    '$0.30 in, $0.90 out',
  );
  expect(formatPrice({ input: 75_000, cached: 25_000, output: 1_000_001 })).toBe(
    '$0.075 in, $0.025 cached, $1.000001 out',
  );
  expect(formatPrice({ input: 0, cached: 0, output: 0 })).toBe('free');
  expect(formatPrice(undefined)).toBe('unknown');
});
