import { expect, test } from 'vitest';
import { fitWeights, scoreOf, type Sample } from '../../scripts/scanner/fit-weights.ts';

const sample = (isPoisoned: boolean, ...features: string[]): Sample => ({
  features: new Set(features),
  isPoisoned,
});

const SAMPLES = [
  sample(true, 'theme:sent_also', 'copy', 'mail'),
  sample(true, 'theme:sent_also', 'copy', 'file'),
  sample(true, 'secret', 'copy'),
  sample(false, 'list', 'mail'),
  sample(false, 'list', 'file'),
  sample(false, 'get', 'file', 'list'),
];

test('weights tell poisoned samples from honest ones', () => {
  const weights = fitWeights(SAMPLES, 100);
  const scores = SAMPLES.map((each) => scoreOf(each, weights));
  expect(Math.min(...scores.slice(0, 3))).toBeGreaterThan(Math.max(...scores.slice(3)));
});

test('the same samples give the same weights', () => {
  expect(fitWeights(SAMPLES, 100)).toEqual(fitWeights(SAMPLES, 100));
});

test('only the features that say most are kept, and none of a single sample', () => {
  const { weights } = fitWeights(SAMPLES, 2);
  expect(weights.size).toBeLessThanOrEqual(2);
  expect(fitWeights(SAMPLES, 100).weights.has('secret')).toBe(false);
});
