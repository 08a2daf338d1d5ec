import { expect, test } from 'vitest';
import { createFakeClock } from '../../test/fake-clock.ts';
import { verifies } from '../../test/verifies.ts';
import { createTemporaryTokens } from './temporary-tokens.ts';
import { hash } from 'node:crypto';

const sha256 = (text: string) => hash('sha256', text, 'hex');

function createRig() {
  const clock = createFakeClock();
  let made = 0;
  const random = (bytes: number) => new Uint8Array(bytes).fill((made += 1));
  return { clock, tokens: createTemporaryTokens({ clock, random }) };
}

verifies('code:token', 'a temporary token allows its scopes until it ends or expires', () => {
  const { clock, tokens } = createRig();
  const { token, expiresInMs } = tokens.renew(['gateway_*']);
  const caller = tokens.find(sha256(token));
  expect(caller).toMatchObject({ principal: 'local', scopes: ['gateway_*'] });
  const credential = caller?.credential ?? '';
  clock.advance(expiresInMs - 1);
  expect(tokens.isValid(credential)).toBe(true);
  tokens.renew(['gateway_*'], token);
  clock.advance(expiresInMs - 1);
  expect(tokens.find(sha256(token))).toBeDefined();
  clock.advance(1);
  expect([tokens.find(sha256(token)), tokens.isValid(credential)]).toEqual([undefined, false]);

  const other = tokens.renew(['gateway_*']).token;
  expect(other).not.toBe(token);
  tokens.end(other);
  expect(tokens.find(sha256(other))).toBeUndefined();
});

verifies('code:token', 'a daemon that was restarted accepts the token again', () => {
  const { token } = createRig().tokens.renew(['gateway_*']);
  const { tokens } = createRig();
  expect(tokens.find(sha256(token))).toBeUndefined();
  tokens.renew(['gateway_*'], token);
  expect(tokens.find(sha256(token))).toBeDefined();
  expect(() => tokens.renew(['gateway_*'], 'exai_short')).toThrow(
    expect.objectContaining({ class: 'validation', field: 'token' }),
  );
});

test('a credential of another kind is not judged', () => {
  expect(createRig().tokens.isValid('client_1')).toBeUndefined();
});
