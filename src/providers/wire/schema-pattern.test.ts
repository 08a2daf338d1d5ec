import { expect, test } from 'vitest';
import { matchesPattern } from './schema-pattern.ts';

test.each([
  ['2026-11-15', String.raw`^\d{4}-\d{2}-\d{2}$`, 'yes'],
  ['15.11.2026', String.raw`^\d{4}-\d{2}-\d{2}$`, 'no'],
  ['ada@example.org', String.raw`^[^@\s]+@[^@\s]+\.[^@\s]+$`, 'yes'],
  ['ada', String.raw`^[^@\s]+@[^@\s]+\.[^@\s]+$`, 'no'],
  ['mon', '^(mon|tue|wed|thu|fri|sat|sun)$', 'yes'],
  ['moon', '^(mon|tue|wed|thu|fri|sat|sun)$', 'no'],
  ['+49 30', String.raw`^(\+\d{1,3} )?\d+$`, 'yes'],
  ['ababab', '^(ab){3}$', 'yes'],
  ['x'.repeat(50_000), '^x+$', 'yes'],
])('looks at %.20s with %s', (text, pattern, expected) => {
  expect(matchesPattern(text, pattern)).toBe(expected);
});

test('leaves what would overflow the stack of the engine unchecked', () => {
  expect(matchesPattern('x'.repeat(5_000_000), '^(?:x)*$')).toBe('unchecked');
});

test.each([
  '^(a+)+$',
  '^(a|a)*$',
  '^(a|ab)+c$',
  '^(a?){30}a{30}$',
  String.raw`(.*)\1`,
  '^(?=a+)+b$',
  '(?<!a)b',
  'a*a*a*a*a*b',
  `${'a?'.repeat(40)}b`,
  `^${'(a|a)'.repeat(40)}$`,
  '^(((a{0,50}){0,50}){0,50})$',
  'a{1,999999}',
  '(',
  '[',
  'a'.repeat(1000),
])('leaves %.30s unchecked: it is no pattern, or could take for ever', (pattern) => {
  const text = `${'a'.repeat(5_000)}!`;
  expect(matchesPattern(text, pattern)).toBe('unchecked');
});
