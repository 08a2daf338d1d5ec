import { describe, expect, test } from 'vitest';
import { createSecret } from '#core/secrets/secret.ts';
import { verifies } from '../../../test/verifies.ts';
import { readVendorError, toVendorCallError } from '../openai-compatible/errors/vendor-error.ts';
import { classifyKimi } from './errors.ts';
import { kimiHostOf } from './hosts.ts';

const KEY = 'sk-0123456789abcdef';

function refusal(
  status: number,
  type: string,
  message: string,
  baseUrl = 'https://api.moonshot.ai/v1',
) {
  const host = kimiHostOf(baseUrl);
  const error = readVendorError(status, JSON.stringify({ error: { message, type } }));
  return toVendorCallError(error, {}, 'kimi-k3', {
    provider: 'kimi',
    title: 'Kimi',
    key: createSecret(KEY),
    clock: { now: () => 0 },
    classify: (each) => classifyKimi(each, host),
  });
}

describe('the table of refusals (1.10)', () => {
  const account = 'Your account org-1<ak-2>';
  test.each([
    [
      400,
      'content_filter',
      'The request was rejected because it was considered high risk',
      'content_filter',
    ],
    [0, '', 'The request was rejected because it was considered high risk', 'content_filter'],
    [400, 'invalid_request_error', 'Invalid request: something', 'bad_request'],
    [400, 'invalid_request_error', 'Input token length too long', 'context_length'],
    [
      400,
      'invalid_request_error',
      'total message size 3000000 exceeds limit 2097152',
      'context_length',
    ],
    [400, 'invalid_request_error', "Invalid purpose: only 'file-extract' accepted", 'bad_request'],
    [
      400,
      'invalid_request_error',
      'File size is too large, max file size is 100MB, please confirm',
      'too_large',
    ],
    [400, 'invalid_request_error', 'File size is zero, please confirm', 'validation'],
    [
      400,
      'invalid_request_error',
      'The number of files you have uploaded exceeded the max file count 1000, please delete',
      'conflict',
    ],
    [401, 'incorrect_api_key_error', 'Incorrect API key provided', 'auth'],
    [401, 'invalid_authentication_error', 'Invalid Authentication', 'auth'],
    [403, 'permission_denied_error', 'The API you are accessing is not open', 'not_configured'],
    [
      403,
      'exceeded_current_quota_error',
      `${account} is not active, current state: suspended`,
      'billing',
    ],
    [
      404,
      'resource_not_found_error',
      'Not found the model kimi-x or Permission denied',
      'not_found',
    ],
    [404, 'resource_not_found_error', 'file f1 not found', 'not_found'],
    [
      429,
      'engine_overloaded_error',
      'The engine is currently overloaded, please try again later',
      'overloaded',
    ],
    [
      429,
      'exceeded_current_quota_error',
      'Your account is suspended due to insufficient balance',
      'billing',
    ],
    [
      429,
      'exceeded_current_quota_error',
      'You exceeded your current token quota: 0, please check your account balance',
      'quota',
    ],
    [
      429,
      'rate_limit_reached_error',
      `${account} request reached TPD rate limit, current: 2, limit: 1`,
      'rate_limit',
    ],
    [499, 'client_closed_request', '', 'network'],
    [500, 'server_error', 'Failed to extract file: x', 'provider_error'],
    [500, '', 'extract task failed: failed', 'provider_error'],
    [500, 'unexpected_output', 'invalid state transition', 'provider_error'],
    [503, '', '', 'overloaded'],
    [504, '', '', 'timeout'],
  ])('%s %s "%s" is %s', (status, type, message, errorClass) => {
    expect(refusal(status, type, message).class).toBe(errorClass);
  });
});

verifies(
  'provider:faults',
  'Kimi: the wait is read from the message when no header tells it',
  () => {
    const message =
      'Your account org-1<ak-2> request reached max organization concurrency: 1, please try again after 3 seconds';
    const error = refusal(429, 'rate_limit_reached_error', message);
    expect(error.retryAfterMs).toBe(3_000);
    expect(error.message).not.toContain('ak-2');
  },
);

verifies('provider:faults', 'Kimi: a prompt that is too long gives the context window', () => {
  const error = refusal(
    400,
    'invalid_request_error',
    'Your request exceeded model token limit : 262144 (requested: 300000)',
  );
  expect(error).toMatchObject({ class: 'context_length', contextTokens: 262_144 });
});

verifies('provider:faults', 'Kimi: a model that is gone is named', () => {
  const error = refusal(
    404,
    'resource_not_found_error',
    'Not found the model kimi-k2-0905-preview or Permission denied',
  );
  expect(error.message).toBe(
    'Kimi does not have the model "kimi-k2-0905-preview", or the key may not use it.',
  );
  expect(error.model).toBe('kimi-k3');
});

describe('a refused key', () => {
  test.each([
    ['https://api.moonshot.ai/v1', 'Set KIMI_API_URL to https://api.moonshot.cn/v1'],
    ['https://api.moonshot.cn/v1', 'Set KIMI_API_URL to https://api.moonshot.ai/v1'],
    ['http://127.0.0.1:9988/v1', 'one of platform.moonshot.cn at https://api.moonshot.cn/v1'],
  ])('at %s says: %s', (baseUrl, words) => {
    const error = refusal(
      401,
      'incorrect_api_key_error',
      `Incorrect API key provided: ${KEY}`,
      baseUrl,
    );
    expect(error.fix).toContain(words);
    expect(error.fix).toContain('sk-kimi-');
    expect(JSON.stringify(error)).not.toContain(KEY);
  });
});

test('accounts are kept in the money of their host', () => {
  expect(kimiHostOf('https://api.moonshot.cn/v1').currency).toBe('CNY');
  expect(kimiHostOf('https://api.moonshot.ai/v1').currency).toBe('USD');
  expect(kimiHostOf('https://notmoonshot.cn/v1').currency).toBe('USD');
});

describe('a refusal of a quarter of a megabyte', () => {
  test.each([
    'not found the model '.repeat(13_000),
    `${'not found the model '.repeat(13_000)}\n`,
    `not found the model ${' '.repeat(256_000)}x`,
    `not found the model ${'a or permission denie '.repeat(12_000)}`,
    `exceeded model token limit${' :'.repeat(128_000)}`,
    'total message size 1'.repeat(12_000),
  ])('is read whatever its length, and shown in brief: %.40s', (message) => {
    const error = refusal(404, 'resource_not_found_error', message);
    expect(error.message.length).toBeLessThan(500);
    expect(error.fix?.length ?? 0).toBeLessThan(500);
  });

  test('names the model that is not there, and nothing else', () => {
    const said = 'Not found the model kimi-k9 or Permission denied for org-1';
    expect(refusal(404, 'resource_not_found_error', said).message).toBe(
      'Kimi does not have the model "kimi-k9", or the key may not use it.',
    );
    const long = refusal(404, 'resource_not_found_error', `Not found the model ${'x'.repeat(999)}`);
    expect(long.message.length).toBeLessThan(150);
  });
});
