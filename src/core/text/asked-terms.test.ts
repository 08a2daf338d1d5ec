import { expect, test } from 'vitest';
import { askedTerms } from './asked-terms.ts';

const weightsOf = (text: string) =>
  new Map(askedTerms(text).map(({ term, weight }) => [term, weight]));

test('words before a request count less than those of it', () => {
  const weights = weightsOf('My garden has roses. Can you find the weather for my garden?');
  expect(weights.get('weather')).toBe(1);
  expect(weights.get('garden')).toBe(1);
  expect(weights.get('rose')).toBeLessThan(1);
});

test('words count the same where a text is a request alone, or none', () => {
  for (const text of ['Can you find the weather?', 'weather of a garden', '今天天气', '']) {
    const found = [...weightsOf(text)].filter(([term]) => /^[a-z]+$/.test(term));
    expect(found.every(([, weight]) => weight === 1)).toBe(true);
  }
});
