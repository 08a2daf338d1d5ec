import { expect, test } from 'vitest';
import { verifies } from '../../../test/verifies.ts';
import { createModelAliases } from './model-aliases.ts';

const aliases = createModelAliases([
  'claude-*haiku*=glm-4.7-flash',
  'Claude-*=auto',
  'gpt-4o=kimi-k3',
]);
const nobody = () => false;

test.each([
  ['claude-sonnet-4-5', 'auto'],
  ['CLAUDE-opus-5[1m]', 'auto'],
  [' claude-3-5-haiku-latest ', 'glm-4.7-flash'],
  ['gpt-4o', 'kimi-k3'],
  ['gpt-4o-mini', 'gpt-4o-mini'],
  ['anthropic/claude-opus-5', 'anthropic/claude-opus-5'],
  ['auto', 'auto'],
  ['', ''],
  ['__proto__', '__proto__'],
])('%j means %j', (name, meant) => {
  expect(aliases.resolve(name, nobody)).toBe(meant);
});

verifies(
  'gateway:names',
  'a known name stays itself, and is looked up only if an alias matches',
  () => {
    const asked: string[] = [];
    const known = (name: string) => asked.push(name) > 0;
    expect(aliases.resolve('claude-of-my-own', known)).toBe('claude-of-my-own');
    expect(aliases.resolve('kimi-k3', known)).toBe('kimi-k3');
    expect(asked).toEqual(['claude-of-my-own']);
  },
);

test('one entry can match all unknown names, and without entries nothing changes', () => {
  expect(createModelAliases(['*=auto']).resolve('whatever', nobody)).toBe('auto');
  expect(createModelAliases([]).resolve('claude-opus-5', nobody)).toBe('claude-opus-5');
});

test('a name of any length is looked at in no time that grows with the pattern', () => {
  const hostile = createModelAliases([`${'a*'.repeat(120)}=auto`]);
  const name = 'a'.repeat(1_000_000);
  expect(hostile.resolve(name, nobody)).toBe('auto');
});

test('an entry whose sides are one leaves the names alone that it fits', () => {
  const own = createModelAliases(['claude-*=Claude-*', 'claude-opus-5=auto', '*=auto']);
  expect(own.resolve('claude-opus-5', nobody)).toBe('claude-opus-5');
  expect(own.resolve('gpt-4o', nobody)).toBe('auto');
});

test('the names that are written out can be listed, as they are written', () => {
  expect(createModelAliases(['GPT-4o=kimi-k3', 'claude-*=auto', 'o3=auto']).names).toEqual([
    'GPT-4o',
    'o3',
  ]);
});

test('a name mapped to itself stays, and only names without a wildcard are listed', () => {
  const own = createModelAliases(['claude-*=claude-*', 'gpt-4o=kimi-k3', 'claude-*=auto']);
  expect(own.resolve('claude-opus-5', nobody)).toBe('claude-opus-5');
  expect(own.names).toEqual(['gpt-4o']);
});
