import { expect, test } from 'vitest';
import { CallError, type ErrorFacts } from '#core/call-error.ts';
import { ERROR_CLASSES, type ErrorClass } from '#core/error-class.ts';
import { verifies } from '../../../test/verifies.ts';
import { createAnthropicDialect } from '../anthropic/dialect.ts';
import { createOpenAiDialect } from '../openai/dialect.ts';
import { isRefusedToUs, refusalHeaders } from './refusal-headers.ts';

const openai = createOpenAiDialect();
const anthropic = createAnthropicDialect();
/** What Anthropic says of itself when it has too much to do. Its clients know it by this alone. */
const OVERLOADED = 529;

const failed = (errorClass: ErrorClass, facts: ErrorFacts = {}) =>
  new CallError(errorClass, 'It failed.', facts);

verifies('gateway:errors', 'both dialects tell every failure alike', () => {
  const facts = [{}, { provider: 'kimi' }, { retryAfterMs: 1200 }, { retryAfterMs: 3_600_000 }];
  for (const name of ERROR_CLASSES) {
    const isBusy = ['overloaded', 'over_capacity', 'breaker_open'].includes(name);
    for (const about of facts) {
      const error = failed(name, about);
      const { status, headers } = openai.refusal(error, 'req_1');
      const expected = { status: isBusy ? OVERLOADED : status, headers };
      expect([name, anthropic.refusal(error, 'req_1')]).toMatchObject([name, expected]);
    }
  }
});

test('what a vendor refuses to us is not refused to the client', () => {
  expect(isRefusedToUs(failed('auth', { provider: 'glm' }))).toBe(true);
  expect(isRefusedToUs(failed('permission', { provider: 'glm' }))).toBe(true);
  expect(isRefusedToUs(failed('permission'))).toBe(false);
  expect(isRefusedToUs(failed('rate_limit', { provider: 'glm' }))).toBe(false);
  const client = refusalHeaders(failed('auth'));
  expect(client).toEqual(['www-authenticate', 'Bearer realm="exai"', 'x-should-retry', 'false']);
  expect(refusalHeaders(failed('auth', { provider: 'glm' }))).not.toContain('www-authenticate');
});

test('when to come back is told in seconds and to the millisecond, and never before now', () => {
  const wait = (retryAfterMs: number) => refusalHeaders(failed('rate_limit', { retryAfterMs }));
  expect(wait(1200.5)).toEqual(['retry-after', '2', 'retry-after-ms', '1201']);
  expect(wait(-5)).toEqual(['retry-after', '0', 'retry-after-ms', '0']);
  expect(wait(60_000)).not.toContain('x-should-retry');
  expect(wait(60_001)).toContain('x-should-retry');
});
