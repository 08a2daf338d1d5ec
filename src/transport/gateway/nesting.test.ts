import { expect, test } from 'vitest';
import { isTooDeep, readShallow } from './nesting.ts';
import { refusedBy } from './refused.fixture.ts';

function nested(levels: number): object {
  return JSON.parse(`${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`) as object;
}

test('what goes on as it is may be nested a hundred deep, and not one more', () => {
  const most = nested(100);
  expect(readShallow(most, 'f')).toBe(most);
  expect(refusedBy(() => readShallow(nested(101), 'f'))).toBe('validation f');
  expect(refusedBy(() => readShallow([], 'f'))).toBe('validation f');
});

test('a depth at which recursion would end is no danger', () => {
  const lists = JSON.parse(`${'['.repeat(100_000)}${']'.repeat(100_000)}`) as unknown;
  expect([isTooDeep(lists), isTooDeep(nested(50_000)), isTooDeep('x')]).toEqual([
    true,
    true,
    false,
  ]);
});
