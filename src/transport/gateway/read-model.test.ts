import { expect, test } from 'vitest';
import { readModel } from './read-model.ts';
import { refusedBy } from './refused.fixture.ts';

test('a name that is left out, or empty, is auto', () => {
  expect([undefined, null, '', 'auto', 'kimi-k3'].map(readModel)).toEqual([
    'auto',
    'auto',
    'auto',
    'auto',
    'kimi-k3',
  ]);
});

test('what is no name is refused', () => {
  for (const value of [5, {}, ['auto'], 'm'.repeat(257)])
    expect(refusedBy(() => readModel(value))).toBe('validation model');
  expect(readModel('m'.repeat(256))).toHaveLength(256);
});
