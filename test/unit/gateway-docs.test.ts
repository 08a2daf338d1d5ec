import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { verifies } from '../verifies.ts';
import { ERROR_CLASSES, ERROR_POLICY, type ErrorClass } from '#core/errors/error-class.ts';
import { createExaminer } from '#core/json-schema/json-schema.ts';
import { makePlan } from '#manager/route/plan.ts';
import { ANTHROPIC_ERRORS } from '#transport/anthropic/errors.ts';
import { OPENAI_ERRORS, openAiErrorResponse } from '#transport/openai/errors.ts';
import { sketchFacts, sketchRoutingState } from '../cases/routing-sketch.ts';

const page = readFileSync('docs/gateway.md', 'utf8');

const words = (cell = '') => [...cell.matchAll(/`([a-z_]+)`/g)].map(([, word = '']) => word);

/** By class: what the page says of it for OpenAI's clients and for Anthropic's. */
function documented() {
  const [, section = ''] = /\n## Errors\n([\s\S]*?)\n## /.exec(page) ?? [];
  const rows = section.split('\n').filter((line) => line.startsWith('| `'));
  return new Map(
    rows.flatMap((row) => {
      const [, classes, openai = '', anthropic = ''] = row.split('|');
      return words(classes).map((name) => {
        const [type, code = name] = words(openai);
        const [otherType] = words(anthropic);
        const statuses = [openai, anthropic].map((cell) => Number.parseInt(cell, 10));
        return [name, { statuses, type, code, otherType }] as const;
      });
    }),
  );
}

function real(name: ErrorClass) {
  const { type, code, status = ERROR_POLICY[name].status } = OPENAI_ERRORS[name];
  const other = ANTHROPIC_ERRORS[name];
  return { statuses: [status, other.status], type, code, otherType: other.type };
}

verifies(
  'gateway:docs',
  'docs/gateway.md names every class of failure as the gateway tells it',
  () => {
    const told = documented();
    expect([...told.keys()].toSorted()).toEqual(ERROR_CLASSES.toSorted());
    for (const name of ERROR_CLASSES) expect([name, told.get(name)]).toEqual([name, real(name)]);
  },
);

test('docs/gateway.md quotes the error without a provider as it is', () => {
  const facts = sketchFacts({ tool: 'gateway_chat', lastResort: 'none' });
  const planned = makePlan(facts, sketchRoutingState({ keys: [] }));
  if (!('error' in planned)) throw new Error('A model can answer');
  const { status, body } = openAiErrorResponse(planned.error, 'req_1');
  const { error } = JSON.parse(body) as { error: { message: string } };
  expect(status).toBe(503);
  expect(page).toContain(JSON.stringify(error.message));
});

test('more tools than any model takes are an error of the request, with or without all keys', () => {
  const facts = sketchFacts({ tool: 'gateway_chat', lastResort: 'none', tools: 1100 });
  for (const keys of [['kimi', 'glm'], ['glm']] as const) {
    const planned = makePlan(facts, sketchRoutingState({ keys }));
    if (!('error' in planned)) throw new Error('A model can answer');
    const { status, body } = openAiErrorResponse(planned.error, 'req_1');
    expect(status).toBe(400);
    expect(JSON.parse(body)).toMatchObject({
      error: { param: 'tools', message: expect.stringMatching(/Give fewer tools\.$/) as string },
    });
  }
});

test('docs/gateway.md links to pages that are there', () => {
  const links = [...page.matchAll(/\]\(([a-z-]+\.md)(?:#[a-z-]+)?\)/g)].map(([, file]) => file);
  expect(links.length).toBeGreaterThan(0);
  for (const file of new Set(links)) expect(readFileSync(`docs/${file}`, 'utf8')).toMatch(/^# /);
});

/** A schema for each keyword, and a value that the keyword forbids. */
const UNCHECKED: readonly (readonly [keyword: string, schema: object, value: unknown])[] = [
  ['format', { format: 'date' }, 'never'],
  ['if', JSON.parse('{"if":true,"then":false}') as object, 1],
  ['then', JSON.parse('{"if":true,"then":{"type":"string"}}') as object, 1],
  ['else', { if: false, else: { type: 'string' } }, 1],
  ['contains', { contains: { type: 'string' } }, [1]],
  ['minContains', { contains: { type: 'number' }, minContains: 2 }, [1]],
  ['maxContains', { contains: { type: 'number' }, maxContains: 1 }, [1, 2]],
  ['propertyNames', { propertyNames: { maxLength: 1 } }, { ab: 1 }],
  ['dependentRequired', { dependentRequired: { a: ['b'] } }, { a: 1 }],
  ['dependentSchemas', { dependentSchemas: { a: { required: ['b'] } } }, { a: 1 }],
  ['dependencies', { dependencies: { a: ['b'] } }, { a: 1 }],
  ['unevaluatedProperties', { unevaluatedProperties: false }, { a: 1 }],
  ['unevaluatedItems', { unevaluatedItems: false }, [1]],
  ['contentEncoding', { contentEncoding: 'base64' }, '%'],
  ['contentMediaType', { contentMediaType: 'application/json' }, '{'],
  [
    'contentSchema',
    { contentMediaType: 'application/json', contentSchema: { type: 'object' } },
    '[]',
  ],
  ['$dynamicRef', { $defs: { a: { $dynamicAnchor: 'a', type: 'string' } }, $dynamicRef: '#a' }, 1],
  ['$recursiveRef', { type: 'object', properties: { a: { $recursiveRef: '#' } } }, { a: 1 }],
  ['$ref', { $defs: { a: { $anchor: 'a', type: 'string' } }, $ref: '#a' }, 1],
  ['uniqueItems', { uniqueItems: true }, [{ a: 1 }, { a: 1 }]],
];

const [, uncheckedText = ''] = /\n(Not checked of a JSON schema[\s\S]*?)\n\n/.exec(page) ?? [];

test.each(UNCHECKED)('docs/gateway.md says that %s is not checked', (keyword, schema, value) => {
  expect(createExaminer(schema)(value).violation).toBeUndefined();
  expect(uncheckedText).toContain(`\`${keyword}\``);
});

test('docs/gateway.md names no other keyword as not checked', () => {
  const named = [...uncheckedText.matchAll(/`(\$?[a-zA-Z]+)`/g)].map(([, keyword]) => keyword);
  expect(named).toEqual(UNCHECKED.map(([keyword]) => keyword));
});
