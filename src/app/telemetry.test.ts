import { expect, test } from 'vitest';
import { CallError } from '#core/errors/call-error.ts';
import { otlpHeaders } from './telemetry.ts';

test.each([
  ['', {}],
  ['api-key=abc', { 'api-key': 'abc' }],
  [' a=1 , b=two%20words ,', { a: '1', b: 'two words' }],
  ['Authorization=Basic dXNlcjpwYXNz==', { Authorization: 'Basic dXNlcjpwYXNz==' }],
])('%j is read as %j', (text, headers) => {
  expect(otlpHeaders(text)).toEqual(headers);
});

test.each(['novalue', '=x', 'a b=c', 'a=%zz'])('%j is refused without being shown', (text) => {
  const refused = () => otlpHeaders(text);
  expect(refused).toThrow(CallError);
  expect(refused).not.toThrow(text);
});
