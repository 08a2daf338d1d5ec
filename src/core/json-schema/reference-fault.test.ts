import { expect, test } from 'vitest';
import { referenceFaultIn } from './reference-fault.ts';
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
  expect(referenceFaultIn(schema)).toEqual({ is: 'endless', path: place });
});

test.each<[string, object]>([
  ['a tree', { properties: { left: { $ref: '#' }, right: { $ref: '#' } } }],
  ['a list of itself', { type: 'array', items: { $ref: '#' } }],
  ['a tree or nothing', { anyOf: [{ type: 'null' }, { properties: { next: { $ref: '#' } } }] }],
  ['an alternative that ends', { anyOf: [{ type: 'string' }, { $ref: '#' }] }],
  ['a chain', chain(50)],
  ['steps that double', doubling(10, { type: 'string' })],
  ['a reference to a boolean schema', { $ref: '#/$defs/any', $defs: { any: true } }],
  ['a name with a slash', { $ref: '#/$defs/a~1b', $defs: { 'a/b': {} } }],
  ['a name with escapes of URLs', { $ref: '#/$defs/List%3Ca%2Fb%3E', $defs: { 'List<a/b>': {} } }],
  ['a name with a percent sign', { $ref: '#/$defs/100%', $defs: { '100%': {} } }],
  [
    'a reference within a schema with an $id',
    { $defs: { a: { $id: 'a.json', items: { $ref: '#/$defs/b' }, $defs: { b: {} } } } },
  ],
  ['a reference in a value', { enum: [{ $ref: '#/a' }], default: { $ref: '#/a' } }],
  ['a reference to elsewhere', { $ref: 'https://example.org/schema' }],
  ['a member with the name of a keyword', { properties: { $ref: { type: 'string' } } }],
])('%s has no fault', (_, schema) => {
  expect(referenceFaultIn(schema)).toBeUndefined();
});

test.each<[string, object, string]>([
  ['a definition that is not there', { $ref: '#/$defs/a' }, '.$ref'],
  ['a list', { $ref: '#/allOf', allOf: [{}] }, '.$ref'],
  ['a text', { $ref: '#/title', title: 'A' }, '.$ref'],
  ['what every object inherits', { items: { $ref: '#/constructor' } }, '.items.$ref'],
  ['a wrong escape', { $ref: '#/$defs/%zz', $defs: { zz: {} } }, '.$ref'],
  [
    'a definition that is not there, for a member',
    { properties: { x: { $ref: '#/$defs/nosuch' } } },
    '.properties.x.$ref',
  ],
  [
    'a definition that is not there, in an alternative',
    { anyOf: [{ type: 'string' }, { $ref: '#/$defs/nosuch' }] },
    '.anyOf.1.$ref',
  ],
])('a reference to %s is dangling', (_, schema, path) => {
  expect(referenceFaultIn(schema)).toEqual({ is: 'dangling', path });
});

test('no value fits a schema that is endless, and is checked in full', () => {
  const { violation } = createExaminer({ $ref: '#' })({});
  expect(violation?.problem).toBe('is nested too deeply');
});

test('steps that double end soon, although nothing is known of them before', () => {
  expect(referenceFaultIn(doubling(1000, { $ref: '#' }))?.is).toBe('endless');
});

test('a schema with many members has no fault', () => {
  const properties = Object.fromEntries(
    Array.from({ length: 20_000 }, (_, at) => [`p${at}`, { anyOf: [{ type: 'string' }] }]),
  );
  expect(referenceFaultIn({ properties })).toBeUndefined();
});

test('alternatives that are endless for many members end soon, and what dangles is still found', () => {
  const named = (prefix: string, of: (at: number) => unknown) =>
    Object.fromEntries(Array.from({ length: 5000 }, (_, at) => [`${prefix}${at}`, of(at)]));
  let reads = 0;
  const loop = {
    get $ref() {
      reads += 1;
      return '#/x/loop';
    },
  };
  const schema = {
    x: {
      loop,
      many: { anyOf: Array.from({ length: 90 }, () => loop) },
      ...named('a', () => ({ anyOf: [{ $ref: '#/x/many' }, { type: 'string' }] })),
    },
    properties: { dangling: { $ref: '#/x/b' }, ...named('p', (at) => ({ $ref: `#/x/a${at}` })) },
  };
  expect(referenceFaultIn(schema)).toEqual({ is: 'dangling', path: '.properties.dangling.$ref' });
  expect(reads).toBeLessThan(50_000);
});
