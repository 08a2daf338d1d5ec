import { describe, expect, test } from 'vitest';
import { eventsOf, verifies, WEATHER } from '../emulator.fixture.ts';
import { useKimi } from './kimi.fixture.ts';

const harness = useKimi();
const { ask, switches } = harness;

const user = (content: unknown) => ({ role: 'user', content });
const stream = async (body: object, headers: Record<string, string> = {}) =>
  eventsOf((await ask({ stream: true, ...body }, headers)).text);
const off = { thinking: { type: 'disabled' } };
const weather = { messages: [user('What is the weather in Paris?')], tools: [WEATHER], ...off };

describe('JSON', () => {
  verifies(
    'facts:kimi:answer-shape',
    'an answer has the measured shape, cached tokens in both places',
    async () => {
      const { json } = await ask({ messages: [user('Say exactly: Four. [[think 3]]')] });
      expect(json).toEqual({
        id: expect.stringMatching(/^chatcmpl-/),
        object: 'chat.completion',
        created: 1_790_000_000,
        model: 'kimi-k2.6',
        choices: [
          {
            index: 0,
            message: {
              role: 'assistant',
              content: 'Four.',
              reasoning_content: 'amber birch cedar',
            },
            finish_reason: 'stop',
          },
        ],
        usage: {
          prompt_tokens: 16,
          completion_tokens: 5,
          total_tokens: 21,
          cached_tokens: 0,
          prompt_tokens_details: { cached_tokens: 0 },
          completion_tokens_details: { reasoning_tokens: 3 },
        },
        system_fingerprint: 'fpv0_10a6da87',
      });
      switches()['idPrefix'] = 'cmpl-';
      expect((await ask({ messages: [user('Hi')] })).json.id).toMatch(/^cmpl-/);
    },
  );

  verifies(
    'facts:kimi:finish',
    'tool calls finish with tool_calls, beside empty content or null',
    async () => {
      const { json } = await ask(weather);
      expect(json.choices[0]).toEqual({
        index: 0,
        finish_reason: 'tool_calls',
        message: {
          role: 'assistant',
          content: '',
          tool_calls: [
            {
              id: expect.stringMatching(/^call_/),
              type: 'function',
              function: { name: 'get_weather', arguments: '{"city":"Paris"}' },
            },
          ],
        },
      });
      switches()['callContent'] = 'null';
      switches()['callIds'] = 'functions';
      const { message } = (await ask(weather)).json.choices[0];
      expect([message.content, message.tool_calls[0].id]).toEqual([
        null,
        'functions.get_weather:0',
      ]);
    },
  );

  test('after the results it answers from them', async () => {
    const call = {
      id: 'a',
      type: 'function',
      function: { name: 'get_weather', arguments: '{"city":"Paris"}' },
    };
    const messages = [
      ...weather.messages,
      { role: 'assistant', tool_calls: [call] },
      { role: 'tool', tool_call_id: 'a', content: 'sunny' },
    ];
    const { json } = await ask({ ...weather, messages });
    expect(json.choices[0].message.content).toBe('get_weather answered: sunny');
  });

  test('the same question after a reset has the same answer, ids and all', async () => {
    const first = await ask(weather);
    harness.emulator.reset();
    expect((await ask(weather)).text).toBe(first.text);
  });
});

