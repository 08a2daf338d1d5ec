import fc from 'fast-check';
import { expect, test } from 'vitest';
import { toClientInfo, withClientInfo } from './client-info.ts';

test('a client is its name and version, each one short line', () => {
  expect(toClientInfo('claude-code', '2.1.197')).toEqual({
    name: 'claude-code',
    version: '2.1.197',
  });
  expect(toClientInfo('Visual Studio Code')).toEqual({ name: 'Visual Studio Code' });
  expect(toClientInfo('a', '')).toEqual({ name: 'a' });
});

test.each([undefined, null, 7, {}, [], '', '  ', '\0\u001b', '\u202e\u2066'])(
  '%j names no client',
  (name) => expect(toClientInfo(name, '1')).toBeUndefined(),
);

test('control and bidi characters are removed, and long names are cut', () => {
  expect(toClientInfo('a\u001b[31m\nb\u202ec\u0000', 'x\u2028y')).toEqual({
    name: 'a [31m b c',
    version: 'x y',
  });
  const long = toClientInfo('n'.repeat(100_000), 'v'.repeat(100_000));
  expect([long?.name.length, long?.version?.length]).toEqual([64, 32]);
});

test('any text gives a bounded name without unseen characters', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 2000 }), (text) => {
      const { name = '' } = toClientInfo(text) ?? {};
      expect(name.length).toBeLessThanOrEqual(64);
      expect(name).not.toMatch(/[\p{C}\p{Zl}\p{Zp}]/u);
    }),
  );
});

test('a caller gets the client as data, and nothing else changes', () => {
  const caller = { principal: 'local', scopes: ['*'], roots: [] };
  expect(withClientInfo(caller, undefined)).toBe(caller);
  expect(withClientInfo(caller, { name: 'curl' })).toEqual({
    ...caller,
    clientInfo: { name: 'curl' },
  });
});
