import { describe, expect, test } from 'vitest';
import { eventsOf, joined, user, WEATHER_TOOL } from '../client.fixture.ts';
import { BASE, useGlm } from './glm.fixture.ts';

const { chat, glm, set } = useGlm();

describe('a whole answer', () => {
  test('has ids, a time, the message and the usage, and no object member [facts:glm:response]', async () => {
    const { status, json } = await chat({});
    expect(status).toBe(200);
    expect(json).toEqual({
      id: expect.stringMatching(/^20261115/),
      request_id: json.id,
      created: 1_794_700_800,
      model: 'glm-4.6',
      choices: [
        {
          index: 0,
          finish_reason: 'stop',
          message: {
            role: 'assistant',
            content: '2 + 3 is 5.',
            reasoning_content: expect.stringContaining('2 + 3'),
          },
        },
      ],
      usage: {
        prompt_tokens: expect.any(Number),
        completion_tokens: expect.any(Number),
        total_tokens: json.usage.prompt_tokens + json.usage.completion_tokens,
        prompt_tokens_details: { cached_tokens: 0 },
        completion_tokens_details: { reasoning_tokens: expect.any(Number) },
      },
    });
    expect(json.usage.completion_tokens).toBeGreaterThan(
      json.usage.completion_tokens_details.reasoning_tokens,
    );
  });

  test('calls a tool with null content and its arguments as a string [facts:glm:tool-calls]', async () => {
    const { json } = await chat({
      messages: [user('What is the weather in Oslo?')],
      tools: [WEATHER_TOOL],
    });
    expect(json.choices[0].finish_reason).toBe('tool_calls');
    expect(json.choices[0].message.content).toBeNull();
    expect(json.choices[0].message.tool_calls).toEqual([
      {
        id: expect.any(String),
        type: 'function',
        index: 0,
        function: { name: 'get_weather', arguments: '{"city":"Oslo"}' },
      },
    ]);
  });

  test('has arguments as an object when the OpenAPI documents are right [facts:glm:arguments-object]', async () => {
    set('toolArguments', 'object');
    const { json } = await chat({
      messages: [user('What is the weather in Oslo?')],
      tools: [WEATHER_TOOL],
    });
    expect(json.choices[0].message.tool_calls[0].function.arguments).toEqual({ city: 'Oslo' });
  });

  test('quotes the result of a tool', async () => {
    const { json } = await chat({
      messages: [
        user('What is the weather in Oslo?'),
        {
          role: 'assistant',
          content: null,
          tool_calls: [
            {
              id: 'c1',
              type: 'function',
              function: { name: 'get_weather', arguments: '{"city":"Oslo"}' },
            },
          ],
        },
        { role: 'tool', tool_call_id: 'c1', content: 'four degrees' },
      ],
      tools: [WEATHER_TOOL],
    });
    expect(json.choices[0].message.content).toBe('get_weather answered: four degrees');
  });

  test('works on the coding path with the same key [facts:glm:coding-path]', async () => {
    const { status } = await glm.post('/glm/api/coding/paas/v4/chat/completions', {
      model: 'glm-4.6',
      messages: [user('Hi')],
    });
    expect(status).toBe(200);
  });

  test('ignores top-level members that it does not know [facts:glm:unknown-fields]', async () => {
    expect(
      (await chat({ frobnicate: { deep: [1] }, stream_options: { include_usage: true } })).status,
    ).toBe(200);
  });
});

describe('a stream', () => {
  test('repeats the role, thinks before it speaks and has the usage with the finish, unasked [facts:glm:stream]', async () => {
    const answer = await chat({ stream: true });
    const events = eventsOf(answer);
    expect(answer.headers.get('content-type')).toContain('text/event-stream');
    expect(answer.text.endsWith('data: [DONE]\n\n')).toBe(true);
    expect(events.every((event) => event.choices[0].delta.role === 'assistant')).toBe(true);
    expect(joined(events, 'reasoning_content')).toContain('2 + 3');
    expect(joined(events, 'content')).toBe('2 + 3 is 5.');
    const last = events.at(-1);
    expect(last.choices[0]).toEqual({
      index: 0,
      delta: { role: 'assistant', content: '' },
      finish_reason: 'stop',
    });
    expect(last.usage.total_tokens).toBe(last.usage.prompt_tokens + last.usage.completion_tokens);
    expect(events.filter((event) => event.usage !== undefined)).toHaveLength(1);
    expect(Object.keys(events[0])).toEqual(['id', 'created', 'model', 'choices']);
  });

  test('has each tool call whole in one chunk [facts:glm:tool-call-whole]', async () => {
    const events = eventsOf(
      await chat({
        stream: true,
        messages: [user('[[call a {"x":1}]] [[call b {"y":2}]]')],
        tools: [WEATHER_TOOL],
      }),
    );
    const calls = events.flatMap((event) => event.choices[0].delta.tool_calls ?? []);
    expect(calls.map((call) => [call.index, call.function.name, call.function.arguments])).toEqual([
      [0, 'a', '{"x":1}'],
      [1, 'b', '{"y":2}'],
    ]);
  });

  test('streams arguments piecewise with tool_stream, on the models that can [facts:glm:tool-stream]', async () => {
    const body = {
      stream: true,
      tool_stream: true,
      messages: [user('[[call a {"x":1}]]')],
      tools: [WEATHER_TOOL],
    };
    const count = async (model: string): Promise<number> =>
      eventsOf(await chat({ ...body, model })).filter((event) => event.choices[0].delta.tool_calls)
        .length;
    expect(await count('glm-4.6')).toBeGreaterThan(2);
    expect(await count('glm-4.7')).toBe(1);
    set('toolStream', 'since-4.6');
    expect(await count('glm-4.7')).toBeGreaterThan(2);
    expect(await count('glm-4.5')).toBe(1);
  });
});

