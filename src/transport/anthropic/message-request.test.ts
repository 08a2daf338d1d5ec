import { expect, test } from 'vitest';
import type { AskRequest } from '#core/llm/ask.ts';
import type { GatewayRequestOptions } from '../gateway/request-options.ts';
import { readTokenCount, writeTokenCount } from './message-request.ts';
import { createAnthropicDialect } from './dialect.ts';
import { finished } from './finished-chat.fixture.ts';

const dialect = createAnthropicDialect();
const HELLO = [{ role: 'user', content: 'hello' }];

function ask(body: object, options: GatewayRequestOptions = {}): AskRequest {
  return dialect.readChat({ model: 'kimi-k3', max_tokens: 100, messages: HELLO, ...body }, options)
    .chat.ask;
}

function messages(...list: readonly unknown[]): AskRequest['messages'] {
  return ask({ messages: list }).messages;
}

const CALLS = {
  role: 'assistant',
  content: [
    { type: 'thinking', thinking: 'two files', signature: 'abc' },
    { type: 'redacted_thinking', data: 'xyz' },
    { type: 'text', text: 'I look.' },
    { type: 'tool_use', id: 'call_a', name: 'read', input: { path: 'a' } },
    { type: 'tool_use', id: 'call_b', name: 'read' },
  ],
};
const PNG = { type: 'base64', media_type: 'image/png', data: 'iVBORw0=' };

test('a small request becomes an AskRequest', () => {
  const order = dialect.readChat({ max_tokens: 100, messages: HELLO }, {});
  expect(order.delivery).toBe('whole');
  expect(order.chat).toEqual({
    choices: 1,
    ask: {
      model: 'auto',
      messages: HELLO,
      search: 'off',
      lastResort: 'none',
      context: 'whole',
      maxOutputTokens: 100,
      delivery: 'whole',
    },
  });
});

test('all members of a request are passed on', () => {
  const read = ask({
    stream: true,
    system: [
      { type: 'text', text: 'x-anthropic-billing-header: cc_version=2.1.1e0;' },
      { type: 'text', text: 'Be brief.', cache_control: { type: 'ephemeral' } },
      { type: 'text', text: 'Be kind.' },
    ],
    temperature: 0.5,
    top_p: 0.9,
    top_k: 40,
    stop_sequences: ['END'],
    metadata: { user_id: 'somebody' },
    service_tier: 'auto',
    container: 'c',
    context_management: { edits: [] },
    mcp_servers: [],
    something_new: { deep: [1] },
    max_tokens: 4001,
    thinking: { type: 'enabled', budget_tokens: 4000 },
    output_config: { format: { type: 'json_schema', schema: { type: 'object' } } },
    tools: [
      { name: 'read', description: 'Reads.', input_schema: { type: 'object' } },
      { type: 'custom', name: 'look', input_schema: { properties: {} } },
    ],
    tool_choice: { type: 'any', disable_parallel_tool_use: true },
  });
  expect(read).toEqual({
    model: 'kimi-k3',
    system: 'Be brief.\n\nBe kind.',
    messages: HELLO,
    search: 'off',
    lastResort: 'none',
    context: 'whole',
    thinking: 'medium',
    tools: [
      { name: 'read', description: 'Reads.', parameters: { type: 'object' } },
      { name: 'look', description: '', parameters: { properties: {} } },
    ],
    toolChoice: 'required',
    responseFormat: { type: 'json_schema', name: 'answer', schema: { type: 'object' } },
    sampling: { temperature: 0.5, topP: 0.9 },
    stop: ['END'],
    stopBy: 'exai',
    maxOutputTokens: 4001,
    delivery: 'stream',
  });
});

test('null counts as missing', () => {
  const nothing = { system: null, tools: null, tool_choice: null, thinking: null, exai: null };
  expect(ask({ ...nothing, output_config: null, temperature: null, stop_sequences: null })).toEqual(
    ask({}),
  );
});

