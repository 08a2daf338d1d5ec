import { expect, test } from 'vitest';
import { inputAnswers, inputKey, inputRequests } from './task-inputs.ts';

const ROOTS = { is: 'roots' } as const;

test('no two questions of a task have the same key, whatever their names are', () => {
  const names = ['a', 'a-1', 'a-2', 'a-2-2', 'a-', '-1', '', '__proto__', '2'];
  const keys = [1, 2, 3, 12].flatMap((round) => names.map((name) => inputKey(name, round)));
  expect(new Set(keys).size).toBe(keys.length);
  expect([inputKey('name', 1), inputKey('name', 2)]).toEqual(['name', 'name-2']);
});

test('a question may have any name, and its answer is found again', () => {
  const questions = JSON.parse('{"__proto__":{"is":"roots"},"a-2":{"is":"roots"}}') as Record<
    string,
    typeof ROOTS
  >;
  const asks = { round: 1, questions };
  const asked = inputRequests(asks);
  expect(Object.keys(asked)).toEqual(['__proto__', 'a-2-1']);
  const responses = JSON.parse('{"__proto__":{"roots":[]},"a-2-1":{"roots":[1]}}') as object;
  expect(inputAnswers(asks, responses as never)).toEqual({
    answers: JSON.parse('{"__proto__":{"roots":[]},"a-2":{"roots":[1]}}') as object,
  });
  expect(inputAnswers(asks, {})).toEqual({ answers: {} });
  expect(inputAnswers({ round: 1, questions: { toString: ROOTS } }, {})).toEqual({ answers: {} });
});

test('an answer that is no object is named', () => {
  expect(inputAnswers({ round: 3, questions: { a: ROOTS } }, { 'a-3': null })).toEqual({
    wrongKey: 'a-3',
  });
});
