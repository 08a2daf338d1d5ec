import { describe, expect, test } from 'vitest';
import { CallError } from '#core/call-error.ts';
import { ERROR_CLASSES, ERROR_POLICY, type ErrorClass } from '#core/error-class.ts';
import { afterFailure, type FailureFacts } from './after-failure.ts';

function facts(errorClass: ErrorClass, more: Partial<FailureFacts> = {}): FailureFacts {
  return {
    error: new CallError(errorClass, 'It failed.', { provider: 'kimi', model: 'kimi-k3' }),
    tries: 1,
    hasShrunk: false,
    othersLeft: 'yes',
    reached: 'yes',
    remainingMs: 60_000,
    delayMs: ERROR_POLICY[errorClass].retry === 'never' ? undefined : 500,
    ...more,
  };
}

describe('what is done after a failure', () => {
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
    ['over_capacity', { do: 'next', skip: 'provider' }],
    ['validation', { do: 'stop' }],
    ['cancelled', { do: 'stop' }],
  ] as const)('%s', (errorClass, step) => {
    expect(afterFailure(facts(errorClass))).toEqual(step);
  });

  test('the same model is asked once more, then the next', () => {
    expect(afterFailure(facts('overloaded', { tries: 2 }))).toEqual({ do: 'next', skip: 'model' });
  });

  test('nobody waits long for one while others would answer', () => {
    expect(afterFailure(facts('rate_limit', { delayMs: 30_000 }))).toMatchObject({ do: 'next' });
    const last = facts('rate_limit', { delayMs: 8000, othersLeft: 'no' });
    expect(afterFailure(last)).toEqual({ do: 'retry', afterMs: 8000 });
  });

  test('nobody waits longer than there is time', () => {
    const late = facts('rate_limit', { delayMs: 1500, remainingMs: 2000, othersLeft: 'no' });
    expect(afterFailure(late)).toMatchObject({ do: 'next' });
    expect(afterFailure(facts('network', { remainingMs: 0 }))).toEqual({ do: 'stop' });
  });

  test('who was silent is asked again only where nobody else is', () => {
    expect(afterFailure(facts('timeout', { othersLeft: 'no' }))).toMatchObject({ do: 'retry' });
  });

  test('a provider that cannot be reached is left out with all its models', () => {
    const away = facts('network', { tries: 2, reached: 'no' });
    expect(afterFailure(away)).toEqual({ do: 'next', skip: 'provider' });
    expect(afterFailure(facts('network', { tries: 2 }))).toEqual({ do: 'next', skip: 'model' });
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

  test.each(ERROR_CLASSES)('%s never makes it go on for ever', (errorClass) => {
    for (const othersLeft of ['yes', 'no'] as const) {
      const step = afterFailure(facts(errorClass, { tries: 3, hasShrunk: true, othersLeft }));
      expect(['next', 'stop']).toContain(step.do);
    }
  });
});