test('tool results come right after their calls, whatever precedes them', () => {
  const results = {
    role: 'user',
    content: [
      { type: 'text', text: 'Go on.' },
      { type: 'tool_result', tool_use_id: 'call_b', is_error: true, content: 'no such file' },
      { type: 'tool_result', tool_use_id: 'call_a', content: [{ type: 'text', text: 'A' }] },
    ],
  };
  expect(messages(...HELLO, CALLS, results)).toEqual([
    ...HELLO,
    {
      role: 'assistant',
      content: 'I look.',
      reasoning: 'two files',
      toolCalls: [
        { id: 'call_a', name: 'read', arguments: '{"path":"a"}' },
        { id: 'call_b', name: 'read', arguments: '{}' },
      ],
    },
    { role: 'tool', toolCallId: 'call_b', name: 'read', content: '[tool error] no such file' },
    { role: 'tool', toolCallId: 'call_a', name: 'read', content: 'A' },
    { role: 'user', content: 'Go on.' },
  ]);
});

test('a picture in the result of a tool follows after the results', () => {
  const results = {
    role: 'user',
    content: [
      { type: 'tool_result', tool_use_id: 'call_a', content: [{ type: 'image', source: PNG }] },
      { type: 'tool_result', tool_use_id: 'call_b' },
    ],
  };
  expect(messages(CALLS, results).slice(1)).toEqual([
    {
      role: 'tool',
      toolCallId: 'call_a',
      name: 'read',
      content: '[What else belongs to this result follows after the results.]',
    },
    { role: 'tool', toolCallId: 'call_b', name: 'read', content: '' },
    {
      role: 'user',
      content: [
        { type: 'text', text: 'This belongs to the result of read:' },
        { type: 'image', source: { base64: 'iVBORw0=', mediaType: 'image/png' } },
      ],
    },
  ]);
});

test('blocks of the user become parts', () => {
  const pdf = { type: 'base64', media_type: 'application/pdf', data: 'JVBERi0=' };
  const content = [
    { type: 'text', text: 'Look.', cache_control: { type: 'ephemeral' } },
    { type: 'image', source: PNG },
    { type: 'image', source: { type: 'url', url: 'https://example.com/a.png' } },
    { type: 'document', source: pdf, title: 'A paper' },
    { type: 'document', source: { type: 'url', url: 'https://example.com/a.pdf' } },
    { type: 'document', title: 'Notes', source: { type: 'text', data: 'first' } },
    {
      type: 'document',
      source: {
        type: 'content',
        content: [
          { type: 'text', text: 'second' },
          { type: 'image', source: PNG },
        ],
      },
    },
    { type: 'document', source: { type: 'content', content: 'third' } },
    { type: 'search_result', title: 'T', source: 'S', content: [{ type: 'text', text: 'found' }] },
    { type: 'text', text: '' },
  ];
  const image = { type: 'image', source: { base64: 'iVBORw0=', mediaType: 'image/png' } };
  expect(messages({ role: 'user', content })).toEqual([
    {
      role: 'user',
      content: [
        { type: 'text', text: 'Look.' },
        image,
        { type: 'image', source: { url: 'https://example.com/a.png' } },
        { type: 'text', text: 'A paper' },
        {
          type: 'file',
          source: { base64: 'JVBERi0=', mediaType: 'application/pdf' },
          name: 'A paper',
        },
        { type: 'file', source: { url: 'https://example.com/a.pdf' } },
        { type: 'text', text: 'Notes\n\nfirst', fromFile: 'Notes' },
        { type: 'text', text: 'second', fromFile: 'document' },
        image,
        { type: 'text', text: 'third', fromFile: 'document' },
        { type: 'text', text: 'T\nS\nfound' },
      ],
    },
  ]);
});

