import { describe, expect, test } from 'vitest';
import type { Json, JsonObject } from '#core/json/json.ts';
import { problemsOf } from './moonshot-rules.fixture.ts';
import { toMoonshotSchema } from './moonshot-schema.ts';

const wrap = (node: Json): JsonObject => ({ type: 'object', properties: { it: node } });
const written = (node: Json): unknown =>
  (toMoonshotSchema(wrap(node))['properties'] as JsonObject)['it'];

const ANYTHING = ['string', 'number', 'boolean', 'object', 'array', 'null'].map((type) => ({
  type,
}));

describe('every nested node has a type, which Kimi asks for', () => {
  test.each<[string, Json, unknown]>([
    ['values alone', { enum: ['a', 'b'] }, { type: 'string', enum: ['a', 'b'] }],
    ['whole values', { enum: [1, 2] }, { type: 'integer', enum: [1, 2] }],
    ['numbers', { enum: [1, 2.5] }, { type: 'number', enum: [1, 2.5] }],
    [
      'values of several types',
      { enum: ['a', 1, null] },
      {
        anyOf: [{ type: 'string', enum: ['a'] }, { type: 'integer', enum: [1] }, { type: 'null' }],
      },
    ],
    [
      'values that their type forbids',
      { type: 'string', enum: ['a', null] },
      { type: 'string', enum: ['a'] },
    ],
    [
      'one value',
      { const: 'a', description: 'd' },
      { type: 'string', enum: ['a'], description: 'd' },
    ],
    ['an object as value', { const: { a: 1 } }, { type: 'object' }],
    ['nothing', {}, { anyOf: ANYTHING }],
    ['words alone', { description: 'd' }, { anyOf: ANYTHING, description: 'd' }],
    ['true', true, { anyOf: ANYTHING }],
    ['a type nobody knows', { type: 'any' }, { anyOf: ANYTHING }],
    [
      'members',
      { properties: { a: { type: 'string' } } },
      { type: 'object', properties: { a: { type: 'string' } } },
    ],
    ['elements', { items: { type: 'string' } }, { type: 'array', items: { type: 'string' } }],
    ['lengths', { minLength: 1 }, { type: 'string', minLength: 1 }],
    [
      'two types',
      { type: ['string', 'null'], minLength: 1, description: 'd' },
      {
        anyOf: [{ type: 'string', minLength: 1 }, { type: 'null' }],
        description: 'd',
      },
    ],
  ])('%s', (_, node, expected) => {
    expect(written(node)).toEqual(expected);
  });
});

describe('choices', () => {
  test('a type beside anyOf moves into the branches', () => {
    expect(
      written({ type: 'string', anyOf: [{ minLength: 3 }, { maxLength: 1 }], title: 't' }),
    ).toEqual({
      anyOf: [
        { type: 'string', minLength: 3 },
        { type: 'string', maxLength: 1 },
      ],
      title: 't',
    });
  });

  test('what stands beside a choice holds for each branch, and a branch it rules out is gone', () => {
    const node = {
      type: 'object',
      properties: { a: { type: 'string' } },
      anyOf: [
        { required: ['a'] },
        { properties: { b: { type: 'integer' } }, required: ['b'] },
        { type: 'null' },
      ],
    };
    expect(written(node)).toEqual({
      anyOf: [
        { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] },
        {
          type: 'object',
          properties: { b: { type: 'integer' }, a: { type: 'string' } },
          required: ['b'],
        },
      ],
    });
  });

  test('oneOf is a choice, allOf one schema', () => {
    expect(written({ oneOf: [{ type: 'string' }, { type: 'null' }] })).toEqual({
      anyOf: [{ type: 'string' }, { type: 'null' }],
    });
    const all = [
      { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] },
      { properties: { b: { minimum: 1 } }, required: ['b'] },
    ];
    expect(written({ allOf: all })).toEqual({
      type: 'object',
      properties: { a: { type: 'string' }, b: { type: 'number', minimum: 1 } },
      required: ['a', 'b'],
    });
  });

  test('more than ten branches are put into groups', () => {
    const node = {
      anyOf: Array.from({ length: 23 }, (_, n) => ({ type: 'string', minLength: n })),
    };
    const { anyOf } = written(node) as { anyOf: { anyOf?: unknown[] }[] };
    expect(anyOf.length).toBeLessThanOrEqual(10);
    expect(anyOf.flatMap((group) => group.anyOf ?? [group])).toHaveLength(23);
  });
});

