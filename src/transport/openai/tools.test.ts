import { describe, expect, test } from 'vitest';
import { errorClassAndField } from '../gateway/thrown-error.fixture.ts';
import { readOpenAiTools } from './tools.ts';

const schema = { type: 'object', properties: { city: { type: 'string' } } };
const declared = { name: 'get_weather', description: 'Of a city.', parameters: schema };
const tool = { type: 'function', function: { ...declared, strict: true } };
const named = (name: unknown) => ({ type: 'function', function: { name } });
const toolOf = (facts: object) => ({ tools: [{ type: 'function', function: facts }] });

test('tools are read with their descriptions', () => {
  expect(readOpenAiTools({ tools: [tool, named('no-arguments')] })).toEqual({
    tools: [
      declared,
      { name: 'no-arguments', description: '', parameters: { type: 'object', properties: {} } },
    ],
    style: 'tools',
  });
});

test('legacy functions are tools, whose calls have the legacy format', () => {
  expect(
    readOpenAiTools({ functions: [declared], function_call: { name: 'get_weather' } }),
  ).toEqual({
    tools: [declared],
    choice: { name: 'get_weather' },
    style: 'functions',
  });
});

test.each([
  ['auto', 'auto'],
  ['none', 'none'],
  ['required', 'required'],
  [named('get_weather'), { name: 'get_weather' }],
])('the choice %j is accepted', (given, choice) => {
  expect(readOpenAiTools({ tools: [tool], tool_choice: given }).choice).toEqual(choice);
});

test('a choice that forces nothing needs no tools', () => {
  expect(readOpenAiTools({ tool_choice: 'auto', function_call: 'none' })).toEqual({
    style: 'tools',
  });
});

describe('an invalid tool or choice is rejected by its name', () => {
  test.each<[object, string]>([
    [{ tools: {} }, 'tools'],
    [{ functions: 'f' }, 'functions'],
    [{ tools: [tool], functions: [declared] }, 'functions'],
    [{ tools: [null] }, 'tools[0]'],
    [{ tools: [tool, { type: 'custom', custom: {} }] }, 'tools[1]'],
    [{ tools: [{ type: 'function' }] }, 'tools[0]'],
    [{ functions: [5] }, 'functions[0]'],
    [{ functions: [{}] }, 'functions[0].name'],
    [toolOf({}), 'tools[0].function.name'],
    [toolOf({ name: '' }), 'tools[0].function.name'],
    [toolOf({ name: 'get weather' }), 'tools[0].function.name'],
    [toolOf({ name: 'x'.repeat(65) }), 'tools[0].function.name'],
    [toolOf({ name: 'f', description: 5 }), 'tools[0].function.description'],
    [toolOf({ name: 'f', parameters: [] }), 'tools[0].function.parameters'],
    [toolOf({ name: 'f', parameters: { type: 'array' } }), 'tools[0].function.parameters'],
    [toolOf({ name: 'f', parameters: { properties: 5 } }), 'tools[0].function.parameters'],
    [toolOf({ name: 'f', parameters: { $ref: '#' } }), 'tools[0].function.parameters'],
    [
      toolOf({ name: 'f', parameters: { properties: { x: { $ref: '#/$defs/nosuch' } } } }),
      'tools[0].function.parameters.properties.x.$ref',
    ],
    [{ tools: [tool, tool] }, 'tools[1].function.name'],
    [{ functions: [declared, declared] }, 'functions[1].name'],
    [{ tool_choice: 'required' }, 'tool_choice'],
    [{ tool_choice: named('f') }, 'tool_choice'],
    [{ tools: [tool], tool_choice: 'any' }, 'tool_choice'],
    [{ tools: [tool], tool_choice: { type: 'allowed_tools' } }, 'tool_choice'],
    [{ tools: [tool], tool_choice: named('toString') }, 'tool_choice'],
    [{ functions: [declared], function_call: 'required' }, 'function_call'],
    [{ functions: [declared], function_call: { name: 'f' } }, 'function_call'],
  ])('%j', (body, field) => {
    expect(errorClassAndField(() => readOpenAiTools({ ...body }))).toBe(`validation ${field}`);
  });
});

test('a schema that is too deep is rejected before it is serialised', () => {
  const deep = JSON.parse(`${'{"a":'.repeat(50_000)}1${'}'.repeat(50_000)}`) as unknown;
  expect(
    errorClassAndField(() => readOpenAiTools(toolOf({ name: 'f', parameters: deep }) as never)),
  ).toBe('validation tools[0].function.parameters');
});
