import { describe, expect, test } from 'vitest';
import { matchesArguments } from './match-arguments.ts';

const TO: [string, string][] = [['to', '*@acme.example']];

describe('the pattern *@acme.example for "to"', () => {
  test.each<[given: Record<string, unknown>, all: boolean, any: boolean]>([
    [{ to: 'ann@acme.example' }, true, true],
    [{ to: 'ann@acme.example,eve@evil.example' }, false, false],
    [{ to: 'ANN@ACME.EXAMPLE' }, false, true],
    [{ to: ['ann@acme.example', 'bob@acme.example'] }, true, true],
    [{ to: ['ann@acme.example', 'eve@evil.example'] }, false, true],
    [{ to: { email: 'ann@acme.example' } }, true, true],
    [{ to: { email: 'ann@acme.example', copy: 'eve@evil.example' } }, false, true],
    [{ to: [] }, false, false],
    [{ to: null }, false, false],
    [{}, false, false],
    [{ cc: 'ann@acme.example' }, false, false],
  ])('in %j: all %s, any %s', (args, all, any) => {
    expect(matchesArguments(TO, args, 'all')).toBe(all);
    expect(matchesArguments(TO, args, 'any')).toBe(any);
  });
});

test('where the path is missing in one of several objects, not all match', () => {
  const path: [string, string][] = [['to.email', '*']];
  const args = { to: [{ email: 'a@b.example' }, { address: 'eve@evil.example' }] };
  expect(matchesArguments(path, args, 'all')).toBe(false);
  expect(matchesArguments(path, args, 'any')).toBe(true);
});

test('numbers and booleans are compared as they are written in JSON', () => {
  expect(matchesArguments([['limit', '5']], { limit: 5 }, 'all')).toBe(true);
  expect(matchesArguments([['force', 'false']], { force: false }, 'all')).toBe(true);
});

test('what is too much or too deep to look at matches what is refused, and nothing else', () => {
  let deep: unknown = 'x';
  for (let at = 0; at < 40; at += 1) deep = [deep];
  const many = Array.from({ length: 5_000 }, () => 'ann@acme.example');
  for (const to of [deep, many]) {
    expect(matchesArguments(TO, { to }, 'all')).toBe(false);
    expect(matchesArguments(TO, { to }, 'any')).toBe(true);
  }
});

test('an inherited property is no argument', () => {
  expect(matchesArguments([['constructor', '*']], {}, 'any')).toBe(false);
  expect(matchesArguments([['__proto__', '*']], {}, 'all')).toBe(false);
});
