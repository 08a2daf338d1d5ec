import { readFileSync, statSync } from 'node:fs';
import { expect, test } from 'vitest';
import { verifies } from '../../../test/verifies.ts';
import {
  checkOwnerToken,
  ensureOwnerToken,
  generateOwnerToken,
  tokenInEnvFile,
} from './owner-token.ts';
import { isGeneratedToken } from '#core/auth/owner-token.ts';
import { tempHome } from '../temp-home.fixture.ts';

let drawn = 0;
const random = (bytes: number) => new Uint8Array(bytes).fill((drawn += 1));

verifies(
  'security:owner-token',
  'a home without a token gets one that only its owner can read',
  () => {
    const it = tempHome();
    const { config, origins } = ensureOwnerToken(it.load(), random);
    expect(config.token).toMatch(/^exai-owner-[\w-]{43}$/);
    expect(origins.get('token')).toMatchObject({ kind: 'dotenv' });
    expect(statSync(it.home.envFile).mode & 0o777).toBe(0o600);
    expect(it.load().config.token).toBe(config.token);
  },
);

verifies(
  'security:owner-token',
  'the token is generated once, and other lines stay as they are',
  () => {
    const it = tempHome();
    it.write('.env', '# mine\nKIMI_API_KEY=abc\nEXAI_TOKEN=\n');
    const before = it.load();
    const { token } = ensureOwnerToken(before, random).config;
    expect(ensureOwnerToken(it.load(), random).config.token).toBe(token);
    // Another daemon read the file before this one had written it.
    expect(ensureOwnerToken(before, random).config.token).toBe(token);
    expect(readFileSync(it.home.envFile, 'utf8')).toBe(
      `# mine\nKIMI_API_KEY=abc\nEXAI_TOKEN=${token}\n`,
    );
  },
);

test('a token that is set, by whatever name, is left alone', () => {
  const it = tempHome();
  const loaded = it.load({ EXAI_WS_TOKEN: 'the-token-of-the-environment' });
  expect(ensureOwnerToken(loaded, random).config.token).toBe('the-token-of-the-environment');
  expect(tokenInEnvFile(it)).toBeUndefined();
});

verifies('security:token-opt-out', 'without requireToken no token is generated', () => {
  const it = tempHome();
  const loaded = it.load({ EXAI_AUTH_REQUIRE_TOKEN: 'false' });
  expect(ensureOwnerToken(loaded, random).config.token).toBe('');
  expect(tokenInEnvFile(it)).toBeUndefined();
});

test('a generated token is distinguished from a chosen one', () => {
  expect(isGeneratedToken(generateOwnerToken(random))).toBe(true);
  expect(isGeneratedToken('a-token-that-somebody-chose')).toBe(false);
});

test.each(['', 'x'.repeat(15), `${'x'.repeat(16)} y`, `${'x'.repeat(16)}\n`, 'ü'.repeat(16)])(
  'the token %j is refused',
  (token) => {
    expect(() => checkOwnerToken(token, 'token')).toThrow(
      expect.objectContaining({ class: 'validation', field: 'token' }) as Error,
    );
  },
);
