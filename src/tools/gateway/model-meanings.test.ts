import { expect, test } from 'vitest';
import { verifies } from '../../../test/verifies.ts';
import { createModelMeanings } from './model-meanings.ts';

const meanings = createModelMeanings([
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
  expect(meanings.meaningOf(name, nobody)).toBe(meant);
});

verifies(
  'gateway:names',
  'a name that is known means itself, and only where an entry fits is that asked',
  () => {
    const asked: string[] = [];
    const known = (name: string) => asked.push(name) > 0;
    expect(meanings.meaningOf('claude-of-my-own', known)).toBe('claude-of-my-own');
    expect(meanings.meaningOf('kimi-k3', known)).toBe('kimi-k3');
    expect(asked).toEqual(['claude-of-my-own']);
  },
);

test('for all that nobody knows one entry will do, and without any nothing changes', () => {
  expect(createModelMeanings(['*=auto']).meaningOf('whatever', nobody)).toBe('auto');
  expect(createModelMeanings([]).meaningOf('claude-opus-5', nobody)).toBe('claude-opus-5');
});

test('a name of any length is looked at in no time that grows with the pattern', () => {
  const hostile = createModelMeanings([`${'a*'.repeat(120)}=auto`]);
  const name = 'a'.repeat(1_000_000);
  expect(hostile.meaningOf(name, nobody)).toBe('auto');
});

test('an entry whose sides are one leaves the names alone that it fits', () => {
  const own = createModelMeanings(['claude-*=Claude-*', 'claude-opus-5=auto', '*=auto']);
  expect(own.meaningOf('claude-opus-5', nobody)).toBe('claude-opus-5');
  expect(own.meaningOf('gpt-4o', nobody)).toBe('auto');
});

test('the names that are written out can be listed, as they are written', () => {
  expect(createModelMeanings(['GPT-4o=kimi-k3', 'claude-*=auto', 'o3=auto']).names).toEqual([
    'GPT-4o',
    'o3',
  ]);
});

test('a name that is told to mean itself does, and only those written out are listed', () => {
  const own = createModelMeanings(['claude-*=claude-*', 'gpt-4o=kimi-k3', 'claude-*=auto']);
  expect(own.meaningOf('claude-opus-5', nobody)).toBe('claude-opus-5');
  expect(own.names).toEqual(['gpt-4o']);
});
