import { expect, test } from 'vitest';
import { withEnvelope } from '../../../test/read-envelope.ts';
import { readGatewayModel, unknownModelMessage } from './daemon.ts';

const explained = (error?: object) => ({
  content: [],
  ...withEnvelope({ status: 'success', content: { facts: {}, ...(error && { error }) } }),
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
  [{ isError: true, ...withEnvelope({ error_class: 'permission' }) }, undefined],
  [undefined, undefined],
])('of %j it is said: %s', (result, message) => {
  expect(unknownModelMessage(result)).toBe(message);
});

test('the model is auto by default', () => {
  expect(readGatewayModel()).toBe('auto');
});
