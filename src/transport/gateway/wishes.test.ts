import { describe, expect, test } from 'vitest';
import { readOwnWishes } from './read-own-wishes.ts';
import { readWishes } from './read-wishes.ts';
import { refusedBy, thrownBy } from './refused.fixture.ts';

const ALL = { whenBroken: 'fail', fallback: 'none', prefer: 'cost', maxCostMicroUsd: 10_000 };

test('header fields and a member of the body wish for the same', () => {
  const headers = {
    'x-exai-continue': 'false',
    'x-exai-fallback': 'none',
    'x-exai-prefer': 'cost',
    'x-exai-max-cost-usd': '0.01',
  };
  const own = { continue: false, fallback: 'none', prefer: 'cost', max_cost_usd: 0.01 };
  expect(readWishes(headers)).toEqual(ALL);
  expect(readOwnWishes(own)).toEqual(ALL);
});

test('whoever wishes for nothing gets what everybody gets', () => {
  expect(readWishes({ host: 'x' })).toEqual({});
  for (const nothing of [undefined, null, {}, { prefer: null }])
    expect(readOwnWishes(nothing)).toEqual({});
});

test('a limit of nothing is a limit', () => {
  expect(readWishes({ 'x-exai-max-cost-usd': '0' })).toEqual({ maxCostMicroUsd: 0 });
  expect(readOwnWishes({ max_cost_usd: 0 })).toEqual({ maxCostMicroUsd: 0 });
});

describe('a wish that nobody can fulfil is refused by its name', () => {
  test.each([
    ['x-exai-continue', 'maybe'],
    ['x-exai-continue', ''],
    ['x-exai-fallback', 'perhaps'],
    ['x-exai-prefer', 'speed, cost'],
    ['x-exai-max-cost-usd', 'cheap'],
    ['x-exai-max-cost-usd', ' '],
    ['x-exai-max-cost-usd', '-1'],
    ['x-exai-max-cost-usd', '1e300'],
    ['x-exai-max-cost-usd', '0.01 USD'],
  ])('%s: %s', (name, value) => {
    expect(refusedBy(() => readWishes({ [name]: value }))).toBe(`validation ${name}`);
  });

  test.each<[object, string]>([
    [{ continue: 'false' }, 'exai.continue'],
    [{ fallback: 'some' }, 'exai.fallback'],
    [{ prefer: '__proto__' }, 'exai.prefer'],
    [{ max_cost_usd: '0.01' }, 'exai.max_cost_usd'],
    [{ max_cost_usd: -1 }, 'exai.max_cost_usd'],
    [{ max_cost_usd: 1e300 }, 'exai.max_cost_usd'],
    [{ max_cost: 1 }, 'exai.max_cost'],
    [JSON.parse('{"__proto__": 1}') as object, 'exai.__proto__'],
    [[], 'exai'],
  ])('%j', (own, field) => {
    expect(refusedBy(() => readOwnWishes(own))).toBe(`validation ${field}`);
  });

  test('in the same words, wherever it was said', () => {
    const said = (work: () => unknown) => thrownBy(work)?.message;
    expect([
      said(() => readWishes({ 'x-exai-prefer': 'beauty' })),
      said(() => readOwnWishes({ prefer: 'beauty' })),
    ]).toEqual(['x-exai-prefer must be speed or cost.', 'exai.prefer must be speed or cost.']);
  });
});
