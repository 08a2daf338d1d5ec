import { expect, test } from 'vitest';
import { matchesWildcard } from './wildcard.ts';

test.each([
  ['chat', 'chat', true],
  ['chat', 'cha', false],
  ['chat', '*', true],
  ['', '*', true],
  ['kimi_chat', 'kimi_*', true],
  ['kimi', 'kimi_*', false],
  ['kimi_chat_with_tools', 'kimi_*_tools', true],
  ['kimi_tools', 'kimi_*_tools', false],
  ['a.b', 'a*b', true],
  ['aXb', 'a.b', false],
  ['abc', '**', true],
  ['aba', 'ab*ba', false],
] as const)('%j against %j is %j', (name, pattern, expected) => {
  expect(matchesWildcard(name, pattern)).toBe(expected);
});

test('a pattern made to be slow is not', () => {
  expect(matchesWildcard('a'.repeat(100_000), `${'a*'.repeat(60)}b`)).toBe(false);
});
