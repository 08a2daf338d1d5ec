import { expect, test } from 'vitest';
import { readModel, unknownModel } from './gateway-model.ts';

const explained = (error?: object) => ({
  content: [],
  structuredContent: { status: 'success', content: { facts: {}, ...(error && { error }) } },
});

test.each([
  [explained(), undefined],
  [
    explained({ class: 'not_found', field: 'model', message: 'There is no model "x".' }),
    'There is no model "x".',
  ],
  [explained({ class: 'not_configured', field: 'model', message: 'It has no key.' }), undefined],
  [
    explained({ class: 'not_found', field: 'tool', message: 'There is no gateway_chat.' }),
    undefined,
  ],
  [{ isError: true, structuredContent: { error_class: 'permission' } }, undefined],
  [undefined, undefined],
])('of %j it is said: %s', (result, message) => {
  expect(unknownModel(result)).toBe(message);
});

test('the model is auto unless told', () => {
  expect(readModel()).toBe('auto');
});
