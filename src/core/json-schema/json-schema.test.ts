import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createExaminer } from './json-schema.ts';

const said = (value: unknown, schema: unknown) => {
  const found = createExaminer(schema)(value).violation;
  return found && `${found.path} ${found.problem}`;
};

const person = {
  type: 'object',
  properties: {
    name: { type: 'string', minLength: 1, maxLength: 5 },
    age: { type: 'integer', minimum: 0, exclusiveMaximum: 150 },
    tags: { type: 'array', items: { type: 'string' }, minItems: 1, maxItems: 2, uniqueItems: true },
    born: { $ref: '#/$defs/day' },
  },
  required: ['name'],
  additionalProperties: false,
  $defs: { day: { type: 'string', pattern: String.raw`^\d{4}-\d{2}-\d{2}$` } },
};

describe('the first violation', () => {
  test.each([
    [{ name: 'Ada', age: 36, tags: ['x'], born: '1815-12-10' }, undefined],
    [[], '/ must be object'],
    [null, '/ must be object'],
    [{}, '/ must have "name"'],
    [{ name: '' }, '/name must have 1 characters at least'],
    [{ name: 'Augusta' }, '/name must have 5 characters at most'],
    [{ name: '👩‍🚀a' }, undefined],
    [{ name: 'Ada', age: 1.5 }, '/age must be integer'],
    [{ name: 'Ada', age: -1 }, '/age must be 0 at least'],
    [{ name: 'Ada', age: 150 }, '/age must be less than 150'],
    [{ name: 'Ada', tags: [] }, '/tags must have 1 items at least'],
    [{ name: 'Ada', tags: ['a', 'b', 'c'] }, '/tags must have 2 items at most'],
    [{ name: 'Ada', tags: ['a', 'a'] }, '/tags must have no item twice'],
    [{ name: 'Ada', tags: ['a', 1] }, '/tags/1 must be string'],
    [{ name: 'Ada', born: 'yesterday' }, '/born must match its pattern'],
    [{ name: 'Ada', secret: 1 }, '/ must have no members beside those that the schema names'],
    [
      JSON.parse('{"name":"Ada","__proto__":1}') as unknown,
      '/ must have no members beside those that the schema names',
    ],
  ])('of %j', (value, expected) => {
    expect(said(value, person)).toBe(expected);
  });

  test.each([
    ['a constant', 2, { const: 1 }, '/ must be the one value allowed'],
    ['a constant object', { a: [1] }, { const: { a: [1] } }, undefined],
    ['an enumeration', 'c', { enum: ['a', 'b'] }, '/ must be one of the 2 values allowed'],
    ['one of several types', true, { type: ['string', 'null'] }, '/ must be string or null'],
    ['null where it may be', null, { type: 'string', nullable: true }, undefined],
    ['a multiple', 0.3, { multipleOf: 0.1 }, undefined],
    ['no multiple', 0.35, { multipleOf: 0.1 }, '/ must be a multiple of 0.1'],
    [
      'a tuple',
      [1, 'b'],
      { prefixItems: [{ type: 'number' }], items: false },
      '/1 must not be there',
    ],
    ['an old tuple', ['a'], { items: [{ type: 'number' }] }, '/0 must be number'],
    ['all of several', 3, { allOf: [{ minimum: 1 }, { maximum: 2 }] }, '/ must be 2 at most'],
    ['any of several', 'x', { anyOf: [{ type: 'number' }, { type: 'string' }] }, undefined],
    [
      'none of several',
      true,
      { anyOf: [{ type: 'number' }, { type: 'string' }] },
      '/ must fit one of 2 alternatives',
    ],
    [
      'two of one',
      1,
      { oneOf: [{ type: 'number' }, { minimum: 0 }] },
      '/ must fit one of the alternatives only',
    ],
    ['what is excluded', 1, { not: { type: 'number' } }, '/ must not fit what the schema excludes'],
    ['a map', { x: 'a' }, { additionalProperties: { type: 'number' } }, '/* must be number'],
    [
      'names by pattern',
      { n_a: 'x' },
      { patternProperties: { '^n_': { type: 'number' } } },
      '/* must be number',
    ],
    ['too few members', {}, { minProperties: 1 }, '/ must have 1 members at least'],
    [
      'the nearest alternative',
      { kind: 'a', n: 'x' },
      { anyOf: [{ type: 'string' }, { properties: { n: { type: 'number' } } }] },
      '/n must be number',
    ],
  ])('knows %s', (_, value, schema, expected) => {
    expect(said(value, schema)).toBe(expected);
  });

  test('follows references into definitions and recursion', () => {
    const tree = {
      $ref: '#/$defs/node',
      $defs: {
        node: {
          type: 'object',
          properties: { left: { $ref: '#/$defs/node' }, value: { type: 'number' } },
          required: ['value'],
        },
      },
    };
    expect(said({ value: 1, left: { value: 2 } }, tree)).toBeUndefined();
    expect(said({ value: 1, left: { left: {} } }, tree)).toBe('/left must have "value"');
  });

  test('names nothing that only the answer has', () => {
    const schema = { additionalProperties: { additionalProperties: { type: 'number' } } };
    expect(said({ 'my secret': { 'is this': 'text' } }, schema)).toBe('/*/* must be number');
  });
});

