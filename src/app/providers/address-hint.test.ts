import { expect, test } from 'vitest';
import { CallError } from '#core/errors/call-error.ts';
import { fix } from '#core/messages/fixes.ts';
import type { ErrorClass } from '#core/errors/error-class.ts';
import { addressOf, fixOf } from './address-hint.ts';

const HERE = 'http://me:hunter2@127.0.0.1:1/v1';
const env = { kind: 'env', name: 'KIMI_API_URL' } as const;
const file = { kind: 'file', name: '/home/me/config.json', line: 3, column: 5 } as const;
const USUAL = 'https://api.moonshot.ai/v1';

test.each<ErrorClass>(['network', 'timeout', 'not_found', 'bad_response'])(
  'after %s the setting, its value without user and password, and the default address are shown',
  (errorClass) => {
    const error = new CallError(errorClass, 'It failed.');
    expect(fixOf(error, addressOf('kimi', HERE, env))).toBe(
      `KIMI_API_URL is http://****:****@127.0.0.1:1/v1; unset it for ${USUAL}`,
    );
    expect(fixOf(error, addressOf('kimi', HERE, file))).toContain(
      'providers.kimi.baseUrl in /home/me/config.json:3:5 is',
    );
    expect(fixOf(error, addressOf('kimi', HERE, file))).toContain(
      `Use ${USUAL} again with: exai config unset providers.kimi.baseUrl`,
    );
  },
);

test('a refusal keeps its own fix, and so does a certificate', () => {
  const refused = new CallError('auth', 'No.', { fix: 'Another key.' });
  expect(fixOf(refused, addressOf('kimi', HERE, env))).toBe('Another key.');
  const certificate = fix('set_setting', { setting: 'network.caFile' });
  const untrusted = new CallError('network', 'Not trusted.', { fixes: [certificate] });
  expect(fixOf(untrusted, addressOf('kimi', HERE, env))).toBe('Set network.caFile.');
  const passedOn = new CallError('network', 'Not trusted.', { fix: 'Look.', cause: untrusted });
  expect(fixOf(passedOn, addressOf('kimi', HERE, env))).toBe('Set network.caFile.');
});

test('https:// to a server without TLS becomes http://', () => {
  const cause = Object.assign(new Error('wrong version number'), {
    code: 'ERR_SSL_WRONG_VERSION_NUMBER',
  });
  const error = new CallError('network', 'No TLS.', { cause });
  const asked = addressOf('kimi', 'https://127.0.0.1:8080/v1', env);
  expect(fixOf(error, asked)).toBe(
    'KIMI_API_URL is https://127.0.0.1:8080/v1; try http://127.0.0.1:8080/v1',
  );
});

test('at the default address the fix is to check the network, or the user’s own server', () => {
  const error = new CallError('network', 'Unknown name.');
  const withFix = new CallError('network', 'Unknown name.', { fixes: [fix('check_network')] });
  for (const each of [error, withFix])
    expect(fixOf(each, addressOf('kimi', USUAL))).toMatch(/^Check the internet.*: exai keys test$/);
  expect(fixOf(error, addressOf('custom', 'http://127.0.0.1:9'))).toBe(
    'CUSTOM_API_URL is http://127.0.0.1:9; is the server running there?',
  );
  expect(addressOf('custom', '')).toBeUndefined();
  expect(addressOf('extractive', '')).toBeUndefined();
});