test('a tuple in items becomes prefixItems', () => {
  const tuple = {
    type: 'array',
    items: [{ type: 'string' }, { enum: [1] }],
    additionalItems: false,
  };
  expect(written(tuple)).toEqual({
    type: 'array',
    prefixItems: [{ type: 'string' }, { type: 'integer', enum: [1] }],
  });
});

test('what the flavour cannot say stands in the description', () => {
  const node = { type: 'string', format: 'date-time', pattern: '^2', description: 'When.' };
  expect(written(node)).toEqual({
    type: 'string',
    description: 'When. Format: date-time. Pattern: ^2.',
  });
  expect(
    written({ type: 'array', items: { type: 'string' }, default: [], uniqueItems: true }),
  ).toEqual({
    type: 'array',
    items: { type: 'string' },
    description: 'No element twice. Default: [].',
  });
  expect(written({ type: 'integer', exclusiveMinimum: 0, maximum: 9.5, default: 3 })).toEqual({
    type: 'integer',
    minimum: 1,
    maximum: 9,
    default: 3,
  });
});

test('limits that contradict each other or cannot be written are left out', () => {
  expect(written({ type: 'integer', minimum: 5, maximum: 1 })).toEqual({ type: 'integer' });
  expect(written({ type: 'number', minimum: 1e-9, maximum: 1e30 })).toEqual({ type: 'number' });
  expect(written({ type: 'string', minLength: -1, maxLength: 1.5 })).toEqual({ type: 'string' });
});

test('names that are required are declared', () => {
  expect(written({ type: 'object', required: ['a', 'a', 7] })).toEqual({
    type: 'object',
    properties: { a: { anyOf: ANYTHING } },
    required: ['a'],
  });
});

describe('the root is an object', () => {
  test.each<[string, JsonObject, JsonObject]>([
    ['nothing', {}, { type: 'object' }],
    ['another type', { type: 'string' }, { type: 'object' }],
    ['values', { enum: ['a'] }, { type: 'object' }],
    [
      'two types',
      { type: ['object', 'null'], properties: { a: true } },
      {
        type: 'object',
        properties: { a: { anyOf: ANYTHING } },
      },
    ],
  ])('%s', (_, schema, expected) => {
    expect(toMoonshotSchema(schema)).toEqual(expected);
  });

  test('a choice at the root becomes one object with the members of all', () => {
    const schema = {
      type: 'object',
      description: 'One of them.',
      anyOf: [
        {
          properties: { name: { type: 'string' }, text: { type: 'string' } },
          required: ['name', 'text'],
        },
        {
          properties: { name: { type: 'string' }, url: { type: 'string' } },
          required: ['name', 'url'],
        },
      ],
    };
    expect(toMoonshotSchema(schema)).toEqual({
      type: 'object',
      description: 'One of them.',
      properties: { name: { type: 'string' }, text: { type: 'string' }, url: { type: 'string' } },
      required: ['name'],
    });
  });

  test('a reference at the root is followed', () => {
    const schema = { $ref: '#/definitions/Ask', definitions: { Ask: wrap({ type: 'string' }) } };
    expect(toMoonshotSchema(schema)).toEqual(wrap({ type: 'string' }));
  });
});

