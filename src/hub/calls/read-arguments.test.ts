import { expect, test } from 'vitest';
import { checkArguments } from './read-arguments.ts';

const SCHEMA = {
  type: 'object',
  properties: { path: { type: 'string' }, depth: { type: 'integer' }, deep: { type: 'object' } },
  required: ['path'],
};

test('arguments that fit are passed on as they are', () => {
  const args = { path: '/', depth: 2, more: [1] };
  expect(checkArguments(SCHEMA, args)).toBe(args);
});

test('null for an optional argument is passed on', () => {
  const args = { path: '/', depth: null };
  expect(checkArguments(SCHEMA, args)).toBe(args);
});

test.each([
  ['a missing argument', 'path', { depth: 1 }],
  ['a required argument that is null', 'path', { path: null }],
  ['an argument of another type', 'depth', { path: '/', depth: 'two' }],
])('the error names %s', (_what, field, args) => {
  expect(() => checkArguments(SCHEMA, args)).toThrowError(
    expect.objectContaining({ class: 'validation', field }),
  );
});

test('a schema that is none refuses nothing', () => {
  for (const schema of [{}, { type: 7 }, { $ref: 'https://schema.example/x' }]) {
    expect(checkArguments(schema, { a: 1 })).toEqual({ a: 1 });
  }
});
