import { expect, test } from 'vitest';
import { CallError } from '#core/errors/call-error.ts';
import { ERROR_CLASSES } from '#core/errors/error-class.ts';
import { toBreakerFailure, type FailureObserver } from './breaker-failure.ts';

const CI: FailureObserver = { principal: 'ci' };
const doubted = (by: FailureObserver) =>
  ERROR_CLASSES.filter(
    (each) => toBreakerFailure(new CallError(each, 'Failed.'), by).doubtfulFor === 'ci',
  );

test.each<[string, FailureObserver, readonly string[]]>([
  ['nothing in particular', CI, ['empty_response']],
  ['no words to stop at', { ...CI, stop: [] }, ['empty_response']],
  ['words to stop at', { ...CI, stop: ['}'] }, ['bad_response', 'empty_response']],
  ['a short time', { ...CI, time: 'short' }, ['timeout', 'empty_response']],
])('for a caller that set %s the classes %j are doubtful', (_, by, classes) => {
  expect(doubted(by).toSorted()).toEqual(classes.toSorted());
});

test('the cause of a failure and its Retry-After are passed on', () => {
  const error = new CallError('rate_limit', 'Slow down.', { retryAfterMs: 5, dueTo: 'request' });
  expect(toBreakerFailure(error, CI)).toEqual({
    class: 'rate_limit',
    retryAfterMs: 5,
    dueTo: 'request',
  });
});

test('failures that the owner sees count at once', () => {
  const error = new CallError('empty_response', 'Nothing came.');
  expect(toBreakerFailure(error, { principal: 'local' })).not.toHaveProperty('doubtfulFor');
});