describe('references', () => {
  test('stay, into $defs at the root; unused definitions are dropped', () => {
    const schema = {
      ...wrap({ $ref: '#/definitions/a~1b' }),
      definitions: { 'a/b': { enum: ['x'] }, unused: { type: 'string' } },
    };
    expect(toMoonshotSchema(schema)).toEqual({
      ...wrap({ $ref: '#/$defs/a_b' }),
      $defs: { a_b: { type: 'string', enum: ['x'] } },
    });
  });

  test('one with its own description is inlined, because nothing may stand beside it', () => {
    const schema = {
      ...wrap({ $ref: '#/$defs/Colour', description: 'Of the door.' }),
      $defs: { Colour: { enum: ['red'], description: 'A colour.' } },
    };
    expect(toMoonshotSchema(schema)).toEqual(
      wrap({ type: 'string', enum: ['red'], description: 'Of the door.' }),
    );
  });

  test('a schema that refers to itself still does', () => {
    const tree = {
      type: 'object',
      properties: {
        children: { type: 'array', items: { $ref: '#/$defs/Tree', description: 'More.' } },
      },
    };
    const list = {
      type: 'object',
      properties: { next: { anyOf: [{ $ref: '#' }, { type: 'null' }] } },
    };
    const wide = toMoonshotSchema({ ...wrap({ $ref: '#/$defs/Tree' }), $defs: { Tree: tree } });
    expect(problemsOf(wide)).toEqual([]);
    expect(toMoonshotSchema(wide)).toEqual(wide);
    expect(toMoonshotSchema(list)).toEqual(list);
  });

  test.each<[string, JsonObject]>([
    ['outside', wrap({ $ref: 'https://example.com/x.json' })],
    ['nowhere', wrap({ $ref: '#/$defs/none' })],
    [
      'in a circle',
      {
        ...wrap({ $ref: '#/$defs/a' }),
        $defs: { a: { $ref: '#/$defs/b' }, b: { $ref: '#/$defs/a' } },
      },
    ],
    ['to a prototype', wrap({ $ref: '#/__proto__' })],
  ])('one that leads %s allows anything', (_, schema) => {
    expect(toMoonshotSchema(schema)).toEqual(wrap({ anyOf: ANYTHING }));
  });

  test('an allOf that takes in itself ends', () => {
    const schema = {
      ...wrap({ $ref: '#/$defs/a' }),
      $defs: { a: { type: 'object', allOf: [{ $ref: '#/$defs/a' }, { required: ['x'] }] } },
    };
    expect(problemsOf(toMoonshotSchema(schema))).toEqual([]);
  });
});

test('members called like members of every object stay what they are', () => {
  const schema = JSON.parse(
    '{"type":"object","properties":{"__proto__":{"type":"string"},"constructor":{"enum":[1]}},"required":["__proto__"]}',
  ) as JsonObject;
  expect(JSON.stringify(toMoonshotSchema(schema))).toBe(
    '{"type":"object","properties":{"__proto__":{"type":"string"},"constructor":{"type":"integer","enum":[1]}},"required":["__proto__"]}',
  );
});

test('a schema as deep or as wide as they come takes bounded time and room', () => {
  let deep: JsonObject = { type: 'string' };
  for (let level = 0; level < 5_000; level += 1) deep = { type: 'array', items: deep };
  expect(problemsOf(toMoonshotSchema(wrap(deep)))).toEqual([]);
  const double = (n: number): JsonObject => ({
    type: 'object',
    properties: {
      a: { $ref: `#/$defs/d${n + 1}`, description: 'a' },
      b: { $ref: `#/$defs/d${n + 1}`, description: 'b' },
    },
    allOf: [{ $ref: `#/$defs/d${n + 1}` }, { $ref: `#/$defs/d${n + 1}` }],
  });
  const defs = Object.fromEntries(Array.from({ length: 60 }, (_, n) => [`d${n}`, double(n)]));
  const result = toMoonshotSchema({ ...wrap({ $ref: '#/$defs/d0' }), $defs: defs });
  expect(problemsOf(result)).toEqual([]);
  expect(JSON.stringify(result).length).toBeLessThan(10_000_000);
});
