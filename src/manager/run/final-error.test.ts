import { expect, test } from 'vitest';
import { CallError } from '#core/call-error.ts';
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
const none = { toldChars: 0, toldCalls: 'no', deadline: 'not_passed' } as const;

test('one failure is told as it was', () => {
  expect(finalError({ failures: [kimi], ...none })).toBe(kimi);
});

test('one that failed more than once, and rests now, is told by its last failure', () => {
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

test('what the request brings on itself is told as that, however many were asked', () => {
  const filter = new CallError('content_filter', 'Refused.');
  const long = new CallError('context_length', 'Too long.');
  expect(finalError({ failures: [filter, long], ...none })).toBe(filter);
});

test('an answer that broke off after its reader had some of it is interrupted', () => {
  const error = finalError({
    failures: [kimi],
    toldChars: 12,
    toldCalls: 'no',
    deadline: 'not_passed',
  });
  expect(error.class).toBe('interrupted');
  expect(error.message).toContain('broke off after 12 characters');
});

test('when the time is up, the time is the reason', () => {
  expect(
    finalError({ failures: [glm, kimi], toldChars: 0, toldCalls: 'no', deadline: 'passed' }).class,
  ).toBe('timeout');
});

test('the caller who left hears that it left', () => {
  const gone = new CallError('cancelled', 'The call was cancelled.');
  expect(finalError({ failures: [kimi, gone], ...none })).toBe(gone);
});

test('what broke off within a tool call is interrupted, whatever text there was', () => {
  const error = finalError({
    failures: [kimi],
    toldChars: 0,
    toldCalls: 'yes',
    deadline: 'not_passed',
  });
  expect(error.class).toBe('interrupted');
  expect(error.message).toContain('in a tool call');
});
