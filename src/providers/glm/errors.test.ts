import { describe, expect, test } from 'vitest';
import type { ErrorClass } from '#core/errors/error-class.ts';
import { createSecret } from '#core/secrets/secret.ts';
import { createFakeClock } from '../../../test/fake-clock.ts';
import { verifies } from '../../../test/verifies.ts';
import { readVendorError, toVendorCallError } from '../openai-compatible/errors/vendor-error.ts';
import { createClassify, readResetTime } from './errors.ts';
import { KEY } from './glm.fixture.ts';
import { siteOf, standardUrl } from './site.ts';

const clock = createFakeClock(Date.parse('2026-11-15T06:00:00Z'));

function judge(status: number, body: unknown, baseUrl = 'https://api.z.ai/api/paas/v4') {
  const classify = createClassify({ site: siteOf(baseUrl), baseUrl, clock });
  const error = readVendorError(status, JSON.stringify(body));
  const reader = {
    provider: 'glm',
    title: 'GLM',
    key: createSecret(KEY),
    clock,
    classify,
  } as const;
  return toVendorCallError(error, {}, 'glm-4.6', reader);
}

const nested = (code: string, message = 'It went wrong.') => ({ error: { code, message } });

// prettier-ignore
const TABLE: readonly (readonly [string, number, ErrorClass])[] = [
  ['500', 500, 'provider_error'],
  ['1000', 401, 'auth'], ['1001', 401, 'auth'], ['1002', 401, 'auth'], ['1003', 401, 'auth'], ['1004', 401, 'auth'],
  ['1100', 500, 'provider_error'], ['1110', 401, 'auth'], ['1111', 401, 'auth'], ['1112', 429, 'auth'],
  ['1113', 429, 'billing'], ['1120', 429, 'overloaded'], ['1121', 403, 'auth'],
  ['1200', 400, 'bad_request'], ['1210', 400, 'bad_request'], ['1211', 400, 'not_found'], ['1212', 400, 'bad_request'],
  ['1213', 400, 'bad_request'], ['1214', 400, 'bad_request'], ['1215', 400, 'bad_request'],
  ['1220', 403, 'not_configured'], ['1221', 404, 'not_found'], ['1222', 404, 'not_found'],
  ['1230', 400, 'bad_request'], ['1231', 400, 'conflict'], ['1234', 500, 'provider_error'],
  ['1261', 400, 'context_length'], ['1300', 400, 'content_filter'], ['1301', 400, 'content_filter'],
  ['1302', 429, 'rate_limit'], ['1303', 429, 'rate_limit'], ['1304', 429, 'quota'], ['1305', 429, 'overloaded'],
  ['1308', 429, 'quota'], ['1309', 429, 'billing'], ['1310', 429, 'quota'], ['1311', 429, 'not_configured'],
  ['1312', 429, 'overloaded'], ['1313', 429, 'quota'], ['1314', 429, 'quota'], ['1315', 429, 'quota'], ['1316', 429, 'quota'],
  ['1317', 429, 'quota'], ['1318', 429, 'quota'], ['1319', 429, 'quota'], ['1320', 429, 'quota'], ['1321', 429, 'quota'],
];

describe('the code decides, not the status', () => {
  test.each(TABLE)('%s as %i is %s', (code, status, expected) => {
    expect(judge(status, nested(code)).class).toBe(expected);
    expect(judge(status, { error: { code: Number(code), message: '' } }).class).toBe(expected);
    expect(judge(status, { code: Number(code), message: 'flat' }).class).toBe(expected);
  });

  test.each<[number, ErrorClass]>([
    [434, 'not_configured'],
    [435, 'too_large'],
    [401, 'auth'],
    [429, 'rate_limit'],
    [503, 'overloaded'],
  ])('a status %i alone is %s', (status, expected) => {
    expect(judge(status, {}).class).toBe(expected);
  });

  test('435 is about the size, whatever its code', () => {
    expect(judge(435, nested('1214')).class).toBe('too_large');
  });
});

