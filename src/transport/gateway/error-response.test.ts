import { describe, expect, test } from 'vitest';
import { CallError, type ErrorFacts } from '#core/errors/call-error.ts';
import { ERROR_CLASSES, type ErrorClass } from '#core/errors/error-class.ts';
import { verifies } from '../../../test/verifies.ts';
import { createAnthropicDialect } from '../anthropic/dialect.ts';
import { createOpenAiDialect } from '../openai/dialect.ts';
import { errorHeaders, fieldPath, isUpstreamRefusal } from './error-response.ts';

describe('field path', () => {
  const NAMES = new Map([
    ['prompt', 'messages'],
    ['responseFormat', 'output_config.format'],
  ]);

  test.each([
    ['prompt', 'messages'],
    ['responseFormat.schema', 'output_config.format.schema'],
    ['prompt[2]', 'messages[2]'],
    ['prompts', 'prompts'],
    ['exai.prompt', 'exai.prompt'],
    ['', ''],
  ])('"%s" is "%s" to the client', (field, written) => {
    expect(fieldPath(field, NAMES)).toBe(written);
  });
});

describe('error headers', () => {
  const openai = createOpenAiDialect();
  const anthropic = createAnthropicDialect();
  /** Anthropic's status for overload; its clients recognise overload only by it. */
  const OVERLOADED = 529;

  const failed = (errorClass: ErrorClass, facts: ErrorFacts = {}) =>
    new CallError(errorClass, 'It failed.', facts);

  verifies('gateway:errors', 'both dialects send the same headers for every error', () => {
    const facts = [{}, { provider: 'kimi' }, { retryAfterMs: 1200 }, { retryAfterMs: 3_600_000 }];
    for (const name of ERROR_CLASSES) {
      const isBusy = ['overloaded', 'over_capacity', 'breaker_open'].includes(name);
      for (const about of facts) {
        const error = failed(name, about);
        const { status, headers } = openai.errorResponse(error, 'req_1');
        const expected = { status: isBusy ? OVERLOADED : status, headers };
        expect([name, anthropic.errorResponse(error, 'req_1')]).toMatchObject([name, expected]);
      }
    }
  });

  test("a key that a vendor rejects is not the client's", () => {
    expect(isUpstreamRefusal(failed('auth', { provider: 'glm' }))).toBe(true);
    expect(isUpstreamRefusal(failed('permission', { provider: 'glm' }))).toBe(true);
    expect(isUpstreamRefusal(failed('permission'))).toBe(false);
    expect(isUpstreamRefusal(failed('rate_limit', { provider: 'glm' }))).toBe(false);
    const client = errorHeaders(failed('auth'));
    expect(client).toEqual(['www-authenticate', 'Bearer realm="exai"', 'x-should-retry', 'false']);
    expect(errorHeaders(failed('auth', { provider: 'glm' }))).not.toContain('www-authenticate');
  });

  test('the retry time is sent in seconds and milliseconds, and is never negative', () => {
    const wait = (retryAfterMs: number) => errorHeaders(failed('rate_limit', { retryAfterMs }));
    const again = ['x-should-retry', 'true'];
    expect(wait(1200.5)).toEqual(['retry-after', '2', 'retry-after-ms', '1201', ...again]);
    expect(wait(-5)).toEqual(['retry-after', '0', 'retry-after-ms', '0', ...again]);
    expect(wait(60_000)).toContain('true');
    expect(wait(60_001)).toEqual(['x-should-retry', 'false']);
  });

  verifies(
    'gateway:limited',
    'a client that must not retry gets no retry time, in any class',
    () => {
      for (const name of ERROR_CLASSES) {
        for (const retryAfterMs of [0, 1200, 3_600_000]) {
          const headers = errorHeaders(failed(name, { retryAfterMs }));
          expect([name, headers.includes('false') && headers.includes('retry-after')]).toEqual([
            name,
            false,
          ]);
        }
      }
    },
  );
});
