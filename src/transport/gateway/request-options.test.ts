import { describe, expect, test } from 'vitest';
import { errorClassAndField, thrownError } from './thrown-error.fixture.ts';
import { readBodyOptions, readHeaderOptions } from './request-options.ts';

describe('options', () => {
  const ALL = { onInterruption: 'fail', fallback: 'none', prefer: 'cost', maxCostMicroUsd: 10_000 };

  test('headers and the exai member of the body have the same options', () => {
    const headers = {
      'x-exai-continue': 'false',
      'x-exai-fallback': 'none',
      'x-exai-prefer': 'cost',
      'x-exai-max-cost-usd': '0.01',
    };
    const own = { continue: false, fallback: 'none', prefer: 'cost', max_cost_usd: 0.01 };
    expect(readHeaderOptions(headers)).toEqual(ALL);
    expect(readBodyOptions(own)).toEqual(ALL);
  });

  test('without options the request is unchanged', () => {
    expect(readHeaderOptions({ host: 'x' })).toEqual({});
    for (const nothing of [undefined, null, {}, { prefer: null }])
      expect(readBodyOptions(nothing)).toEqual({});
  });

  test('a cost limit of zero is a limit', () => {
    expect(readHeaderOptions({ 'x-exai-max-cost-usd': '0' })).toEqual({ maxCostMicroUsd: 0 });
    expect(readBodyOptions({ max_cost_usd: 0 })).toEqual({ maxCostMicroUsd: 0 });
  });

  describe('an invalid option is rejected by its name', () => {
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
      expect(errorClassAndField(() => readHeaderOptions({ [name]: value }))).toBe(
        `validation ${name}`,
      );
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
      expect(errorClassAndField(() => readBodyOptions(own))).toBe(`validation ${field}`);
    });

    test('with the same message in headers and body', () => {
      const messageOf = (work: () => unknown) => thrownError(work)?.message;
      expect([
        messageOf(() => readHeaderOptions({ 'x-exai-prefer': 'beauty' })),
        messageOf(() => readBodyOptions({ prefer: 'beauty' })),
      ]).toEqual(['x-exai-prefer must be speed or cost.', 'exai.prefer must be speed or cost.']);
    });
  });
});

describe('header options', () => {
  test('x-exai headers are options', () => {
    expect(readHeaderOptions({ accept: '*/*' })).toEqual({});
    expect(
      readHeaderOptions({
        'x-exai-continue': 'false',
        'x-exai-fallback': 'none',
        'x-exai-prefer': 'cost',
        'x-exai-max-cost-usd': '0.01',
      }),
    ).toEqual({
      onInterruption: 'fail',
      fallback: 'none',
      prefer: 'cost',
      maxCostMicroUsd: 10_000,
    });
  });

  test.each([
    ['x-exai-continue', 'maybe'],
    ['x-exai-fallback', ''],
    ['x-exai-max-cost-usd', '0x10'],
    ['x-exai-max-cost-usd', '1e300'],
    ['x-exai-max-cost-usd', '-1'],
  ])('%s: %s is rejected by its name', (name, value) => {
    expect(() => readHeaderOptions({ [name]: value })).toThrow(
      expect.objectContaining({ field: name }),
    );
  });

  test('a misspelt header is rejected, with the nearest known one', () => {
    expect(() => readHeaderOptions({ 'x-exai-contineu': 'false' })).toThrow(
      expect.objectContaining({ field: 'x-exai-contineu', fix: 'Did you mean x-exai-continue?' }),
    );
  });
});