verifies(
  'provider:facts',
  'glm: arrears come as 429 and are billing, never a reason to wait',
  () => {
    const error = judge(429, nested('1113', 'Insufficient balance or no resource package'));
    expect(error.toJSON()).toMatchObject({
      class: 'billing',
      message: 'GLM accepts the key, but nothing is left on its account at api.z.ai.',
      fix: 'Top up the account at z.ai. Set GLM_API_URL to https://api.z.ai/api/coding/paas/v4, if you have a Coding Plan.',
      fixes: [{ kind: 'advice' }, { kind: 'set_setting' }],
      provider: 'glm',
      model: 'glm-4.6',
    });
    expect(error.policy.retry).toBe('never');
  },
);

verifies('provider:faults', 'glm F16: a wrong key names the other host, on either host', () => {
  expect(judge(401, nested('1004')).fix).toContain(
    'GLM_API_URL to https://open.bigmodel.cn/api/paas/v4',
  );
  const china = judge(401, nested('1004'), 'https://open.bigmodel.cn/api/paas/v4');
  expect(china.fix).toContain('GLM_API_URL to https://api.z.ai/api/paas/v4');
  expect(china.fix).toContain('https://api.z.ai/api/coding/paas/v4 for its Coding Plan');
});

verifies('provider:faults', 'glm F10: an unknown model is named', () => {
  expect(judge(400, nested('1211')).message).toBe('GLM does not know glm-4.6 at api.z.ai.');
});

test('a model outside the plan lets another provider try, and leaves the key alone', () => {
  const error = judge(429, nested('1311'), 'https://api.z.ai/api/coding/paas/v4');
  expect(error.policy).toMatchObject({ fallback: true, breaker: 'ignore' });
  expect(error.message).toBe('The Coding Plan of this key does not include glm-4.6.');
});

describe('the time at which an allowance is filled again', () => {
  const hour = 3_600_000;
  test.each([
    ['the vendor’s own time', { message: 'It will reset at 2026-11-15 19:00:00' }, 5 * hour],
    ['Chinese', { message: '您的限额将在 2026-11-15 19:00:00 重置。' }, 5 * hour],
    ['a time with its zone', { message: 'reset at 2026-11-15T07:00:00Z' }, hour],
    ['a member, in seconds', { body: { next_flush_time: 1_794_726_000 } }, hour],
    ['a member, in milliseconds as text', { body: { next_flush_time: '1794726000000' } }, hour],
    ['no time', { message: 'later' }, undefined],
    ['a time that is over', { message: '2020-01-01 00:00:00' }, undefined],
    ['a time that no plan has', { message: '2126-01-01 00:00:00' }, undefined],
    ['no date at all', { message: '2026-99-99 99:99:99' }, undefined],
    ['nonsense', { body: { next_flush_time: {} } }, undefined],
  ])(
    'is read from %s',
    (_, { message = '', body = {} }: { message?: string; body?: object }, expected) => {
      expect(readResetTime({ message, body: body as Record<string, unknown> }, clock)).toBe(
        expected,
      );
    },
  );

  verifies('provider:facts', 'glm: 1308 and 1310 say when to come back', () => {
    expect(
      judge(429, nested('1308', 'Your limit will reset at 2026-11-15 19:00:00')).retryAfterMs,
    ).toBe(5 * hour);
    expect(
      judge(429, nested('1310', 'Your limit will reset at 2026-11-16 14:00:00')).retryAfterMs,
    ).toBe(24 * hour);
  });
});

test('no error shows the key', () => {
  const error = judge(400, nested('1210', `bad key ${KEY}`));
  expect(JSON.stringify(error)).not.toContain(KEY);
});

test('the address gives the host and the path', () => {
  expect(siteOf('https://open.bigmodel.cn/api/coding/paas/v4').name).toBe('bigmodel');
  expect(siteOf('https://bigmodel.cn.evil.example/api').name).toBe('zai');
  expect(siteOf('nonsense').name).toBe('zai');
  expect(standardUrl('https://api.z.ai/api/coding/paas/v4/')).toBe('https://api.z.ai/api/paas/v4');
  expect(standardUrl('https://api.z.ai/api/paas/v4')).toBe('https://api.z.ai/api/paas/v4');
});
