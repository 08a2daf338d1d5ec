import { expect, test } from 'vitest';
import { CallError } from '#core/call-error.ts';
import { ERROR_CLASSES } from '#core/error-class.ts';
import { failureFacts, type SeenBy } from './failure-facts.ts';

const CI: SeenBy = { principal: 'ci' };
const doubted = (by: SeenBy) =>
  ERROR_CLASSES.filter(
    (each) => failureFacts(new CallError(each, 'Failed.'), by).doubtfulFor === 'ci',
  );

test.each<[string, SeenBy, readonly string[]]>([
  ['nothing in particular', CI, ['empty_response']],
  ['no words to stop at', { ...CI, stop: [] }, ['empty_response']],
  ['words to stop at', { ...CI, stop: ['}'] }, ['bad_response', 'empty_response']],
  ['a short time', { ...CI, time: 'short' }, ['timeout', 'empty_response']],
])('of a caller that wished for %s the classes %j are doubtful', (_, by, classes) => {
  expect(doubted(by).toSorted()).toEqual(classes.toSorted());
});

test('what a failure is due to goes along, and so does its time', () => {
  const error = new CallError('rate_limit', 'Slow down.', { retryAfterMs: 5, dueTo: 'request' });
  expect(failureFacts(error, CI)).toEqual({
    class: 'rate_limit',
    retryAfterMs: 5,
    dueTo: 'request',
  });
});

test('failures that the owner sees count at once', () => {
  const error = new CallError('empty_response', 'Nothing came.');
  expect(failureFacts(error, { principal: 'local' })).not.toHaveProperty('doubtfulFor');
});
