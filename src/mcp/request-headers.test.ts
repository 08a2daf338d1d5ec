import { expect, test } from 'vitest';
import { argumentHeaders, hasInvalidMirrors } from './request-headers.ts';

const marked = (...properties: readonly object[]) => ({
  type: 'object',
  properties: Object.fromEntries(properties.map((each, index) => [`argument${index}`, each])),
});

test.each([
  ['none', marked({ type: 'string' })],
  ['a text', marked({ type: 'string', 'x-mcp-header': 'Region' })],
  [
    'two',
    marked({ type: 'integer', 'x-mcp-header': 'A' }, { type: 'boolean', 'x-mcp-header': 'B' }),
  ],
])('marks of arguments are valid: %s', (_about, schema) => {
  expect(hasInvalidMirrors(schema)).toBe(false);
});

test.each([
  ['an empty name', { type: 'string', 'x-mcp-header': '' }],
  ['a space', { type: 'string', 'x-mcp-header': 'My Region' }],
  ['a line break', { type: 'string', 'x-mcp-header': 'A\r\nB' }],
  ['a number', { type: 'number', 'x-mcp-header': 'Score' }],
  ['an object', { type: 'object', 'x-mcp-header': 'Data' }],
  ['no type', { 'x-mcp-header': 'Data' }],
  ['a name that is no text', { type: 'string', 'x-mcp-header': 1 }],
  ['one inside', marked({ type: 'string', 'x-mcp-header': '' })],
])('marks of arguments are refused: %s', (_about, property) => {
  expect(hasInvalidMirrors(marked({ type: 'string', 'x-mcp-header': 'Good' }, property))).toBe(
    true,
  );
});

test('one name for two arguments is refused, also in other letters', () => {
  const twice = (one: string, other: string) =>
    marked({ type: 'string', 'x-mcp-header': one }, { type: 'string', 'x-mcp-header': other });
  expect(hasInvalidMirrors(twice('Region', 'Region'))).toBe(true);
  expect(hasInvalidMirrors(twice('MyField', 'myfield'))).toBe(true);
});

test('arguments without a value are in no header', () => {
  const schema = marked(
    { type: 'string', 'x-mcp-header': 'A' },
    { type: 'boolean', 'x-mcp-header': 'B' },
  );
  const headers = argumentHeaders(schema, { argument0: null, argument1: false });
  expect(headers).toEqual({ 'mcp-param-b': 'false' });
});