test('a document of bytes that are text is a text under its title', () => {
  const data = Buffer.from('Buy milk.').toString('base64');
  const document = (more: object, media_type = 'text/plain') => ({
    type: 'document',
    source: { type: 'base64', media_type, data },
    ...more,
  });
  const said = (...content: readonly object[]) => messages({ role: 'user', content });
  expect(said(document({ title: 'Notes', context: 'Of today' }))).toEqual([
    {
      role: 'user',
      content: [{ type: 'text', text: 'Notes\nOf today\n\nBuy milk.', fromFile: 'Notes' }],
    },
  ]);
  expect(said(document({}, 'Text/Markdown; charset=utf-8'))).toEqual([
    { role: 'user', content: [{ type: 'text', text: 'Buy milk.', fromFile: 'document' }] },
  ]);
});

test('instructions between turns become user messages, those at the start stay', () => {
  const said = (text: string) => ({
    type: 'text',
    text: `<system-reminder>\n${text}\n</system-reminder>`,
  });
  const result = { type: 'tool_result', tool_use_id: 'call_a', content: 'A' };
  const read = messages(
    { role: 'system', content: 'zero' },
    ...HELLO,
    { role: 'system', content: [{ type: 'text', text: 'one' }] },
    { role: 'system', content: 'two' },
    CALLS,
    { role: 'user', content: [result] },
    { role: 'system', content: 'three' },
  );
  expect(read.filter(({ role }) => role === 'system' || role === 'user')).toEqual([
    { role: 'system', content: 'zero' },
    { role: 'user', content: [{ type: 'text', text: 'hello' }, said('one'), said('two')] },
    { role: 'user', content: [said('three')] },
  ]);
  expect(messages({ role: 'system', content: 'alone' })).toEqual([
    { role: 'user', content: 'alone' },
  ]);
});

test('blocks of server tools and empty assistant messages are dropped', () => {
  const content = [
    { type: 'server_tool_use', id: 's', name: 'web_search', input: { query: 'q' } },
    { type: 'web_search_tool_result', tool_use_id: 's', content: [] },
    { type: 'text', text: 'It is ' },
    { type: 'text', text: 'sunny.' },
  ];
  const empty = {
    role: 'assistant',
    content: [{ type: 'thinking', thinking: 'hm', signature: '' }],
  };
  expect(
    messages(...HELLO, { role: 'assistant', content: '' }, empty, { role: 'assistant', content }),
  ).toEqual([...HELLO, { role: 'assistant', content: 'It is sunny.' }]);
});

const REFERENCE = { type: 'tool_reference', tool_name: 'look' };
test('a found tool is only named, as the model has all tools from the start', () => {
  const content = [{ type: 'tool_result', tool_use_id: 'call_a', content: [REFERENCE] }];
  expect(messages(CALLS, { role: 'user', content }).at(-1)).toMatchObject({
    content: 'Found the tool look.',
  });
  const tools = [{ type: 'tool_search_tool_regex_20251119', name: 'tool_search_tool_regex' }];
  expect(ask({ tools })).toEqual(ask({}));
});

test('Anthropic’s web search tool switches search on, however it is chosen', () => {
  const tools = [{ type: 'web_search_20250305', name: 'web_search', max_uses: 8 }];
  const searching = { ...ask({}), search: 'on' };
  expect(ask({ tools })).toEqual(searching);
  expect(ask({ tools, tool_choice: { type: 'tool', name: 'web_search' } })).toEqual(searching);
  expect(ask({ tools, tool_choice: { type: 'any' } })).toEqual(searching);
});

test.each([
  [{ thinking: { type: 'enabled', budget_tokens: 1024 } }, 'low'],
  [{ thinking: { type: 'enabled', budget_tokens: 8192 } }, 'medium'],
  [{ thinking: { type: 'enabled', budget_tokens: 24_000 } }, 'high'],
  [{ thinking: { type: 'enabled', budget_tokens: 31_999 } }, 'max'],
  [
    { thinking: { type: 'enabled', budget_tokens: 31_999 }, output_config: { effort: 'low' } },
    'low',
  ],
  [{ thinking: { type: 'disabled' }, output_config: { effort: 'max' } }, 'minimal'],
  [{ thinking: { type: 'between_tools' } }, 'minimal'],
  [{ thinking: { type: 'adaptive' } }, undefined],
  [{ thinking: { type: 'adaptive' }, output_config: { effort: 'xhigh' } }, 'max'],
  [{ output_config: { effort: 'medium' } }, 'medium'],
])('%j has the thinking mode %s', (body, mode) => {
  expect(ask({ max_tokens: 32_000, ...body }).thinking).toBe(mode);
});

