import { describe, expect, test } from 'vitest';
import { verifies } from '../../../../test/verifies.ts';
import { mayBeToolCall, parseTextToolCalls } from './text-tool-calls.ts';
import { createToolCallAssembler } from './tool-call-assembler.ts';

function assemble(...pieces: unknown[]) {
  const assembler = createToolCallAssembler(() => 'a1');
  const events = pieces.flatMap((piece) => assembler.take(piece) ?? []);
  return { calls: assembler.calls(), builtin: assembler.builtin(), events };
}

const piece = (
  index: number | undefined,
  id: string | undefined,
  name: string | undefined,
  text: unknown,
) => ({
  ...(index !== undefined && { index }),
  ...(id !== undefined && { id }),
  type: 'function',
  function: { ...(name !== undefined && { name }), arguments: text },
});

describe('putting tool calls together', () => {
  verifies('wire:tool-calls', 'follows indexes that take turns', () => {
    const { calls } = assemble(
      piece(0, 'x', 'one', ''),
      piece(1, 'y', 'two', ''),
      piece(0, undefined, undefined, '{"a"'),
      piece(1, undefined, undefined, '{}'),
      piece(0, undefined, undefined, ':1}'),
    );
    expect(calls).toEqual([
      { id: 'x', name: 'one', arguments: '{"a":1}' },
      { id: 'y', name: 'two', arguments: '{}' },
    ]);
  });

  verifies('wire:tool-calls', 'separates calls without an index by their ids and names', () => {
    const { calls } = assemble(
      piece(undefined, 'x', 'one', '{"a":'),
      piece(undefined, undefined, undefined, '1}'),
      piece(undefined, 'y', 'two', '{}'),
    );
    expect(calls).toEqual([
      { id: 'x', name: 'one', arguments: '{"a":1}' },
      { id: 'y', name: 'two', arguments: '{}' },
    ]);
  });

  verifies(
    'wire:tool-calls',
    'gives an id to calls that have none, and to the second of two that share one',
    () => {
      const { calls } = assemble(
        piece(0, undefined, 'one', '{}'),
        piece(1, 'x', 'two', '{}'),
        piece(2, 'x', 'three', '{}'),
      );
      expect(calls.map(({ id }) => id)).toEqual(['call_a1_0', 'x', 'x_2']);
    },
  );

  verifies('wire:tool-calls', 'takes arguments as an object, as nothing and as null', () => {
    const { calls } = assemble(
      piece(0, 'x', 'one', { city: 'Oslo' }),
      piece(1, 'y', 'two', undefined),
      piece(2, 'z', 'three', null),
    );
    expect(calls.map((call) => call.arguments)).toEqual(['{"city":"Oslo"}', '', '']);
  });

  test('takes a second call under the same index for another call when its id differs', () => {
    const { calls } = assemble(piece(0, 'x', 'one', '{}'), piece(0, 'y', 'two', '{}'));
    expect(calls.map(({ name }) => name)).toEqual(['one', 'two']);
  });

  test('emits id and name with the first event of a call, and nothing before the name is known', () => {
    const { events } = assemble(
      piece(0, 'x', undefined, ''),
      piece(0, undefined, 'one', '{'),
      piece(0, undefined, undefined, '}'),
    );
    expect(events).toEqual([
      { type: 'tool_call', index: 0, id: 'x', name: 'one', arguments: '{' },
      { type: 'tool_call', index: 0, arguments: '}' },
    ]);
  });

  test("keeps the vendor's own tools to itself", () => {
    const { calls, builtin, events } = assemble(
      piece(0, 't', '$web_search', '{"q":1}'),
      piece(1, 'x', 'one', '{}'),
    );
    expect(events).toEqual([
      { type: 'tool_call', index: 0, id: 'x', name: 'one', arguments: '{}' },
    ]);
    expect(calls.map(({ name }) => name)).toEqual(['one']);
    expect(builtin).toMatchObject([{ id: 't', name: '$web_search', arguments: '{"q":1}' }]);
  });

  test.each([null, 7, 'x', [], { function: 3 }, { index: '0' }])(
    'ignores a piece like %j',
    (odd) => {
      expect(assemble(odd).calls).toEqual([]);
    },
  );
});

describe('tool calls written as text', () => {
  const tools = ['get_weather', 'add'];
  test.each([
    [
      '<tool_call>{"name":"get_weather","arguments":{"city":"Oslo"}}</tool_call>',
      '{"city":"Oslo"}',
    ],
    [
      '<tool_call>get_weather\n<arg_key>city</arg_key>\n<arg_value>Oslo</arg_value>\n</tool_call>',
      '{"city":"Oslo"}',
    ],
    ['{"name": "get_weather", "arguments": "{\\"city\\":\\"Oslo\\"}"}', '{"city":"Oslo"}'],
    ['```json\n{"name":"get_weather","parameters":{"city":"Oslo"}}\n```', '{"city":"Oslo"}'],
    [
      '[{"type":"function","function":{"name":"get_weather","arguments":{"city":"Oslo"}}}]',
      '{"city":"Oslo"}',
    ],
  ])('are recognised in %j', (text, expected) => {
    expect(mayBeToolCall(text)).toBe(true);
    for (let at = 1; at <= text.length; at += 1)
      expect(mayBeToolCall(text.slice(0, at))).toBe(true);
    expect(parseTextToolCalls(text, tools)).toEqual([{ name: 'get_weather', arguments: expected }]);
  });

  test.each([
    '```ts\nconst a = 1;\n```',
    '{"city":"Oslo"}',
    'The tool is get_weather.',
    '[1, 2]',
    '<think>',
  ])('%j is none, and is known to be none before it ends', (text) => {
    expect(mayBeToolCall(text)).toBe(false);
  });

  test('of a tool that was not given are text', () => {
    expect(parseTextToolCalls('{"name":"rm","arguments":{}}', tools)).toBeUndefined();
  });
});