describe('a pattern that cannot be run', () => {
  const unrunnable = { pattern: String.raw`^(.)\1$` };

  test.each([
    ['a text', 'ab', unrunnable, '/'],
    ['a member', { it: 'ab' }, { properties: { it: unrunnable } }, '/it'],
    ['what is excluded', 'ab', { not: unrunnable }, '/'],
    ['one of several', 'ab', { oneOf: [unrunnable, { type: 'string' }] }, '/'],
    ['names', { ab: 1 }, { patternProperties: { [unrunnable.pattern]: false } }, '/'],
  ])('asks nothing of %s, and is told', (_, value, schema, path) => {
    expect(createExaminer(schema)(value)).toEqual({
      violation: undefined,
      unchecked: { path, problem: 'has a back-reference or an octal escape' },
    });
  });

  test('is not reported for a value that it does not apply to', () => {
    const examine = createExaminer({ properties: { it: unrunnable } });
    expect(examine({ it: 'ab' }).unchecked).toBeDefined();
    expect(examine({ other: 'ab' }).unchecked).toBeUndefined();
  });
});

test('all values that one examiner is given share what it may cost', () => {
  const examine = createExaminer({ items: { type: 'number' } });
  const list = Array.from({ length: 60_000 }, (_, at) => at);
  const problems = [1, 2, 3].map(() => examine(list).violation?.problem);
  expect(problems).toEqual([undefined, undefined, 'is too large to be checked']);
});

const MUST_BE_THE_ONE = '/ must be the one value allowed';

/** Also deeper and wider than people write it. */
const anyJson: fc.Arbitrary<unknown> = fc.oneof(
  fc.jsonValue({ maxDepth: 8 }),
  fc
    .nat(30_000)
    .map((levels): unknown => JSON.parse('['.repeat(levels + 1) + ']'.repeat(levels + 1))),
  fc.nat(30_000).map((size) => Array.from({ length: size }, (_, at) => (at % 3 ? at : `t${at}`))),
  fc
    .nat(5_000)
    .map((size) => Object.fromEntries(Array.from({ length: size }, (_, at) => [at, {}]))),
);

const KEYWORDS = [
  'type',
  'const',
  'enum',
  'pattern',
  'required',
  'properties',
  'patternProperties',
  'additionalProperties',
  'items',
  'prefixItems',
  'anyOf',
  'oneOf',
  'allOf',
  'not',
  '$ref',
  'minLength',
  'uniqueItems',
  'multipleOf',
];
const anySchema: fc.Arbitrary<unknown> = fc.oneof(
  anyJson,
  fc.dictionary(
    fc.constantFrom(...KEYWORDS),
    fc.oneof(anyJson, fc.constant('#'), fc.constant('a*')),
  ),
);

