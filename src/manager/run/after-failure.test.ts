import { describe, expect, test } from 'vitest';
import { CallError } from '#core/errors/call-error.ts';
import { ERROR_CLASSES, ERROR_POLICY, type ErrorClass } from '#core/errors/error-class.ts';
import { afterFailure, type AttemptFailure } from './after-failure.ts';

function facts(errorClass: ErrorClass, more: Partial<AttemptFailure> = {}): AttemptFailure {
  return {
    error: new CallError(errorClass, 'It failed.', { provider: 'kimi', model: 'kimi-k3' }),
    tries: 1,
    hasShrunk: false,
    hasFallback: true,
    hasOtherQueue: false,
    vendorResponded: true,
    remainingMs: 60_000,
    delayMs: ERROR_POLICY[errorClass].retry === 'never' ? undefined : 500,
    ...more,
  };
}

test('a long queue is left for other providers once, then given up for all models of this one', () => {
  const busy = facts('over_capacity', { hasOtherQueue: true });
  expect(afterFailure(busy)).toEqual({ do: 'next', skip: 'until_others_tried' });
  const again = facts('over_capacity', { tries: 2 });
  expect(afterFailure(again)).toEqual({ do: 'next', skip: 'provider' });
});

describe('the decision after a failure', () => {
  test.each([
    ['rate_limit', { do: 'retry', afterMs: 500 }],
    ['overloaded', { do: 'retry', afterMs: 500 }],
    ['network', { do: 'retry', afterMs: 500 }],
    ['provider_error', { do: 'retry', afterMs: 500 }],
    ['bad_response', { do: 'retry', afterMs: 500 }],
    ['empty_response', { do: 'retry', afterMs: 500 }],
    ['interrupted', { do: 'retry', afterMs: 500 }],
    ['timeout', { do: 'next', skip: 'model' }],
    ['quota', { do: 'next', skip: 'provider' }],
    ['billing', { do: 'next', skip: 'provider' }],
    ['auth', { do: 'next', skip: 'provider' }],
    ['not_configured', { do: 'next', skip: 'provider' }],
    ['not_found', { do: 'next', skip: 'model' }],
    ['permission', { do: 'next', skip: 'model' }],
    ['bad_request', { do: 'next', skip: 'model' }],
    ['content_filter', { do: 'next', skip: 'model' }],
    ['internal', { do: 'next', skip: 'model' }],
    ['context_length', { do: 'shrink', contextTokens: undefined }],
    ['over_capacity', { do: 'retry', afterMs: 500 }],
    ['validation', { do: 'stop' }],
    ['cancelled', { do: 'stop' }],
  ] as const)('%s', (errorClass, step) => {
    expect(afterFailure(facts(errorClass))).toEqual(step);
  });

  test('the same model is retried once, then the next is tried', () => {
    expect(afterFailure(facts('overloaded', { tries: 2 }))).toEqual({ do: 'next', skip: 'model' });
  });

  test('a retry is not delayed long while other candidates are left', () => {
    expect(afterFailure(facts('rate_limit', { delayMs: 30_000 }))).toMatchObject({ do: 'next' });
    const last = facts('rate_limit', { delayMs: 8000, hasFallback: false });
    expect(afterFailure(last)).toEqual({ do: 'retry', afterMs: 8000 });
  });

  test('a retry is not delayed longer than the remaining time', () => {
    const late = facts('rate_limit', { delayMs: 1500, remainingMs: 2000, hasFallback: false });
    expect(afterFailure(late)).toMatchObject({ do: 'next' });
    expect(afterFailure(facts('network', { remainingMs: 0 }))).toEqual({ do: 'stop' });
  });

  test('a timeout is retried only on the last candidate', () => {
    expect(afterFailure(facts('timeout', { hasFallback: false }))).toMatchObject({ do: 'retry' });
  });

  test('an unreachable provider is skipped with all its models', () => {
    const away = facts('network', { tries: 2, vendorResponded: false });
    expect(afterFailure(away)).toEqual({ do: 'next', skip: 'provider' });
    expect(afterFailure(facts('network', { tries: 2 }))).toEqual({ do: 'next', skip: 'model' });
  });

  test('after silence the other providers are tried before its other models', () => {
    const silent = facts('timeout', { vendorResponded: false });
    expect(afterFailure(silent)).toEqual({ do: 'next', skip: 'others_first' });
  });

  test('a prompt is made shorter once, to the window that the vendor named', () => {
    const error = new CallError('context_length', 'Too long.', { contextTokens: 4096 });
    expect(afterFailure(facts('context_length', { error }))).toEqual({
      do: 'shrink',
      contextTokens: 4096,
    });
    expect(afterFailure(facts('context_length', { error, hasShrunk: true }))).toMatchObject({
      do: 'next',
    });
  });

  test.each(ERROR_CLASSES)('%s never retries for ever', (errorClass) => {
    for (const hasFallback of [true, false]) {
      const step = afterFailure(facts(errorClass, { tries: 3, hasShrunk: true, hasFallback }));
      expect(['next', 'stop']).toContain(step.do);
    }
  });
});
