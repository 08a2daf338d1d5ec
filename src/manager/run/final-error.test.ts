import { expect, test } from 'vitest';
import { CallError } from '#core/errors/call-error.ts';
import { reason } from '#core/messages/reasons.ts';
import { verifies } from '../../../test/verifies.ts';
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

const limit = (provider: string, retryAfterMs?: number) =>
  new CallError('rate_limit', 'Slow down.', {
    provider,
    model: `${provider}-1`,
    ...(retryAfterMs !== undefined && { retryAfterMs }),
  });

verifies(
  'gateway:limited',
  'when all are rate-limited, so is the request, for the shortest time',
  () => {
    const error = finalError({ failures: [limit('kimi', 3_600_000), limit('glm', 4000)], ...none });
    expect(error).toMatchObject({ class: 'rate_limit', retryAfterMs: 4000 });
    expect(error.message).toMatch(/^No model takes requests now\. kimi-1: rate_limit/);
  },
);

verifies(
  'gateway:limited',
  'a limit that opened a breaker is a limit, and ours counts, too',
  () => {
    const resting = new CallError('breaker_open', 'It rests.', {
      provider: 'kimi',
      model: 'kimi-k3',
      retryAfterMs: 9000,
      reason: reason('breaker_open', {
        key: 'kimi/kimi-k3',
        how: 'at_once',
        classes: ['rate_limit'],
        failures: 1,
        calls: 1,
        windowMs: 60_000,
        state: 'resting',
        retryInMs: 9000,
      }),
    });
    const own = new CallError('over_capacity', 'No place.', { provider: 'glm', model: 'glm-5.3' });
    expect(finalError({ failures: [resting, own], ...none })).toMatchObject({
      class: 'rate_limit',
      retryAfterMs: 9000,
    });
    const busy = new CallError('overloaded', 'Busy.', { provider: 'custom', model: 'own' });
    expect(finalError({ failures: [resting, busy], ...none }).class).toBe('overloaded');
    expect(finalError({ failures: [resting, kimi, busy], ...none }).class).toBe(
      'exhausted_fallback_chain',
    );
  },
);

verifies('ask:calls', 'a run that made all its requests says so', () => {
  const error = finalError({ failures: [kimi, glm], ...none, vendorCalls: 12 });
  expect(error.reason).toMatchObject({ code: 'no_model_answered', params: { vendorCalls: 12 } });
  expect(error.message).toContain(
    'EX-AI made 12 requests to providers for this request, the maximum',
  );
});

verifies('gateway:limited', 'a limit without a time has that of the breaker it opened', () => {
  const coolDowns = new Map([
    ['kimi', 30_000],
    ['glm', 5000],
  ]);
  const coolDownMs = ({ provider = '' }: CallError) => coolDowns.get(provider);
  const both = { failures: [limit('kimi'), limit('glm')], ...none, coolDownMs };
  expect(finalError(both)).toMatchObject({
    class: 'rate_limit',
    retryAfterMs: 5000,
    reason: { code: 'all_models_limited' },
  });
  const one = finalError({ ...both, failures: [limit('kimi')] });
  expect(one).toMatchObject({ provider: 'kimi', message: 'Slow down.', retryAfterMs: 30_000 });
  const timed = { ...both, failures: [limit('kimi', 7000), limit('glm')] };
  expect(finalError(timed).retryAfterMs).toBe(7000);
});

verifies('gateway:limited', 'a limit of no time is one of a second', () => {
  expect(finalError({ failures: [limit('kimi', 0)], ...none }).retryAfterMs).toBe(1000);
  expect(finalError({ failures: [limit('kimi', 0), limit('glm', 0)], ...none }).retryAfterMs).toBe(
    1000,
  );
});

test('a refused continuation is no attempt, and is not worth trying again', () => {
  const cut = new CallError('network', 'Cut.', { provider: 'kimi', model: 'kimi-k3' });
  const refused = new CallError('budget', 'It may cost more than the rest.', {
    provider: 'kimi',
    model: 'kimi-k3',
  });
  const error = finalError({ ...none, failures: [cut, refused], emittedChars: 12 });
  expect(error).toMatchObject({ class: 'interrupted', fixes: [] });
  expect(error.message).not.toContain('2 times');
});