describe('what it ignores or does in its own way', () => {
  test('forcing a tool does nothing, except on 4.5-air [facts:glm:tool-choice-ignored]', async () => {
    const body = { tools: [WEATHER_TOOL], tool_choice: 'required' };
    const finish = async (model: string): Promise<string> =>
      (await chat({ ...body, model })).json.choices[0].finish_reason;
    expect(await finish('glm-4.6')).toBe('stop');
    expect(await finish('glm-5')).toBe('stop');
    expect(await finish('glm-4.5-air')).toBe('tool_calls');
  });

  test('tool_choice none keeps tools away, except with 5.3-flash [facts:glm:tool-choice-none]', async () => {
    const body = {
      tools: [WEATHER_TOOL],
      tool_choice: 'none',
      messages: [user('What is the weather in Oslo?')],
    };
    expect((await chat({ ...body })).json.choices[0].finish_reason).toBe('stop');
    expect((await chat({ ...body, model: 'glm-5.3-flash' })).json.choices[0].finish_reason).toBe(
      'tool_calls',
    );
  });

  test('json_schema is silently ignored: fenced JSON comes back [facts:glm:json-schema-ignored]', async () => {
    const schema = { type: 'object', properties: { sum: { type: 'integer' } }, required: ['sum'] };
    const body = { response_format: { type: 'json_schema', json_schema: { name: 's', schema } } };
    const fenced = (await chat(body)).json.choices[0].message.content;
    expect(fenced).toMatch(/^```json\n\{"sum":\d+\}\n```$/);
    set('jsonSchema', 'prose');
    expect((await chat(body)).json.choices[0].message.content).toBe('2 + 3 is 5.');
    set('jsonSchema', 'invalid');
    expect((await chat(body)).json.choices[0].message.content).toBe(
      '```json\n{"answer":"2 + 3 is 5."}\n```',
    );
  });

  test('json_object is kept [facts:glm:json-object]', async () => {
    const { json } = await chat({ response_format: { type: 'json_object' } });
    expect(JSON.parse(json.choices[0].message.content)).toEqual({ answer: '2 + 3 is 5.' });
  });

  test('thinking is on by default and can be turned off before 5.3 [facts:glm:thinking-default]', async () => {
    expect((await chat({})).json.choices[0].message).toHaveProperty('reasoning_content');
    const off = await chat({ thinking: { type: 'disabled', clear_thinking: true } });
    expect(off.json.choices[0].message).not.toHaveProperty('reasoning_content');
    expect((await chat({ model: 'glm-5.3' })).json.choices[0].message).toHaveProperty(
      'reasoning_content',
    );
  });

  test('4.5 and 4.6 may decide not to think, 4.7 does not [facts:glm:thinking-auto]', async () => {
    set('thinkingWhen', 'needed');
    const thought = async (model: string): Promise<unknown> =>
      (await chat({ model })).json.choices[0].message.reasoning_content;
    expect(await thought('glm-4.6')).toBeUndefined();
    expect(await thought('glm-4.5')).toBeUndefined();
    expect(await thought('glm-4.7')).toBeTypeOf('string');
    expect(await thought('glm-4.5v')).toBeTypeOf('string');
  });

  test('reasoning_effort is ignored before 5.2, folded by 5.2 and followed by 5.3 [facts:glm:reasoning-effort]', async () => {
    for (const model of ['glm-4.6', 'glm-5.1', 'glm-5.2'])
      expect((await chat({ model, reasoning_effort: 'medium' })).status).toBe(200);
    const tokens = async (reasoning_effort: string): Promise<number> =>
      (await chat({ model: 'glm-5.3', reasoning_effort })).json.usage.completion_tokens_details
        .reasoning_tokens;
    expect(await tokens('low')).toBeLessThan(await tokens('max'));
  });

  test('without sampling, nobody looks at temperature and top_p [facts:glm:do-sample]', async () => {
    expect((await chat({ do_sample: false, temperature: 7, top_p: 7 })).status).toBe(200);
    expect((await chat({ do_sample: true, temperature: 7 })).status).toBe(400);
  });

  test('max_tokens ends an answer with length, and thoughts come first [facts:glm:length]', async () => {
    const short = (await chat({ max_tokens: 5 })).json;
    expect(short.choices[0]).toMatchObject({ finish_reason: 'length', message: { content: '' } });
    expect(short.usage.completion_tokens).toBe(5);
    const words = (
      await chat({
        max_tokens: 3,
        thinking: { type: 'disabled' },
        messages: [user('[[tokens 10]]')],
      })
    ).json;
    expect(words.choices[0]).toMatchObject({
      finish_reason: 'length',
      message: { content: 'amber birch cedar' },
    });
  });

  test('an answer that meets the end of the window says so [facts:glm:finish-context]', async () => {
    const { json } = await chat({
      model: 'glm-4.5v',
      max_tokens: 16_384,
      thinking: { type: 'disabled' },
      messages: [user(`[[tokens 9000]] ${'word '.repeat(60_000)}`)],
    });
    expect(json.choices[0].finish_reason).toBe('model_context_window_exceeded');
  });

  test('a stop word ends the text', async () => {
    const { json } = await chat({ stop: ['is'], thinking: { type: 'disabled' } });
    expect(json.choices[0].message.content).toBe('2 + 3 ');
  });

  test('a repeated prefix of 500 tokens and more is cached, a shorter one is not [facts:glm:cache]', async () => {
    const long = {
      role: 'system',
      content: 'The harbour master keeps a careful log. '.repeat(100),
    };
    const cached = async (messages: object[]): Promise<number> =>
      (await chat({ messages })).json.usage.prompt_tokens_details.cached_tokens;
    expect(await cached([long, user('One?')])).toBe(0);
    const second = await cached([long, user('Two?')]);
    expect(second).toBeGreaterThanOrEqual(500);
    expect(second % 64).toBe(0);
    const short = { role: 'system', content: 'Be brief. '.repeat(60) };
    await cached([short, user('One?')]);
    expect(await cached([short, user('Two?')])).toBe(0);
  });

  test('glm-4.5v puts its text into a box, and may answer in parts [facts:glm:content-forms]', async () => {
    expect((await chat({ model: 'glm-4.5v' })).json.choices[0].message.content).toBe(
      '<|begin_of_box|>2 + 3 is 5.<|end_of_box|>',
    );
    set('visionContent', 'parts');
    expect((await chat({ model: 'glm-4.6v' })).json.choices[0].message.content).toEqual([
      { type: 'text', text: '2 + 3 is 5.' },
    ]);
  });

  test('old vision models can be gone [facts:glm:old-vision]', async () => {
    set('oldVision', 'gone');
    expect((await chat({ model: 'glm-4.5v' })).json.error.code).toBe('1211');
  });

  test('a free model has its own limit of chats at once [facts:glm:free-concurrency]', async () => {
    set('freeConcurrency', 1);
    glm.emulator.fault({ id: 'slow', with: { firstMs: 0, chunkMs: 5 } });
    const model = 'glm-4.7-flash';
    const first = await fetch(`${glm.emulator.url}${BASE}/chat/completions`, {
      method: 'POST',
      headers: { authorization: 'Bearer emulated.secret' },
      body: JSON.stringify({ model, stream: true, messages: [user('[[tokens 500]]')] }),
    });
    expect((await chat({ model })).json.error.code).toBe('1302');
    expect((await chat({ model: 'glm-4.5-flash' })).status).toBe(200);
    expect((await chat({ model: 'glm-4.6' })).status).toBe(200);
    await first.body?.cancel();
  });

  test('a key has so many chats at once, and a request id is used once at a time [facts:glm:concurrency]', async () => {
    set('concurrency', 1);
    glm.emulator.fault({ id: 'slow', with: { firstMs: 0, chunkMs: 5 } });
    const first = await fetch(`${glm.emulator.url}${BASE}/chat/completions`, {
      method: 'POST',
      headers: { authorization: 'Bearer emulated.secret' },
      body: JSON.stringify({
        model: 'glm-4.6',
        stream: true,
        request_id: 'request-1',
        messages: [user('[[tokens 500]]')],
      }),
    });
    const second = await chat({});
    expect([second.status, second.json.error.code]).toEqual([429, '1302']);
    set('concurrency', 0);
    expect((await chat({ request_id: 'request-1' })).json.error.code).toBe('1231');
    await first.body?.cancel();
  });
});
