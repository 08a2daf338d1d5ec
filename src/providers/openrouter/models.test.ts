import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { microUsdPerMillion, readOpenRouterModels } from './models.ts';

describe('a price of OpenRouter', () => {
  test.each([
    ['0.00000095', 950_000],
    ['0.0000002', 200_000],
    ['0.000000435', 435_000],
    ['0.0000000000001', 0],
    ['0.0000000000005', 1],
    ['4.35e-7', 435_000],
    ['0', 0],
    ['1', 1_000_000_000_000],
    [0.0000001, 100_000],
    ['.5', 500_000_000_000],
  ])('%s dollars for a token is %i micro-dollars for a million', (text, expected) => {
    expect(microUsdPerMillion(text)).toBe(expected);
  });

  test.each([
    '-1',
    '',
    '.',
    'free',
    '1e99',
    '0x10',
    '1,5',
    '9'.repeat(41),
    '9'.repeat(20),
    null,
    {},
    NaN,
  ])('%j is none', (text) => {
    expect(microUsdPerMillion(text)).toBeUndefined();
  });

  test('loses nothing, whatever its digits are', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 999_999_999_999 }), (micro) => {
        expect(microUsdPerMillion(`0.${String(micro).padStart(12, '0')}`)).toBe(micro);
      }),
    );
  });
});

describe('the list of models', () => {
  test('has what the list contains, without missing or invalid fields', () => {
    expect(
      readOpenRouterModels({
        data: [
          {
            id: 'a/b',
            context_length: 1000,
            architecture: { input_modalities: ['text', 'image'] },
            pricing: { prompt: '0.000001', completion: '0.000002', input_cache_read: '0.0000001' },
            top_provider: { max_completion_tokens: 100 },
            supported_parameters: ['tools', 'reasoning'],
            reasoning: { mandatory: true, supported_efforts: ['xhigh', 'high', 'low', 'minimal'] },
          },
          { id: 'c/d', context_length: null, pricing: { prompt: '-1', completion: '-1' } },
          { id: 'e/f', reasoning: { mandatory: false, supported_efforts: null } },
          { id: 'g/h', reasoning: { mandatory: 'yes', supported_efforts: ['low'] } },
          { id: '' },
          { name: 'x' },
          null,
          'text',
          { id: 'x'.repeat(300) },
        ],
      }),
    ).toEqual([
      {
        id: 'a/b',
        contextTokens: 1000,
        maxOutputTokens: 100,
        images: true,
        video: false,
        tools: true,
        thinking: true,
        alwaysThinks: true,
        efforts: ['low', 'high'],
        price: { input: 1_000_000, output: 2_000_000, cached: 100_000 },
      },
      { id: 'c/d' },
      { id: 'e/f', alwaysThinks: false, efforts: ['low', 'medium', 'high', 'max'] },
      { id: 'g/h' },
    ]);
    for (const odd of [undefined, null, [], {}, { data: {} }])
      expect(readOpenRouterModels(odd)).toEqual([]);
  });
});