describe('streams', () => {
  verifies(
    'facts:kimi:stream-shape',
    'a stream is role, reasoning, content, finish with usage in its choice',
    async () => {
      const events = await stream({
        messages: [user('Say exactly: Four.')],
        thinking: { type: 'enabled' },
      });
      const deltas = events.map((event) => event.choices[0].delta);
      expect(events[0]).toEqual({
        id: expect.stringMatching(/^chatcmpl-/),
        object: 'chat.completion.chunk',
        created: 1_790_000_000,
        model: 'kimi-k2.6',
        choices: [{ index: 0, delta: { role: 'assistant', content: '' }, finish_reason: null }],
        system_fingerprint: 'fpv0_10a6da87',
      });
      const kinds = deltas.map((delta) => Object.keys(delta)[0]);
      expect([...new Set(kinds)]).toEqual(['role', 'reasoning_content', 'content', undefined]);
      expect(events.at(-1).choices[0]).toEqual({
        index: 0,
        delta: {},
        finish_reason: 'stop',
        usage: {
          prompt_tokens: 10,
          completion_tokens: expect.any(Number),
          total_tokens: expect.any(Number),
          cached_tokens: 0,
        },
      });
      expect(new Set(events.map((event) => event.id)).size).toBe(1);
    },
  );

  verifies(
    'facts:kimi:stream-usage',
    'include_usage adds a chunk without choices; one page has usage at the top of the finish chunk',
    async () => {
      const asked = { messages: [user('Hi')], ...off, stream_options: { include_usage: true } };
      const events = await stream(asked);
      expect(events.at(-2).choices[0].usage).toEqual(events.at(-1).usage);
      expect(events.at(-1).choices).toEqual([]);
      switches()['streamUsage'] = 'top';
      const top = await stream({ messages: [user('Hi')], ...off });
      expect(top.at(-1).choices[0]).not.toHaveProperty('usage');
      expect(top.at(-1).usage.prompt_tokens).toBe(5);
    },
  );

  verifies(
    'facts:kimi:tool-deltas',
    'a call comes as a head with id, type and name, then as pieces of its arguments',
    async () => {
      const messages = [user('[[call a {"x":1}]] [[call b {"y":2}]]')];
      const events = await stream({ ...weather, messages });
      const calls = events.flatMap((event) => event.choices[0].delta.tool_calls ?? []);
      const heads = calls.filter((call) => call.id !== undefined);
      expect(heads).toEqual([
        {
          index: 0,
          id: expect.any(String),
          type: 'function',
          function: { name: 'a', arguments: '' },
        },
        {
          index: 1,
          id: expect.any(String),
          type: 'function',
          function: { name: 'b', arguments: '' },
        },
      ]);
      const joined = [0, 1].map((index) =>
        calls
          .filter((call) => call.index === index)
          .map((call) => call.function.arguments)
          .join(''),
      );
      expect(joined).toEqual(['{"x":1}', '{"y":2}']);
      expect(events.at(-1).choices[0].finish_reason).toBe('tool_calls');
    },
  );

  test('JSON and stream say the same', async () => {
    const body = { messages: [user('Tell me about bees')] };
    const { message } = (await ask(body)).json.choices[0];
    const events = await stream(body);
    const joined = (name: string) =>
      events.map((event) => event.choices[0].delta[name] ?? '').join('');
    expect([joined('content'), joined('reasoning_content')]).toEqual([
      message.content,
      message.reasoning_content,
    ]);
  });
});

verifies(
  'facts:kimi:partial',
  'partial mode goes on from the prefix and leaves it out',
  async () => {
    const messages = [
      user('Say exactly: {"a": 1, "b": 2}'),
      { role: 'assistant', content: '{"a": 1,', partial: true },
    ];
    expect((await ask({ messages, ...off })).json.choices[0].message.content).toBe(' "b": 2}');
    const cut = [
      user('[[tokens 12]]'),
      { role: 'assistant', content: 'amber birch cedar', partial: true },
    ];
    const rest = (await ask({ messages: cut, ...off })).json.choices[0].message.content as string;
    expect(`amber birch cedar${rest}`.split(' ')).toHaveLength(12);
  },
);

