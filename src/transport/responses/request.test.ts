import { describe, expect, test } from 'vitest';
import { verifies } from '../../../test/verifies.ts';
import { thrownError } from '../gateway/thrown-error.fixture.ts';
import { sealReasoning } from './encrypted-reasoning.ts';
import { readResponsesRequest } from './request.ts';
import { toResponsesChat } from './respond.ts';

const STORED = { previous: [], referenced: [] };
const STORE = { store: { save: async () => undefined }, principal: 'ann' };

function chatOf(body: object) {
  const request = readResponsesRequest({ input: 'Hello?', ...body }, {});
  return toResponsesChat(request, STORED, STORE).chat.ask;
}

const messagesOf = (...input: object[]) => chatOf({ input }).messages;
const call = (id: string, name = 'add') => ({
  type: 'function_call',
  call_id: id,
  name,
  arguments: '{}',
});
const output = (id: string, text: unknown = 'done') => ({
  type: 'function_call_output',
  call_id: id,
  output: text,
});
const NOWHERE = { properties: { x: { $ref: '#/$defs/nosuch' } } };
const FUNCTION = { type: 'function', name: 'add', parameters: { type: 'object' } };

describe('input', () => {
  verifies('responses:input', 'a text, and messages of every role', () => {
    expect(chatOf({}).messages).toEqual([{ role: 'user', content: 'Hello?' }]);
    expect(
      messagesOf(
        { role: 'developer', content: 'Be short.' },
        { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Hi.' }] },
        { role: 'user', content: [{ type: 'input_text', text: 'Go.' }] },
      ),
    ).toEqual([
      { role: 'system', content: 'Be short.' },
      { role: 'assistant', content: 'Hi.' },
      { role: 'user', content: 'Go.' },
    ]);
  });

  verifies('responses:input', 'calls of one turn are one message, with their reasoning', () => {
    const sealed = sealReasoning({ text: 'Add.', details: [{ type: 'x' }] });
    expect(
      messagesOf(
        { role: 'user', content: 'Go.' },
        { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: sealed },
        { role: 'assistant', content: 'Adding.' },
        call('a'),
        call('b'),
        output('b'),
        output('a', [{ type: 'input_text', text: '5' }]),
        call('c'),
        output('c'),
      ),
    ).toEqual([
      { role: 'user', content: 'Go.' },
      {
        role: 'assistant',
        content: 'Adding.',
        reasoning: 'Add.',
        reasoningDetails: [{ type: 'x' }],
        toolCalls: [
          { id: 'a', name: 'add', arguments: '{}' },
          { id: 'b', name: 'add', arguments: '{}' },
        ],
      },
      { role: 'tool', toolCallId: 'b', content: 'done' },
      { role: 'tool', toolCallId: 'a', content: '5' },
      { role: 'assistant', content: '', toolCalls: [{ id: 'c', name: 'add', arguments: '{}' }] },
      { role: 'tool', toolCallId: 'c', content: 'done' },
    ]);
  });

  test('an image in the result of a tool follows as a message of the user', () => {
    const image = { type: 'input_image', image_url: 'https://a.example/a.png' };
    const messages = messagesOf(call('a'), output('a', [image]));
    expect(messages.at(-1)).toEqual({
      role: 'user',
      content: [{ type: 'image', source: { url: 'https://a.example/a.png' } }],
    });
  });

  test('a custom tool, the local shell and a namespace are functions for the model', () => {
    const messages = messagesOf(
      { type: 'custom_tool_call', call_id: 'a', name: 'patch', input: 'x' },
      { type: 'custom_tool_call_output', call_id: 'a', output: 'ok' },
      { type: 'local_shell_call', call_id: 'b', action: { type: 'exec', command: ['ls'] } },
      { type: 'local_shell_call_output', id: 'b', output: 'ok' },
      { ...call('c', 'read'), namespace: 'mcp__files__' },
      output('c'),
      { type: 'web_search_call', id: 'ws_1', status: 'completed' },
    );
    const calls = messages.flatMap((each) =>
      each.role === 'assistant' ? (each.toolCalls ?? []) : [],
    );
    expect(calls).toEqual([
      { id: 'a', name: 'patch', arguments: '{"input":"x"}' },
      { id: 'b', name: 'local_shell', arguments: '{"command":["ls"]}' },
      { id: 'c', name: 'mcp__files__read', arguments: '{}' },
    ]);
  });
});

describe('tools', () => {
  test('hosted tools are dropped with a notice beside others, and search alone searches', () => {
    const both = readResponsesRequest(
      { input: 'x', tools: [FUNCTION, { type: 'web_search' }] },
      {},
    );
    expect([both.ask.search, both.notices]).toEqual([
      'off',
      [{ code: 'gateway_tools_dropped', params: { types: ['web_search'] } }],
    ]);
    const alone = readResponsesRequest(
      { input: 'x', tools: [{ type: 'web_search_2025_08_26' }] },
      {},
    );
    expect([alone.ask.search, alone.ask.tools, alone.notices]).toEqual(['on', undefined, []]);
  });

  test('a choice names a tool, or allows some', () => {
    const tools = [FUNCTION, { ...FUNCTION, name: 'sub' }];
    const chosen = chatOf({ tools, tool_choice: { type: 'function', name: 'sub' } });
    expect(chosen.toolChoice).toEqual({ name: 'sub' });
    const allowed = {
      type: 'allowed_tools',
      mode: 'required',
      tools: [{ type: 'function', name: 'add' }],
    };
    const some = chatOf({ tools, tool_choice: allowed });
    expect([some.tools?.map(({ name }) => name), some.toolChoice]).toEqual([['add'], 'required']);
  });
});

test('the other fields reach the ask', () => {
  const schema = { type: 'object', properties: {} };
  expect(
    chatOf({
      instructions: 'Be short.',
      max_output_tokens: 100,
      temperature: 0.5,
      truncation: 'auto',
      reasoning: { effort: 'high' },
      text: { format: { type: 'json_schema', name: 'x', schema } },
    }),
  ).toMatchObject({
    system: 'Be short.',
    maxOutputTokens: 100,
    sampling: { temperature: 0.5 },
    context: 'fit',
    thinking: 'high',
    responseFormat: { type: 'json_schema', name: 'x', schema },
  });
});

test('unknown fields are ignored with a notice', () => {
  const { notices } = readResponsesRequest({ input: 'x', fancy: 1, client_metadata: {} }, {});
  expect(notices).toEqual([{ code: 'gateway_fields_ignored', params: { fields: ['fancy'] } }]);
});

describe('errors', () => {
  const WRONG: readonly (readonly [object, string])[] = [
    [{ input: undefined }, 'input'],
    [{ input: 7 }, 'input'],
    [{ input: [] }, 'input'],
    [{ input: ['x'] }, 'input[0]'],
    [{ input: [{ role: 'pope', content: 'x' }] }, 'input[0].role'],
    [{ input: [{ role: 'user', content: '' }] }, 'input[0].content'],
    [{ input: [{ role: 'user', content: [{ type: 'smell' }] }] }, 'input[0].content[0].type'],
    [
      { input: [{ role: 'user', content: [{ type: 'input_image', file_id: '' }] }] },
      'input[0].content[0].file_id',
    ],
    [{ input: [{ type: 'compaction' }] }, 'input[0].type'],
    [{ input: [output('a')] }, 'input[0]'],
    [{ input: [call('a')] }, 'input[0]'],
    [{ input: [call('a'), call('a')] }, 'input[1].call_id'],
    [{ previous_response_id: 'x' }, 'previous_response_id'],
    [{ background: true }, 'background'],
    [{ conversation: 'conv_1' }, 'conversation'],
    [{ prompt: { id: 'p' } }, 'prompt_template'],
    [{ top_logprobs: 2 }, 'top_logprobs'],
    [{ include: ['message.output_text.logprobs'] }, 'include[0]'],
    [{ metadata: { a: 1 } }, 'metadata'],
    [{ max_output_tokens: 0 }, 'max_output_tokens'],
    [{ truncation: 'some' }, 'truncation'],
    [{ text: { format: { type: 'xml' } } }, 'text.format.type'],
    [{ text: { format: { type: 'json_schema' } } }, 'text.format.name'],
    [
      { text: { format: { type: 'json_schema', name: 'x', schema: NOWHERE } } },
      'text.format.schema.properties.x.$ref',
    ],
    [{ tools: [{ type: 'code_interpreter' }] }, 'tools[0].type'],
    [{ tools: [{ ...FUNCTION, parameters: { $ref: '#' } }] }, 'tools[0].parameters'],
    [{ tools: [{ ...FUNCTION, parameters: NOWHERE }] }, 'tools[0].parameters.properties.x.$ref'],
    [{ tools: [FUNCTION, FUNCTION] }, 'tools[1].name'],
    [{ tools: [{ type: 'function', name: 'a b' }] }, 'tools[0].name'],
    [{ tool_choice: 'required' }, 'tool_choice'],
    [{ tools: [FUNCTION], tool_choice: { type: 'function', name: 'sub' } }, 'tool_choice.name'],
    [{ reasoning: { effort: 'huge' } }, 'reasoning.effort'],
    [{ exai: { max_cost: 1 } }, 'exai.max_cost'],
  ];
  verifies('responses:bad-input', 'an error names its field and a fix', () => {
    for (const [body, field] of WRONG) {
      const error = thrownError(() => chatOf(body));
      expect([error?.class, error?.field]).toEqual(['validation', field]);
      expect(error?.fixes).not.toEqual([]);
    }
  });
});