test('a budget of thinking leaves tokens for the answer, unless thinking is interleaved', () => {
  const body = {
    max_tokens: 100,
    messages: HELLO,
    thinking: { type: 'enabled', budget_tokens: 100 },
  };
  expect(() => dialect.readChat(body, {})).toThrow(/must be less than max_tokens/);
  const headers = { 'anthropic-beta': 'a,interleaved-thinking-2025-05-14' };
  expect(dialect.readChat(body, {}, headers).chat.ask.maxOutputTokens).toBe(100);
});

test('fields that are ignored knowingly are named in the answer', () => {
  const body = {
    max_tokens: 100,
    messages: HELLO,
    context_management: { edits: [{ type: 'clear_tool_uses_20250919' }] },
    fallbacks: [{ model: 'claude-sonnet-5' }],
    speed: 'standard',
  };
  const told = JSON.parse(dialect.readChat(body, {}).renderResponse(finished({}))) as {
    exai: { notices: string[] };
  };
  expect(told.exai.notices).toEqual([
    expect.stringMatching(/context_management.*fallbacks/) as string,
  ]);
});

const READ = { name: 'read', input_schema: { type: 'object' } };
test.each([
  [{ type: 'auto' }, 'auto'],
  [{ type: 'none' }, 'none'],
  [{ type: 'any' }, 'required'],
  [{ type: 'tool', name: 'read' }, { name: 'read' }],
])('the choice %j of a tool is %j', (tool_choice, expected) => {
  expect(ask({ tools: [READ], tool_choice }).toolChoice).toEqual(expected);
});

test('names that vendors find too long are shortened everywhere, each in its own way', () => {
  const long = `mcp__${'a'.repeat(80)}`;
  const tools = [`${long}_1`, `${long}_2`].map((name) => ({ ...READ, name }));
  const called = { role: 'assistant', content: [{ type: 'tool_use', id: 'x', name: `${long}_2` }] };
  const read = ask({
    tools,
    tool_choice: { type: 'tool', name: `${long}_2` },
    messages: [...HELLO, called],
  });
  const names = (read.tools ?? []).map(({ name }) => name);
  expect(new Set(names).size).toBe(2);
  expect(names.every((name) => /^[A-Za-z0-9_-]{64}$/.test(name))).toBe(true);
  expect(read.toolChoice).toEqual({ name: names[1] });
  expect(read.messages.at(-1)).toMatchObject({ toolCalls: [{ name: names[1] }] });
});

test('options of the body apply, unless the headers have others', () => {
  const exai = { continue: false, fallback: 'none', prefer: 'speed', max_cost_usd: 0.01 };
  const options = {
    onInterruption: 'fail',
    fallback: 'none',
    prefer: 'speed',
    maxCostMicroUsd: 10_000,
  };
  expect(ask({ exai })).toMatchObject(options);
  expect(ask({ exai }, { prefer: 'cost', onInterruption: 'continue' })).toMatchObject({
    ...options,
    prefer: 'cost',
    onInterruption: 'continue',
  });
});

test('a token count is the same request without a limit of the answer', () => {
  const body = { model: 'glm-5.3', system: 'Be brief.', messages: HELLO, tools: [READ] };
  const { maxOutputTokens: _limit, delivery: _delivery, ...counted } = ask(body);
  expect(readTokenCount(body).ask).toEqual(counted);
  expect(writeTokenCount(1234)).toBe('{"input_tokens":1234}');
});
