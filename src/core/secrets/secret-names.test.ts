import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { hidingOf, hidingOfField, isSecretOption, isSecretParameter } from './secret-names.ts';

describe('names in logs', () => {
  test.each([
    ['password', 'all'],
    ['db_passwd', 'all'],
    ['sshPassphrase', 'all'],
    ['CLIENT_SECRET', 'all'],
    ['private-key', 'all'],
    ['googleCredentials', 'all'],
    ['Authorization', 'all'],
    ['set-cookie', 'all'],
    ['KIMI_API_KEY', 'all'],
    ['x-api-key', 'all'],
    ['accessKey', 'all'],
    ['signing_key', 'all'],
    ['authkey', 'all'],
    ['token', 'texts'],
    ['refreshToken', 'texts'],
    ['max_tokens', 'texts'],
    ['session_id', 'texts'],
    ['connect.sid', 'texts'],
    ['jwt', 'texts'],
    ['otp', 'texts'],
    ['pwd', 'texts'],
    ['token_value', 'texts'],
    ['api_key_env', 'nothing'],
    ['token_type', 'nothing'],
    ['password_length', 'nothing'],
    ['tokenizer', 'nothing'],
    ['key', 'nothing'],
    ['model', 'nothing'],
  ])('%s hides %s', (name, hiding) => {
    expect(hidingOf(name)).toBe(hiding);
  });
});

describe('names in what is exchanged with vendors', () => {
  const PREFIXES = ['', 'access', 'refresh', 'id', 'session', 'auth', 'bearer'];
  const TOKENS = PREFIXES.flatMap((prefix) => [`${prefix}token`, `${prefix}_token`])
    .flatMap((name) => [name, name.replace('_', '-')])
    .map((name) => name.replace(/^[-_]/, ''));
  const FIELDS =
    'api_key apikey api-key x_api_key x-api-key authorization secret client_secret clientsecret ' +
    'private_key private-key privatekey password credential credentials';

  test.each([...FIELDS.split(' '), ...new Set(TOKENS)])(
    'all of the field %s is hidden, in any case',
    (name) => {
      expect(hidingOfField(name)).toBe('all');
      expect(hidingOfField(name.toUpperCase())).toBe('all');
    },
  );

  test('counts of tokens stay', () => {
    for (const name of ['prompt_tokens', 'completion_tokens', 'max_tokens', 'total_tokens'])
      expect(hidingOfField(name)).not.toBe('all');
  });

  const rest = fc.stringMatching(/^[a-zA-Z_-]{0,12}$/);
  const named = (...parts: string[]) =>
    fc.tuple(rest, fc.constantFrom(...parts, ...parts.map((each) => each.toUpperCase())), rest);

  test('a header or parameter with a part that tells of a secret is hidden', () => {
    const headers = ['auth', 'cookie', 'token', 'secret', 'key', 'session', 'signature'];
    const others = ['credential', 'password', 'sig', 'pass', 'pwd'];
    fc.assert(
      fc.property(named(...headers, ...others), (parts) => {
        expect(isSecretParameter(parts.join(''))).toBe(true);
      }),
    );
    expect([isSecretParameter('code'), isSecretParameter('Code')]).toEqual([true, true]);
  });

  test('what logs hide is hidden as a header, parameter, field and option', () => {
    fc.assert(
      fc.property(
        named('passphrase', 'jwt', 'otp', 'sid', 'csrf', 'bearer', 'cookie', 'basicAuth'),
        (parts) => {
          const name = parts.join('');
          fc.pre(hidingOf(name) !== 'nothing');
          expect(hidingOfField(name)).not.toBe('nothing');
          expect([isSecretParameter(name), isSecretOption(name)]).toEqual([true, true]);
        },
      ),
    );
  });

  test.each(['content-type', 'retry-after', 'x-request-id', 'model', 'page', 'limit', 'q'])(
    '%s is no secret',
    (name) => {
      expect([isSecretParameter(name), hidingOfField(name)]).toEqual([false, 'nothing']);
    },
  );
});

test('options of a database URL are distinguished from its secrets', () => {
  const secret = ['password', 'sslpassword', 'sslkey', 'passfile', 'pwd', 'token', 'apiKey'];
  const plain = ['sslmode', 'require_auth', 'target_session_attrs', 'host', 'application_name'];
  expect(secret.filter((name) => !isSecretOption(name))).toEqual([]);
  expect(plain.filter(isSecretOption)).toEqual([]);
});
