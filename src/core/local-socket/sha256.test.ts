import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { settingDigest, settingDigests } from './hello.ts';
import { sha256Hex } from './sha256.ts';

test('it is the SHA-256 that node:crypto computes, for texts of any length', () => {
  const check = (text: string) => {
    expect(sha256Hex(text)).toBe(createHash('sha256').update(text).digest('hex'));
  };
  for (const length of [0, 1, 54, 55, 56, 63, 64, 65, 119, 120, 1000]) check('a'.repeat(length));
  fc.assert(fc.property(fc.string({ unit: 'binary', maxLength: 300 }), check));
});

test('a setting has a digest that differs by name and by value', () => {
  const digest = createHash('sha256').update('KIMI_API_KEY\0sk-1').digest('hex').slice(0, 16);
  expect(settingDigest('KIMI_API_KEY', 'sk-1')).toBe(digest);
  const names = ['KIMI_API_KEY', 'GLM_API_KEY', 'EXAI_PORT', 'EXAI_HOST'];
  const env = { KIMI_API_KEY: 'sk-1', GLM_API_KEY: 'sk-1', EXAI_PORT: '' };
  expect(settingDigests(names, env)).toEqual({
    KIMI_API_KEY: digest,
    GLM_API_KEY: settingDigest('GLM_API_KEY', 'sk-1'),
  });
  expect(settingDigest('GLM_API_KEY', 'sk-1')).not.toBe(digest);
});
