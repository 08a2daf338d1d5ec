import fc from 'fast-check';
import { expect } from 'vitest';
import type { Json, JsonObject } from '#core/json/json.ts';
import { verifies } from '../../../../test/verifies.ts';
import { createExaminer } from '#core/json-schema/json-schema.ts';
import { problemsOf } from './moonshot-rules.fixture.ts';
import { toMoonshotSchema } from './moonshot-schema.ts';

const wrap = (node: Json): JsonObject => ({ type: 'object', properties: { it: node } });

const scalar = fc.oneof(
  fc.string({ maxLength: 4 }),
  fc.integer({ min: -9, max: 9 }),
  fc.boolean(),
  fc.constant(null),
);
const name = fc.constantFrom('a', 'b', 'c');

/** Schemas as people write them, each with a value that satisfies it. */
const sample = fc.letrec<{ pair: { schema: JsonObject; value: Json } }>((tie) => ({
  pair: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    scalar.map((value) => ({ schema: { const: value }, value })),
    fc
      .array(scalar, { minLength: 1, maxLength: 4 })
      .map((values) => ({ schema: { enum: values }, value: values[0] ?? null })),
    fc.string({ maxLength: 5 }).map((value) => ({
      schema: { type: 'string', minLength: value.length, format: 'x' },
      value,
    })),
    fc.integer({ min: -50, max: 50 }).map((value) => ({
      schema: { type: ['integer', 'null'], exclusiveMinimum: value - 1 },
      value,
    })),
    fc
      .double({ min: -9, max: 9, noNaN: true })
      .map((value) => ({ schema: { type: 'number', maximum: value }, value })),
    fc.dictionary(name, tie('pair')).map((members) => ({
      schema: {
        type: 'object',
        properties: Object.fromEntries(
          Object.entries(members).map(([key, { schema }]) => [key, schema]),
        ),
        required: Object.keys(members),
        additionalProperties: false,
      },
      value: Object.fromEntries(Object.entries(members).map(([key, { value }]) => [key, value])),
    })),
    fc.tuple(tie('pair'), fc.nat(3)).map(([{ schema, value }, length]) => ({
      schema: { type: 'array', items: schema },
      value: Array.from({ length }, () => value),
    })),
    fc.array(tie('pair'), { minLength: 1, maxLength: 3 }).map((pairs) => ({
      schema: { type: 'array', items: pairs.map(({ schema }) => schema) },
      value: pairs.map(({ value }) => value),
    })),
    fc
      .tuple(
        fc.constantFrom('anyOf', 'oneOf'),
        fc.array(tie('pair'), { minLength: 1, maxLength: 12 }),
      )
      .map(([key, pairs]) => ({
        schema: { [key]: pairs.map(({ schema }) => schema), description: 'd', default: null },
        value: pairs[0]?.value ?? null,
      })),
    tie('pair').map(({ schema, value }) => ({
      schema: { allOf: [schema, { title: 't' }] },
      value,
    })),
    tie('pair').map(({ schema, value }) => ({ schema: { anyOf: [schema, { $ref: '#' }] }, value })),
  ),
}));

const anyJson = fc.jsonValue({ maxDepth: 6 }) as fc.Arbitrary<Json>;
const KEYWORDS =
  'type properties required additionalProperties patternProperties items prefixItems anyOf oneOf allOf enum const $ref $defs minimum maximum minLength default description';
const keyword = fc.constantFrom(...KEYWORDS.split(' '));
const junk = fc.letrec<{ node: Json }>((tie) => ({
  node: fc.oneof(
    { depthSize: 'small' },
    anyJson,
    fc.constantFrom<Json>(
      'string',
      'object',
      'array',
      '#',
      '#/$defs/a',
      '#/properties/a',
      '__proto__',
    ),
    fc.array(tie('node'), { maxLength: 4 }),
    fc.dictionary(fc.oneof(keyword, name), tie('node'), { maxKeys: 5 }),
  ),
})).node;

verifies(
  'provider:facts',
  'Kimi schema: any JSON becomes a schema that keeps every rule of the flavour, and once is enough',
  () => {
    fc.assert(
      fc.property(fc.dictionary(fc.oneof(keyword, name), junk, { maxKeys: 6 }), (schema) => {
        const once = toMoonshotSchema(schema);
        expect(problemsOf(once)).toEqual([]);
        expect(toMoonshotSchema(once)).toEqual(once);
      }),
      { numRuns: 2_000 },
    );
  },
);

verifies('provider:facts', 'Kimi schema: what satisfied a schema still does', () => {
  fc.assert(
    fc.property(sample.pair, ({ schema, value }) => {
      const root = wrap(schema);
      fc.pre(createExaminer(root)({ it: value }).violation === undefined);
      const once = toMoonshotSchema(root);
      expect(problemsOf(once)).toEqual([]);
      expect(createExaminer(once)({ it: value }).violation).toBeUndefined();
      expect(toMoonshotSchema(once)).toEqual(once);
    }),
    { numRuns: 2_000 },
  );
});
