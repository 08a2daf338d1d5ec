import { describe, expect, test } from 'vitest';
import { CallError, type ErrorFacts } from '#core/errors/call-error.ts';
import { ERROR_CLASSES, ERROR_POLICY, type ErrorClass } from '#core/errors/error-class.ts';
import { verifies } from '../../../test/verifies.ts';
import { createOpenAiDialect } from './dialect.ts';

const dialect = createOpenAiDialect();

function refused(errorClass: ErrorClass, facts: ErrorFacts = {}) {
  const response = dialect.errorResponse(new CallError(errorClass, 'It failed.', facts), 'req_1');
  const headers = response.headers ?? [];
  const pairs = headers.flatMap((name, at) => (at % 2 === 0 ? [[name, headers[at + 1]]] : []));
  return {
    status: response.status,
    body: JSON.parse(response.body) as unknown,
    headers: Object.fromEntries(pairs) as Record<string, string>,
  };
}

verifies('gateway:errors', 'an error has field, fix, class and request id', () => {
  const facts = { field: 'n', fix: 'Send 1.', provider: 'kimi', model: 'kimi-k2.6' };
  expect(refused('validation', facts)).toEqual({
    status: 400,
    body: {
      error: {
        message: 'It failed. Send 1.',
        type: 'invalid_request_error',
        param: 'n',
        code: 'invalid_value',
        class: 'validation',
        req_id: 'req_1',
      },
      exai: { class: 'validation', req_id: 'req_1', provider: 'kimi', model: 'kimi-k2.6' },
    },
    headers: { 'x-should-retry': 'false' },
  });
});

describe('every class has a type and code that clients know', () => {
  const known: Partial<Record<ErrorClass, readonly [number, string, string]>> = {
    bad_request: [400, 'invalid_request_error', 'invalid_request'],
    validation: [400, 'invalid_request_error', 'invalid_value'],
    auth: [401, 'invalid_request_error', 'invalid_api_key'],
    context_length: [400, 'invalid_request_error', 'context_length_exceeded'],
    content_filter: [400, 'invalid_request_error', 'content_filter'],
    too_large: [413, 'invalid_request_error', 'request_too_large'],
    rate_limit: [429, 'rate_limit_error', 'rate_limit_exceeded'],
    quota: [429, 'insufficient_quota', 'insufficient_quota'],
    interrupted: [502, 'server_error', 'interrupted'],
    internal: [500, 'server_error', 'internal'],
  };
  test.each(ERROR_CLASSES)('%s', (errorClass) => {
    const { status, body } = refused(errorClass);
    const word: unknown = expect.stringMatching(/^[a-z_]+$/);
    const unknown = [ERROR_POLICY[errorClass].status, word, word];
    const [expected, type, code] = known[errorClass] ?? unknown;
    expect(status).toBe(expected);
    const error: unknown = expect.objectContaining({ type, code, param: null });
    expect(body).toEqual({ error, exai: { class: errorClass, req_id: 'req_1' } });
  });
});

test('an unknown model has another code than other unknown things', () => {
  const { status, body } = refused('not_found', { field: 'model' });
  expect(status).toBe(404);
  expect(body).toMatchObject({ error: { code: 'model_not_found', param: 'model' } });
  expect(refused('not_found').body).toMatchObject({ error: { code: 'not_found' } });
});

test("a field has the client's name", () => {
  expect(refused('validation', { field: 'prompt' }).body).toMatchObject({
    error: { param: 'messages' },
  });
  expect(refused('validation', { field: 'responseFormat.schema' }).body).toMatchObject({
    error: { param: 'response_format.schema' },
  });
});

test("a key that a vendor rejects is not the client's", () => {
  const own = refused('auth');
  expect(own.headers).toMatchObject({ 'www-authenticate': 'Bearer realm="exai"' });
  const theirs = refused('auth', { provider: 'glm' });
  expect(theirs.status).toBe(502);
  expect(theirs.body).toMatchObject({
    error: { type: 'server_error', code: 'provider_key_refused' },
  });
  expect(theirs.headers).toEqual({ 'x-should-retry': 'false' });
});

describe('whether a client should try again', () => {
  test('has the time to wait', () => {
    expect(refused('rate_limit', { retryAfterMs: 1200 }).headers).toEqual({
      'retry-after': '2',
      'retry-after-ms': '1200',
      'x-should-retry': 'true',
    });
    expect(refused('over_capacity', { retryAfterMs: -5 }).headers).toEqual({
      'retry-after': '0',
      'retry-after-ms': '0',
      'x-should-retry': 'true',
    });
  });

  test('our own limit of calls at once is a rate limit', () => {
    const about = { field: 'limits.glm', retryAfterMs: 1000 };
    expect(refused('over_capacity', about).status).toBe(429);
    expect(refused('over_capacity').status).toBe(503);
  });

  test('is false if a retry is useless or would take long', () => {
    const final = { 'x-should-retry': 'false' };
    expect(refused('quota').headers).toEqual(final);
    expect(refused('exhausted_fallback_chain').headers).toEqual(final);
    expect(refused('rate_limit', { retryAfterMs: 3_600_000 }).headers).toEqual(final);
    expect(refused('overloaded').headers).toEqual({});
  });
});
