import { describe, expect, test } from 'vitest';
import { readAnswerSchema, readArgumentsSchema } from './read-schema.ts';
import { errorClassAndField } from './thrown-error.fixture.ts';

describe('the schema of an answer', () => {
  test.each([
    {},
    { type: 'array', items: {} },
    { type: ['object', 'null'], properties: { a: {} }, required: ['a'] },
    { properties: null, required: null },
    { properties: { next: { $ref: '#' } } },
  ])('%j is taken as it is', (schema) => {
    expect(readAnswerSchema(schema, 'f')).toBe(schema);
  });

  test.each<[unknown, string]>([
    [undefined, 'f'],
    ['{}', 'f'],
    [{ type: 'map' }, 'f.type'],
    [{ type: null }, 'f.type'],
    [{ type: ['object', 5] }, 'f.type'],
    [{ properties: [] }, 'f.properties'],
    [{ required: 'a' }, 'f.required'],
    [{ required: [1] }, 'f.required'],
    [{ $ref: '#' }, 'f'],
    [{ properties: { a: { $ref: '#/properties/a' } } }, 'f.properties.a'],
    [
      { items: { $ref: '#/$defs/a' }, $defs: { a: { allOf: [{ $ref: '#/$defs/a' }] } } },
      'f.$defs.a',
    ],
    [{ properties: { x: { $ref: '#/$defs/nosuch' } } }, 'f.properties.x.$ref'],
  ])('%j is refused for %s', (schema, field) => {
    expect(errorClassAndField(() => readAnswerSchema(schema, 'f'))).toBe(`validation ${field}`);
  });
});

describe('the schema of what a tool takes', () => {
  test.each([
    {},
    { type: 'object' },
    { properties: { a: {} } },
    { properties: { next: { $ref: '#' } } },
    { properties: { a: { $ref: 'https://example.org/schema' } } },
  ])('%j is taken', (schema) => {
    expect(readArgumentsSchema(schema, 'read', 'f')).toBe(schema);
  });

  test.each([undefined, [], 'object', { type: 'string' }, { properties: [] }])(
    '%j is refused, as arguments are an object',
    (schema) => {
      expect(errorClassAndField(() => readArgumentsSchema(schema, 'read', 'f'))).toBe(
        'validation f',
      );
    },
  );

  test.each<[unknown, string]>([
    [{ $ref: '#' }, 'f'],
    [{ type: 'object', properties: { a: { $ref: '#/properties/a' } } }, 'f.properties.a'],
    [{ properties: { x: { $ref: '#/$defs/nosuch' } } }, 'f.properties.x.$ref'],
  ])('%j is refused for %s', (schema, field) => {
    expect(errorClassAndField(() => readArgumentsSchema(schema, 'read', 'f'))).toBe(
      `validation ${field}`,
    );
  });
});
