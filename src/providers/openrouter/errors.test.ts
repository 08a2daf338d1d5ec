import { describe, expect, test } from 'vitest';
import { readVendorError } from '../openai-compatible/errors/vendor-error.ts';
import { classifyOpenRouter } from './errors.ts';

const judge = (status: number, message: string, metadata?: object) =>
  classifyOpenRouter(
    readVendorError(status, JSON.stringify({ error: { code: status, message, metadata } })),
  );

describe('an error of OpenRouter', () => {
  test.each([
    ['authentication', 401, 'auth'],
    ['payment_required', 402, 'billing'],
    ['rate_limit_exceeded', 429, 'rate_limit'],
    ['provider_overloaded', 503, 'overloaded'],
    ['timeout', 408, 'timeout'],
    ['invalid_request', 400, 'bad_request'],
    ['context_length_exceeded', 400, 'context_length'],
    ['content_policy_violation', 403, 'content_filter'],
    ['refusal', 400, 'content_filter'],
    ['payload_too_large', 413, 'too_large'],
    ['server', 500, 'provider_error'],
  ])('of the type %s means %s', (error_type, status, errorClass) => {
    expect(judge(status, 'x', { error_type })?.class).toBe(errorClass);
  });

  test('of a type that says nothing is left to the status', () => {
    for (const error_type of ['unmapped', 'provider_unavailable', 'toString', '__proto__'])
      expect(judge(502, 'x', { error_type })).toBeUndefined();
  });

  test('402 is billing, but for a budget in flight it passes', () => {
    expect(judge(402, 'x')?.class).toBe('billing');
    const limit_source = 'openrouter_in_flight_budget';
    expect(judge(402, 'x', { error_type: 'payment_required', limit_source })?.class).toBe(
      'rate_limit',
    );
  });

  test('402 is due to the request where there is credit for a shorter answer', () => {
    const words = 'This request requires more credits, or fewer max_tokens. You requested 65536';
    expect(judge(402, words)).toMatchObject({ class: 'billing', dueTo: 'request' });
    expect(judge(402, 'x')).not.toHaveProperty('dueTo');
  });

  test('403 is moderation, or the limit of the key', () => {
    expect(judge(403, 'flagged', { reasons: ['violence'] })?.class).toBe('content_filter');
    expect(judge(403, 'Key limit exceeded (total limit)')?.class).toBe('quota');
  });

  test('404 names what no endpoint supports', () => {
    expect(judge(404, 'No endpoints found that support tool use.')?.class).toBe('validation');
    expect(judge(404, 'No endpoints found matching your data policy (Free model).')).toMatchObject({
      class: 'not_configured',
      fixes: [
        { kind: 'use_other_model' },
        {
          kind: 'set_setting',
          params: { setting: 'providers.openrouter.dataCollection', value: 'allow' },
        },
      ],
    });
    expect(judge(404, 'No endpoints found for a/b')?.class).toBe('not_found');
    expect(judge(400, 'a/b is not a valid model ID')?.class).toBe('not_found');
  });

  test('names the context window when the message has it', () => {
    const message = "This endpoint's maximum context length is 4096 tokens. However, you requested";
    expect(judge(400, message)).toEqual({ class: 'context_length', contextTokens: 4_096 });
  });
});