describe('hostile schemas and values end soon', () => {
  test.each([
    ['a reference to itself', { $ref: '#' }],
    ['a reference to nowhere', { $ref: '#/a/b' }],
    ['a reference to elsewhere', { $ref: 'https://example.org/schema' }],
    ['a reference to a prototype', { $ref: '#/constructor/prototype' }],
    ['alternatives that double with each step', { anyOf: [{ $ref: '#' }, { $ref: '#' }] }],
    [
      'nonsense',
      { type: 7, properties: [], required: 'x', items: 'y', enum: {}, anyOf: {}, $ref: 1 },
    ],
    ['no schema', 'text'],
  ])('%s', (_, schema) => {
    expect(() => createExaminer(schema)({ a: [1] })).not.toThrow();
  });

  const many = (count: number) => Array.from({ length: count }, (_, at) => at);
  const named = (count: number, value: unknown) =>
    Object.fromEntries(many(count).map((at) => [`n${at}`, value]));
  const deep = (levels: number): unknown =>
    JSON.parse('{"a":'.repeat(levels) + '1' + '}'.repeat(levels));

  test.each<[string, unknown, unknown, string | undefined]>([
    [
      'a pattern that needs more stack than there is',
      'x'.repeat(5_000_000),
      { pattern: '^(?:x)*$' },
      undefined,
    ],
    ['a long list against a long enum', many(20_000), { items: { enum: many(20_000) } }, undefined],
    [
      'a long list of objects against an enum of objects',
      many(2_000).map((at) => ({ at })),
      { items: { enum: many(2_000).map((at) => ({ at: -1 - at })) } },
      '/0 must be one of the 2000 values allowed',
    ],
    [
      'a long list against a slow pattern',
      many(20_000).map(() => `${'a'.repeat(3_000)}!`),
      { items: { pattern: '^a*a*$' } },
      '/0 must match its pattern',
    ],
    [
      'many alternatives, each with a slow pattern',
      `${'a'.repeat(3_000)}!`,
      { anyOf: many(20_000).map((at) => ({ pattern: `^a*a*b{${at % 900}}$` })) },
      '/ is too large to be checked',
    ],
    [
      'many alternatives, each with many required names',
      { a: 1, ...named(2_000, 1) },
      {
        anyOf: many(2_000).map((at) => ({
          required: [...many(2_000).map((n) => `n${n}`), `missing${at}`],
        })),
      },
      '/ is too large to be checked',
    ],
    [
      'many alternatives that say nothing about many members',
      named(20_000, 1),
      { allOf: many(20_000).map(() => ({ properties: {} })) },
      '/ is too large to be checked',
    ],
    [
      'many alternatives that say nothing about many items',
      many(20_000),
      { allOf: many(20_000).map(() => ({ prefixItems: [{}] })) },
      undefined,
    ],
    [
      'many members against many patterns of names',
      named(2_000, 1),
      { patternProperties: Object.fromEntries(many(2_000).map((at) => [`^x${at}`, {}])) },
      '/ is too large to be checked',
    ],
    ['a deep value that must be another', deep(50_000), { const: deep(50_001) }, MUST_BE_THE_ONE],
    ['a type that is no text', 1, { type: [{ toString: 1 }, deep(20_000)] }, undefined],
    [
      'a long reference, often',
      many(20_000),
      { items: { $ref: `#/${'x/'.repeat(50_000)}` } },
      undefined,
    ],
  ])('%s', (_, value, schema, expected) => {
    expect(said(value, schema)).toBe(expected);
  });

  test('a value that is nested a hundred thousand times', () => {
    const value: unknown = JSON.parse('['.repeat(100_000) + ']'.repeat(100_000));
    const schema = { type: 'array', items: { $ref: '#' } };
    expect(said(value, schema)).toMatch(/is nested too deeply$/);
  });

  test('anything at all', () => {
    fc.assert(
      fc.property(anyJson, anySchema, (value, schema) => {
        const { violation } = createExaminer(schema)(value);
        if (violation === undefined) return;
        expect(violation.path).toMatch(/^\//);
        expect(violation.problem).toMatch(/^(?:must|is) /);
      }),
      { numRuns: 300 },
    );
  });
});
