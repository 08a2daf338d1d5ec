import { expect, test } from 'vitest';
import { isExecution, readData, failureOfExecution } from './execution-fields.ts';
import { itemsOf, readOuter } from './read-execution.ts';

const outerOf = (answer: object) =>
  readOuter({ content: [{ type: 'text', text: JSON.stringify(answer) }] });

test.each([
  ['a text', { data: 'done' }, { value: 'done' }],
  ['a list', { data: [1, 2] }, { value: [1, 2] }],
  ['an object', { data: { a: 1 } }, { a: 1 }],
  ['nothing', { data: null }, {}],
])('data that is %s is kept', (_about, answer, data) => {
  expect(readData(answer)).toEqual(data);
  expect(outerOf(answer)).toMatchObject({ successful: true, data });
});

test.each([
  ['a text', { error: 'It broke.' }, 'It broke.'],
  ['an object with a message', { error: { message: 'It broke.', code: 7 } }, 'It broke.'],
  ['another object', { error: { code: 7 } }, '{"code":7}'],
  ['a number', { error: 5 }, '5'],
  ['only told', { successful: false, error: null }, 'The tool reported a failure.'],
  ['absent', { data: {}, error: '' }, null],
])('an error that is %s is read', (_about, answer, error) => {
  expect(failureOfExecution(answer)).toBe(error);
  expect(outerOf({ data: {}, ...answer })).toMatchObject({ successful: error === null, error });
});

test('an object without any field of an execution is none', () => {
  expect(isExecution({ ok: 1 })).toBe(false);
  expect(outerOf({ ok: 1 })).toBeUndefined();
});

test('items that cannot be read have failed, at their places', () => {
  const results = [
    { response: { successful: true, data: {} } },
    null,
    5,
    { error: { message: 'broken' } },
    { index: 7, tool_slug: 'A', response: '{"successful": false, "error": {"message": "inner"}}' },
  ];
  const items = itemsOf({ successful: false, data: { results }, error: null, logId: '' });
  expect(items.map(({ index, error }) => [index, error])).toEqual([
    [0, undefined],
    [1, 'it has no answer that can be read'],
    [2, 'it has no answer that can be read'],
    [3, 'broken'],
    [7, 'inner'],
  ]);
});
