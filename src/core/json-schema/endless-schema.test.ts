import { expect, test } from 'vitest';
import { endlessSchemaIn } from './endless-schema.ts';
import { createExaminer } from './json-schema.ts';

/** Each refers to the next, the last to a text. */
const chain = (length: number) => ({
  $ref: '#/$defs/a0',
  $defs: {
    ...Object.fromEntries(
      Array.from({ length }, (_, at) => [`a${at}`, { $ref: `#/$defs/a${at + 1}` }]),
    ),
    [`a${length}`]: { type: 'string' },
  },
});

/** Alternatives that double at each step. */
const doubling = (steps: number, last: object) => ({
  $ref: '#/$defs/a0',
  $defs: {
    ...Object.fromEntries(
      Array.from({ length: steps }, (_, at) => {
        const next = { $ref: `#/$defs/a${at + 1}` };
        return [`a${at}`, { allOf: [next, next] }];
      }),
    ),
    [`a${steps}`]: last,
  },
});

test.each<[string, object, string]>([
  ['itself', { $ref: '#' }, ''],
  ['itself, beside a type', { type: 'object', $ref: '#' }, ''],
  ['itself within allOf', { allOf: [{ type: 'object' }, { allOf: [{ $ref: '#' }] }] }, ''],
  ['itself in every alternative', { anyOf: [{ $ref: '#' }, { $ref: '#/anyOf/0' }] }, ''],
  [
    'a member that refers to itself',
    { properties: { a: { $ref: '#/properties/a' } } },
    '.properties.a',
  ],
  ['items that refer to themselves', { items: { $ref: '#/items' } }, '.items'],
  [
    'two that refer to each other',
    {
      items: { oneOf: [{ $ref: '#/$defs/a' }] },
      $defs: { a: { $ref: '#/$defs/b' }, b: { $ref: '#/$defs/a' } },
    },
    '.$defs.b',
  ],
  ['too many others', chain(300), ''],
])('a schema that refers to %s is endless', (_, schema, place) => {
  expect(endlessSchemaIn(schema)).toBe(place);
});

test.each<[string, object]>([
  ['a tree', { properties: { left: { $ref: '#' }, right: { $ref: '#' } } }],
  ['a list of itself', { type: 'array', items: { $ref: '#' } }],
  ['a tree or nothing', { anyOf: [{ type: 'null' }, { properties: { next: { $ref: '#' } } }] }],
  ['an alternative that ends', { anyOf: [{ type: 'string' }, { $ref: '#' }] }],
  ['a chain', chain(50)],
  ['steps that double', doubling(10, { type: 'string' })],
  ['a reference to nowhere', { $ref: '#/a/b' }],
  ['a reference to elsewhere', { $ref: 'https://example.org/schema' }],
  ['a member with the name of a keyword', { properties: { $ref: { type: 'string' } } }],
])('%s is not endless', (_, schema) => {
  expect(endlessSchemaIn(schema)).toBeUndefined();
});

test('no value fits a schema that is endless, and is checked in full', () => {
  const { violation } = createExaminer({ $ref: '#' })({});
  expect(violation?.problem).toBe('is nested too deeply');
});

test('steps that double end soon, although nothing is known of them before', () => {
  expect(endlessSchemaIn(doubling(1000, { $ref: '#' }))).toBe('');
});

test('a schema with many members is not endless', () => {
  const properties = Object.fromEntries(
    Array.from({ length: 20_000 }, (_, at) => [`p${at}`, { anyOf: [{ type: 'string' }] }]),
  );
  expect(endlessSchemaIn({ properties })).toBeUndefined();
});
