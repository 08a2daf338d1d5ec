import { describe, expect, test } from 'vitest';
import type { Json, JsonObject } from '#core/json/json.ts';
import { toMoonshotSchema } from './moonshot-schema.ts';
import { problemsOf } from './moonshot-rules.fixture.ts';

const many = (count: number) => Array.from({ length: count }, (_, at) => at);
const object = (entries: readonly (readonly [string, Json])[]): JsonObject =>
  Object.fromEntries(entries);
const deep = (levels: number, leaf: string): Json =>
  JSON.parse(
    '{"type":"object","properties":{"a":'.repeat(levels) + leaf + '}}'.repeat(levels),
  ) as Json;
const nested = (levels: number): Json =>
  JSON.parse('['.repeat(levels) + ']'.repeat(levels)) as Json;

describe('a schema of any size is written in proportion, whatever it holds', () => {
  test.each<[string, JsonObject]>([
    [
      'an enum of 100,000 values',
      { type: 'object', properties: { a: { enum: many(100_000).map((at) => `v${at}`) } } },
    ],
    [
      'an enum of 100,000 numbers',
      { type: 'object', properties: { a: { enum: many(100_000).map((at) => at / 2) } } },
    ],
    [
      '8,000 definitions whose names collide',
      {
        type: 'object',
        properties: object(many(8_000).map((at) => [`p${at}`, { $ref: `#/$defs/%20${at}!` }])),
        $defs: object(many(8_000).map((at) => [` ${at}!`, { type: 'string' }])),
      },
    ],
    [
      '8,000 definitions of which only signs differ',
      {
        type: 'object',
        properties: object(
          many(8_000).map((at) => [`p${at}`, { $ref: `#/$defs/${'!'.repeat(at + 1)}` }]),
        ),
        $defs: object(many(8_000).map((at) => ['!'.repeat(at + 1), { type: 'string' }])),
      },
    ],
    [
      '19,000 choices at the root that share a member',
      { anyOf: many(19_000).map((at) => ({ properties: { a: { const: at } }, required: ['a'] })) },
    ],
    [
      '60,000 choices at the root',
      { anyOf: many(60_000).map((at) => ({ properties: { a: { const: at } } })) },
    ],
    [
      '3,000 choices beside 3,000 members',
      {
        type: 'object',
        properties: {
          a: {
            type: 'object',
            properties: object(many(3_000).map((at) => [`p${at}`, { type: 'string' }])),
            anyOf: many(3_000).map((at) => ({ required: [`p${at}`] })),
          },
        },
      },
    ],
    [
      '19,000 parts that each add a member',
      { allOf: many(19_000).map((at) => ({ properties: { [`p${at}`]: { type: 'string' } } })) },
    ],
    [
      'two deep parts of one shape',
      {
        allOf: [
          deep(20_000, '{"minimum":1}') as JsonObject,
          deep(20_000, '{"maximum":2}') as JsonObject,
        ],
      },
    ],
    [
      'a large definition that is taken in 10,000 times',
      {
        type: 'object',
        properties: object(
          many(10_000).map((at) => [`p${at}`, { $ref: '#/$defs/big', description: `Of ${at}` }]),
        ),
        $defs: {
          big: object([['type', 'string'], ...many(5_000).map((at) => [`x${at}`, at] as const)]),
        },
      },
    ],
    [
      'a large definition that 10,000 choices refer to',
      {
        anyOf: many(10_000).map(() => ({ $ref: '#/$defs/big' })),
        $defs: { big: object(many(5_000).map((at) => [`x${at}`, at])) },
      },
    ],
    [
      'parts that double with each step',
      {
        $ref: '#/$defs/d0',
        $defs: object(
          many(30).map((at) => [
            `d${at}`,
            { allOf: [{ $ref: `#/$defs/d${at + 1}` }, { $ref: `#/$defs/d${at + 1}` }] },
          ]),
        ),
      },
    ],
    [
      'values and defaults that cannot be serialised',
      {
        type: 'object',
        properties: {
          a: { type: 'string', default: nested(50_000) },
          b: { allOf: [{ enum: [nested(50_000), 'x'] }, { enum: ['x', nested(50_000)] }] },
        },
      },
    ],
  ])('%s', (_, schema) => {
    const written = toMoonshotSchema(schema);
    expect(written['type']).toBe('object');
    expect(problemsOf(written).slice(0, 3)).toEqual([]);
    expect(JSON.stringify(written).length).toBeLessThan(8_000_000);
  });
});
