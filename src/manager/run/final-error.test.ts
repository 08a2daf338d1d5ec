import { expect, test } from 'vitest';
import { CallError } from '#core/errors/call-error.ts';
import { finalError } from './final-error.ts';

const kimi = new CallError('timeout', 'No first token within 30 seconds.', {
  provider: 'kimi',
  model: 'kimi-k3',
});
const glm = new CallError('rate_limit', 'Too many requests.', {
  provider: 'glm',
  model: 'glm-5.3',
  retryAfterMs: 4000,
});
const none = { emittedChars: 0, emittedToolCalls: false, deadline: 'not_passed' } as const;

test('one failure is returned unchanged', () => {
  expect(finalError({ failures: [kimi], ...none })).toBe(kimi);
});

test('a model that failed more than once, and whose breaker is open now, is represented by its last failure', () => {
  const resting = new CallError('breaker_open', 'It rests.', {
    provider: 'kimi',
    model: 'kimi-k3',
  });
  expect(finalError({ failures: [kimi, kimi, resting], ...none })).toBe(kimi);
});

test('several are one error that names each of them, and when to come back', () => {
  const error = finalError({ failures: [kimi, glm], ...none });
  expect(error).toMatchObject({ class: 'exhausted_fallback_chain', retryAfterMs: 4000 });
  expect(error.message).toBe(
    'No model answered. kimi-k3: timeout, No first token within 30 seconds. glm-5.3: rate_limit, Too many requests.',
  );
});

test('a failure caused by the request is returned as such, however many models were tried', () => {
  const filter = new CallError('content_filter', 'Refused.');
  const long = new CallError('context_length', 'Too long.');
  expect(finalError({ failures: [filter, long], ...none })).toBe(filter);
});

test('an answer that broke off after its reader had some of it is interrupted', () => {
  const error = finalError({
    failures: [kimi],
    emittedChars: 12,
    emittedToolCalls: false,
    deadline: 'not_passed',
  });
  expect(error.class).toBe('interrupted');
  expect(error.message).toContain('broke off after 12 characters');
});

test('when the time is up, the time is the reason', () => {
  expect(
    finalError({
      failures: [glm, kimi],
      emittedChars: 0,
      emittedToolCalls: false,
      deadline: 'passed',
    }).class,
  ).toBe('timeout');
});

test('a caller that left gets the cancellation', () => {
  const gone = new CallError('cancelled', 'The call was cancelled.');
  expect(finalError({ failures: [kimi, gone], ...none })).toBe(gone);
});

test('an answer that broke off within a tool call is interrupted, whatever text there was', () => {
  const error = finalError({
    failures: [kimi],
    emittedChars: 0,
    emittedToolCalls: true,
    deadline: 'not_passed',
  });
  expect(error.class).toBe('interrupted');
  expect(error.message).toContain('in a tool call');
});
