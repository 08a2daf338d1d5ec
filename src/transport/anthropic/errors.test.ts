import { expect, test } from 'vitest';
import { codedError } from '#core/errors/coded-error.ts';
import { CallError, type ErrorFacts } from '#core/errors/call-error.ts';
import { ERROR_CLASSES, ERROR_POLICY, type ErrorClass } from '#core/errors/error-class.ts';
import { reason, type Reason } from '#core/messages/reasons.ts';
import { verifies } from '../../../test/verifies.ts';
import { anthropicErrorResponse } from './errors.ts';

function refused(
  errorClass: ErrorClass,
  facts: ErrorFacts = {},
  message: string | Reason = 'It failed.',
) {
  const {
    status,
    body,
    headers = [],
  } = anthropicErrorResponse(
    typeof message === 'string'
      ? new CallError(errorClass, message, facts)
      : codedError(errorClass, message, facts),
    'req_1',
  );
  const fields = new Map<string, string>();
  for (let at = 0; at < headers.length; at += 2) {
    fields.set(headers[at] ?? '', headers[at + 1] ?? '');
  }
  const { error, ...rest } = JSON.parse(body) as { error: { type: string; message: string } };
  return { status, error, rest, headers: fields };
}

/** The statuses of each type in Anthropic's API, including those of proxies in front of it. */
const STATUSES: Readonly<Record<string, readonly number[]>> = {
  invalid_request_error: [400, 409],
  authentication_error: [401],
  billing_error: [402],
  permission_error: [403],
  not_found_error: [404],
  request_too_large: [413],
  rate_limit_error: [429],
  timeout_error: [504],
  api_error: [499, 500, 502, 503],
  overloaded_error: [529],
};

test.each(ERROR_CLASSES)(
  '%s has a type of Anthropic’s and the status that goes with it',
  (name) => {
    const { status, error, rest, headers } = refused(name);
    expect(STATUSES[error.type]).toContain(status);
    expect(error.message).toContain('It failed.');
    expect(rest).toEqual({
      type: 'error',
      request_id: 'req_1',
      exai: { class: name, req_id: 'req_1' },
    });
    const isFinal = ERROR_POLICY[name].retry === 'never' || name === 'exhausted_fallback_chain';
    expect(headers.get('x-should-retry')).toBe(isFinal ? 'false' : undefined);
  },
);

verifies(
  'gateway:errors',
  'the message names the field as the client wrote it, and the fix',
  () => {
    const facts = { field: 'max_output_tokens', fix: 'Give one.' };
    const { error, rest } = refused('validation', facts);
    expect(error.message).toBe('max_tokens: It failed. Give one.');
    expect(rest).toMatchObject({ exai: { field: 'max_tokens', fix: 'Give one.' } });
  },
);

test('a message about its field does not name it twice', () => {
  const why = reason('invalid_field', { field: 'n', problem: 'must be 1' });
  const { error } = refused('validation', { field: 'n' }, why);
  expect(error.message).toBe('n must be 1.');
  expect(refused('validation', { field: 'n' }, 'no.').error.message).toBe('n: no.');
});

test.each([
  [{}, 'prompt is too long: It failed.'],
  [
    { contextTokens: 200_000, field: 'messages', fix: 'Shorten it.' },
    'prompt is too long: more tokens than the 200000 maximum. It failed. Shorten it.',
  ],
])(
  'the error of a too long prompt begins with the text that agents recognise: %j',
  (facts, message) => {
    expect(refused('context_length', facts)).toMatchObject({ status: 400, error: { message } });
  },
);

test('a key that a vendor rejects is not the client’s', () => {
  expect(refused('auth')).toMatchObject({ status: 401, error: { type: 'authentication_error' } });
  expect(refused('auth').headers.get('www-authenticate')).toBe('Bearer realm="exai"');
  const ours = refused('auth', { provider: 'kimi', model: 'kimi-k3' });
  expect(ours).toMatchObject({ status: 502, error: { type: 'api_error' } });
  expect(ours.headers.has('www-authenticate')).toBe(false);
  expect(ours.rest).toMatchObject({ exai: { provider: 'kimi', model: 'kimi-k3' } });
});

test('clients get the retry time, but do not retry after more than a minute', () => {
  const soon = refused('over_capacity', { retryAfterMs: 1500 }).headers;
  expect([soon.get('retry-after'), soon.get('x-should-retry')]).toEqual(['2', 'true']);
  const late = refused('rate_limit', { retryAfterMs: 3_600_000 }).headers;
  expect([late.get('retry-after'), late.get('x-should-retry')]).toEqual([undefined, 'false']);
});