describe('web search', () => {
  const search = { type: 'builtin_function', function: { name: '$web_search' } };
  const begin = {
    ...off,
    tools: [search, WEATHER],
    messages: [user('Who won the race?')] as object[],
  };

  verifies(
    'facts:kimi:web-search',
    'a search is a call whose arguments are echoed, and announces its tokens',
    async () => {
      const first = await ask(begin);
      const { message, finish_reason: finish } = first.json.choices[0];
      const [call] = message.tool_calls;
      expect(finish).toBe('tool_calls');
      expect(call).toMatchObject({
        id: expect.stringMatching(/^t-web_search-/),
        type: 'builtin_function',
        function: { name: '$web_search' },
      });
      const args = JSON.parse(call.function.arguments);
      expect(args).toEqual({
        search_result: { search_id: expect.any(String) },
        usage: { total_tokens: 1_200 },
      });
      const reply = {
        role: 'tool',
        tool_call_id: call.id,
        name: '$web_search',
        content: call.function.arguments,
      };
      const second = await ask({ ...begin, messages: [...begin.messages, message, reply] });
      expect(second.json.choices[0].finish_reason).toBe('stop');
      expect(second.json.choices[0].message.content).toContain(args.search_result.search_id);
      expect(second.json.choices[0].message.content).not.toContain('http');
      expect(second.json.usage.prompt_tokens).toBeGreaterThan(
        first.json.usage.prompt_tokens + 1_200,
      );
      const spoiled = { ...reply, content: '{}' };
      const lost = await ask({ ...begin, messages: [...begin.messages, message, spoiled] });
      expect(lost.json.choices[0].message.content).toContain('could not read');
      switches()['webSearchType'] = 'function';
      expect((await ask(begin)).json.choices[0].message.tool_calls[0].type).toBe('function');
    },
  );

  test('whoever takes the search away is answered from what was found, in a sentence', async () => {
    const { message } = (await ask(begin)).json.choices[0];
    const [call] = message.tool_calls;
    const reply = { role: 'tool', tool_call_id: call.id, content: call.function.arguments };
    for (const more of [{ tools: [WEATHER] }, { tools: undefined }, { tool_choice: 'none' }]) {
      const messages = [...begin.messages, message, reply];
      const { json } = await ask({ ...begin, ...more, messages });
      expect(json.choices[0].message.content).toMatch(/^From 1 web search about .*\.$/);
    }
  });

  verifies('facts:kimi:web-search-thinking', 'K2.6 does not search while it thinks', async () => {
    const { status, json } = await ask({ ...begin, thinking: { type: 'enabled' } });
    expect([status, json.error.message]).toEqual([400, expect.stringContaining('$web_search')]);
    const stranger = { type: 'builtin_function', function: { name: '$calculator' } };
    expect((await ask({ ...begin, tools: [stranger] })).status).toBe(400);
  });

  const rounds = async (content: string, most: number): Promise<number> => {
    const messages: object[] = [user(content)];
    for (let round = 0; round < most; round += 1) {
      const { message, finish_reason: finish } = (await ask({ ...begin, messages })).json
        .choices[0];
      if (finish !== 'tool_calls') return round;
      const [call] = message.tool_calls;
      messages.push(message, {
        role: 'tool',
        tool_call_id: call.id,
        content: call.function.arguments,
      });
    }
    return most;
  };

  verifies(
    'facts:kimi:web-search-rounds',
    'there may be several rounds, or no end of them (F14)',
    async () => {
      expect(await rounds('[[search 3]] Who won?', 10)).toBe(3);
      switches()['webSearchRounds'] = 2;
      expect(await rounds('Who won?', 10)).toBe(2);
      harness.emulator.fault({ id: 'F14', times: 0 });
      expect(await rounds('Who won?', 10)).toBe(10);
    },
  );
});

verifies(
  'facts:kimi:formulas',
  'a formula gives ordinary tools and runs them in fibers',
  async () => {
    const { get, post } = harness.as();
    for (const uri of ['moonshot/web-search:latest', 'moonshot%2Fweb-search%3Alatest']) {
      const { json } = await get(`/formulas/${uri}/tools`);
      expect(json.tools[0]).toMatchObject({ type: 'function', function: { name: 'web_search' } });
      expect((await ask({ ...off, tools: json.tools, messages: [user('Hi')] })).status).toBe(200);
    }
    const fiber = await post('/formulas/moonshot/web-search:latest/fibers', {
      name: 'web_search',
      arguments: '{"query":"tides"}',
    });
    expect(fiber.json).toMatchObject({
      status: 'succeeded',
      context: { encrypted_output: expect.any(String) },
    });
    const call = { id: 'a', type: 'function', function: { name: 'web_search', arguments: '{}' } };
    const told = await ask({
      ...off,
      messages: [
        user('Search tides'),
        { role: 'assistant', tool_calls: [call] },
        { role: 'tool', tool_call_id: 'a', content: fiber.json.context.encrypted_output },
      ],
    });
    expect(told.json.choices[0].message.content).toContain('https://example.com/about');
    const date = await post('/formulas/moonshot/date:latest/fibers', {
      name: 'date',
      arguments: '{"timezone":"UTC"}',
    });
    expect(date.json.context.output).toBe('2026-09-21T14:13:20.000Z');
    const failed = await post('/formulas/moonshot/fetch:latest/fibers', {
      name: 'fetch',
      arguments: '{',
    });
    expect(failed.json).toMatchObject({ status: 'failed', error: expect.any(String) });
    expect((await get('/formulas/moonshot/quickjs:latest/tools')).status).toBe(404);
    expect((await get('/formulas/%E0%A4%A/tools')).status).toBe(404);
  },
);
