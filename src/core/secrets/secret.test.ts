import { inspect } from 'node:util';
import { describe, expect } from 'vitest';
import { verifies } from '../../../test/verifies.ts';
import { createSecret } from './secret.ts';

const KEY = 'sk-Kq7Zx9Wm2Vt5Rb8Nc4';

describe('a key', () => {
  verifies('keys:isolation', 'is revealed only by an explicit call', () => {
    const secret = createSecret(KEY);
    const shown = [
      String(secret),
      JSON.stringify({ secret }),
      inspect(secret, { showHidden: true }),
    ];
    expect(shown.join()).not.toContain(KEY);
    expect(JSON.stringify({ secret })).toBe('{"secret":"[secret]"}');
    expect(secret.reveal()).toBe(KEY);
    expect([secret.isSet, createSecret('').isSet]).toEqual([true, false]);
  });

  verifies('keys:isolation', 'is taken out of texts, whole or in pieces', () => {
    const scrub = (text: string) => createSecret(KEY).scrub(text);
    expect(scrub(`bad key ${KEY}, said ${KEY}`)).toBe('bad key [secret], said [secret]');
    expect(scrub(`bad key ${KEY.slice(0, 10)}***${KEY.slice(-6)}`)).toBe(
      'bad key [secret]***[secret]',
    );
    expect(scrub(`${KEY}${KEY}`)).toBe('[secret][secret]');
    expect(scrub('nothing of it: sk-Kq')).toBe('nothing of it: sk-Kq');
    expect(scrub('')).toBe('');
  });

  verifies('keys:isolation', 'that is a word leaves other words alone', () => {
    const scrub = (text: string) => createSecret('no-key-required').scrub(text);
    expect(scrub('a field is required')).toBe('a field is required');
    expect(scrub('bearer no-key-required')).toBe('bearer [secret]');
    expect(createSecret('abc').scrub('abcdef')).toBe('abcdef');
  });
});
