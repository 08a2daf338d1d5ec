import { describe, expect, test } from 'vitest';
import {
  eventsOf,
  joined,
  png,
  user,
  useEmulator,
  WEATHER_TOOL,
  type Answered,
  type Loose,
} from '../client.fixture.ts';
import { createOllama } from './ollama.ts';

const ollama = useEmulator(() => [createOllama()], {});

const chat = (body: object = {}, headers: Record<string, string> = {}): Promise<Answered> =>
  ollama.post(
    '/ollama/v1/chat/completions',
    { model: 'llama3.2', messages: [user('What is 2 + 3?')], ...body },
    headers,
  );

const native = (body: object = {}, headers: Record<string, string> = {}): Promise<Answered> =>
  ollama.post(
    '/ollama/api/chat',
    { model: 'llama3.2', messages: [user('What is 2 + 3?')], ...body },
    headers,
  );

const weather = { messages: [user('What is the weather in Oslo?')], tools: [WEATHER_TOOL] };
const image = (url: string): object => ({ type: 'image_url', image_url: { url } });

describe('/v1/chat/completions', () => {
  test('answers with fp_ollama and the three totals alone [facts:ollama:response]', async () => {
    const { json } = await chat();
    expect(json).toEqual({
      id: 'chatcmpl-1',
      object: 'chat.completion',
      created: 1_794_700_800,
      model: 'llama3.2',
      system_fingerprint: 'fp_ollama',
      choices: [
        { index: 0, message: { role: 'assistant', content: '2 + 3 is 5.' }, finish_reason: 'stop' },
      ],
      usage: { prompt_tokens: 10, completion_tokens: 6, total_tokens: 16 },
    });
  });

  test('thinks in message.reasoning, and not when told [facts:ollama:reasoning]', async () => {
    expect((await chat({ model: 'qwen3:8b' })).json.choices[0].message.reasoning).toContain(
      '2 + 3',
    );
    expect(
      (await chat({ model: 'qwen3:8b', reasoning_effort: 'none' })).json.choices[0].message,
    ).not.toHaveProperty('reasoning');
    expect((await chat({ model: 'qwen3:8b', reasoning: { effort: 'low' } })).status).toBe(200);
    expect((await chat({ model: 'qwen3:8b', reasoning_effort: 'max' })).status).toBe(400);
    expect((await chat({ reasoning_effort: 'high' })).json.error.message).toMatch(
      /does not support thinking/,
    );
    const events = eventsOf(await chat({ model: 'qwen3:8b', stream: true }));
    expect(joined(events, 'reasoning')).toContain('2 + 3');
  });

  test('repeats the role in every delta, and has usage only when asked [facts:ollama:stream]', async () => {
    const events = eventsOf(await chat({ stream: true }));
    expect(events.every((event) => event.choices[0].delta.role === 'assistant')).toBe(true);
    expect(events.some((event) => event.usage !== undefined)).toBe(false);
    const asked = eventsOf(await chat({ stream: true, stream_options: { include_usage: true } }));
    expect(asked.at(-1)).toMatchObject({ choices: [], usage: { total_tokens: 16 } });
  });

  test('has each tool call whole with id and index, and the finish tool_calls [facts:ollama:tool-calls]', async () => {
    const events = eventsOf(await chat({ ...weather, stream: true }));
    const calls = events.flatMap((event) => event.choices[0].delta.tool_calls ?? []);
    expect(calls).toEqual([
      {
        index: 0,
        id: expect.any(String),
        type: 'function',
        function: { name: 'get_weather', arguments: '{"city":"Oslo"}' },
      },
    ]);
    expect(events.at(-1).choices[0].finish_reason).toBe('tool_calls');
  });

  test('ignores tool_choice, n, logprobs, parallel_tool_calls and max_completion_tokens [facts:ollama:ignored]', async () => {
    const forced = await chat({
      tools: [WEATHER_TOOL],
      tool_choice: 'required',
      n: 3,
      logprobs: true,
      parallel_tool_calls: false,
    });
    expect(forced.json.choices).toHaveLength(1);
    expect(forced.json.choices[0].finish_reason).toBe('stop');
    expect((await chat({ ...weather, tool_choice: 'none' })).json.choices[0].finish_reason).toBe(
      'tool_calls',
    );
    expect((await chat({ max_completion_tokens: 1 })).json.choices[0].finish_reason).toBe('stop');
    expect((await chat({ max_tokens: 1 })).json.choices[0].finish_reason).toBe('length');
  });

  test('keeps to a schema [facts:ollama:json-schema]', async () => {
    const schema = { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] };
    const { json } = await chat({
      response_format: { type: 'json_schema', json_schema: { name: 's', schema } },
    });
    expect(JSON.parse(json.choices[0].message.content)).toEqual({ n: 2 });
  });

  test('takes pictures as data URLs of four types or none [facts:ollama:images]', async () => {
    const data = png(5, 4).toString('base64');
    for (const type of ['image/jpeg', 'image/jpg', 'image/png', 'image/webp', ''])
      expect(
        (await chat({ model: 'llava', messages: [user([image(`data:${type};base64,${data}`)])] }))
          .status,
      ).toBe(200);
    for (const url of ['https://x.example/a.png', `data:image/gif;base64,${data}`])
      expect((await chat({ model: 'llava', messages: [user([image(url)])] })).json).toEqual({
        error: {
          message: 'invalid image input',
          type: 'invalid_request_error',
          param: null,
          code: null,
        },
      });
  });

  test('refuses other parts, and history whose arguments are no JSON [facts:ollama:messages]', async () => {
    for (const part of [
      { type: 'input_audio' },
      { type: 'video_url', video_url: { url: 'x' } },
      { type: 'file', file: {} },
    ])
      expect((await chat({ messages: [user([part])] })).json.error.message).toBe(
        'invalid message format',
      );
    const broken = {
      role: 'assistant',
      content: '',
      tool_calls: [{ id: 'a', type: 'function', function: { name: 'f', arguments: '{"x":' } }],
    };
    const { status, json } = await chat({ messages: [user('Hi'), broken] });
    expect([status, json.error.message]).toEqual([400, 'invalid tool call arguments']);
  });

  test('splits parts into messages: the last text is the question [facts:ollama:split-parts]', async () => {
    const parts = [
      { type: 'text', text: 'Say exactly: one' },
      { type: 'text', text: 'Say exactly: two' },
    ];
    expect((await chat({ messages: [user(parts)] })).json.choices[0].message.content).toBe('two');
  });

  test('cuts prompts that are too long without a word [facts:ollama:truncation]', async () => {
    ollama.emulator.switches['ollama']!['numCtx'] = 100;
    const messages = [
      { role: 'system', content: 'The code word is heron.' },
      user('The harbour master is called Ingrid.'),
      user('word '.repeat(80)),
      user('What is the harbour master called?'),
    ];
    const { status, json } = await chat({ messages });
    expect(status).toBe(200);
    expect(json.choices[0].message.content).not.toContain('Ingrid');
    expect(json.usage.prompt_tokens).toBeLessThanOrEqual(100);
    ollama.emulator.switches['ollama']!['numCtx'] = 4_096;
    expect((await chat({ messages })).json.choices[0].message.content).toContain('Ingrid');
    ollama.emulator.switches['ollama']!['numCtx'] = 20;
    expect(
      (await chat({ messages: [user(`${'word '.repeat(500)} Say exactly: end`)] })).json.choices[0]
        .message.content,
    ).toBe('end');
  });

  test('knows no such model: 404 not_found_error [facts:ollama:errors]', async () => {
    const { status, json } = await chat({ model: 'missing' });
    expect(status).toBe(404);
    expect(json.error).toEqual({
      message: "model 'missing' not found",
      type: 'not_found_error',
      param: null,
      code: null,
    });
    expect((await chat({ model: 'llava', tools: [WEATHER_TOOL] })).json.error.message).toMatch(
      /does not support tools/,
    );
    expect((await chat({ messages: [] })).status).toBe(400);
    expect((await chat({ messages: [{ role: 'user' }] })).status).toBe(400);
  });

  test('takes any key but an empty one [facts:ollama:key]', async () => {
    expect((await chat({}, { authorization: 'Bearer whatever' })).status).toBe(200);
    expect((await chat({}, { authorization: 'Bearer ' })).status).toBe(401);
  });
});

describe('its own language', () => {
  const lines = ({ text }: Answered): readonly Loose[] =>
    text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));

  test('/api/chat streams lines of JSON, the last with the counts [facts:ollama:ndjson]', async () => {
    const answer = await native();
    const all = lines(answer);
    expect(answer.headers.get('content-type')).toBe('application/x-ndjson');
    expect(all.slice(0, -1).every((line) => line.done === false)).toBe(true);
    expect(all.map((line) => line.message.content).join('')).toBe('2 + 3 is 5.');
    expect(all.at(-1)).toMatchObject({
      done: true,
      done_reason: 'stop',
      prompt_eval_count: 10,
      eval_count: 6,
    });
  });

  test('/api/generate answers a prompt, streamed or whole [facts:ollama:generate]', async () => {
    const asked = (body: object) =>
      ollama.post('/ollama/api/generate', { model: 'llama3.2', prompt: 'What is 2 + 3?', ...body });
    const all = lines(await asked({}));
    expect(all.map((line) => line.response).join('')).toBe('2 + 3 is 5.');
    expect(all.at(-1)).toMatchObject({ done: true, done_reason: 'stop' });
    expect((await asked({ stream: false })).json).toMatchObject({ response: '2 + 3 is 5.' });
    expect((await asked({ prompt: '', stream: false })).json).toMatchObject({
      done_reason: 'load',
    });
    expect((await asked({ model: 'nothing' })).status).toBe(404);
  });

  test('/api/embed gives a vector for each text [facts:ollama:embed]', async () => {
    const asked = (body: object) =>
      ollama.post('/ollama/api/embed', { model: 'llama3.2', ...body });
    const { json } = await asked({ input: ['one', 'two'] });
    expect(json.embeddings.map((vector: readonly number[]) => vector.length)).toEqual([768, 768]);
    expect((await asked({ input: [] })).status).toBe(400);
    expect((await asked({ model: 'nothing', input: 'x' })).status).toBe(404);
  });

  test('has arguments as objects, and takes them back [facts:ollama:native-tools]', async () => {
    const { message } = (await native({ ...weather, stream: false })).json;
    expect(message.tool_calls).toEqual([
      { function: { name: 'get_weather', arguments: { city: 'Oslo' } } },
    ]);
    const messages = [
      ...weather.messages,
      message,
      { role: 'tool', tool_name: 'get_weather', content: 'four degrees' },
    ];
    expect((await native({ ...weather, messages, stream: false })).json.message.content).toContain(
      'four degrees',
    );
  });

  test('takes num_ctx and num_predict, thinks aside, and reads pictures', async () => {
    const options = { num_predict: 2, num_ctx: 50 };
    expect((await native({ stream: false, options })).json).toMatchObject({
      done_reason: 'length',
      eval_count: 2,
    });
    expect((await native({ stream: false, model: 'qwen3:8b' })).json.message.thinking).toContain(
      '2 + 3',
    );
    expect((await native({ stream: false, think: true })).status).toBe(400);
    const seen = await native({
      stream: false,
      model: 'llava',
      messages: [{ ...user('What?'), images: [png(7, 8).toString('base64')] }],
    });
    expect(seen.json.message.content).toContain('7 x 8 pixels');
    expect((await native({ stream: false, format: 'json' })).json.message.content).toBe(
      '{"answer":"2 + 3 is 5."}',
    );
  });

  test('has bare errors [facts:ollama:native-errors]', async () => {
    const { status, json } = await native({ model: 'missing' });
    expect([status, json]).toEqual([404, { error: "model 'missing' not found" }]);
    const broken = lines(await native({}, { 'x-emulate-fault': 'F11.error;after=2' }));
    expect(broken).toHaveLength(3);
    expect(broken[2]).toEqual({ error: expect.any(String) });
  });

  test('lists models and says its version [facts:ollama:tags]', async () => {
    expect((await ollama.get('/ollama/api/tags')).json.models[0]).toMatchObject({
      name: 'llama3.2:latest',
      details: { family: 'llama' },
    });
    expect((await ollama.get('/ollama/api/version')).json).toEqual({ version: expect.any(String) });
    expect((await ollama.get('/ollama/v1/models')).json.data[0]).toMatchObject({
      id: 'llama3.2:latest',
      owned_by: 'library',
    });
    expect((await ollama.get('/ollama')).text).toBe('Ollama is running');
  });
});

describe('what it tells about a model', () => {
  const show = (body: unknown): Promise<Answered> => ollama.post('/ollama/api/show', body);

  test('is what the model can do, what it was trained for, and the window that its file sets', async () => {
    expect((await show({ model: 'llava' })).json).toMatchObject({
      details: { family: 'llama', parameter_size: '7B' },
      model_info: { 'general.architecture': 'llama', 'llama.context_length': 32_768 },
      parameters: expect.stringMatching(/^num_ctx +8192$/m),
      capabilities: ['completion', 'vision'],
    });
    const plain = (await show({ name: 'qwen3:8b' })).json;
    expect(plain.parameters).not.toContain('num_ctx');
    expect(plain.capabilities).toEqual(['completion', 'tools', 'thinking']);
    expect((await show({ model: 'nomic-embed-text' })).json.capabilities).toEqual(['embedding']);
  });

  test('is refused for what it does not have', async () => {
    expect((await show({ model: 'missing' })).status).toBe(404);
    for (const body of [{}, { model: 1 }, '{', []]) expect((await show(body)).status).toBe(400);
  });

  test('is the window it runs with, for five minutes after it was used', async () => {
    const running = async (): Promise<unknown> =>
      (await ollama.get('/ollama/api/ps')).json.models.map(
        ({ name, context_length: window }: Loose) => [name, window],
      );
    expect(await running()).toEqual([]);
    await chat();
    ollama.emulator.switches['ollama']!['numCtx'] = 16_384;
    await native({ model: 'llava' });
    expect(await running()).toEqual([
      ['llama3.2:latest', 16_384],
      ['llava:latest', 8_192],
    ]);
    ollama.now += 300_000;
    expect(await running()).toEqual([]);
  });

  test('is what it keeps to', async () => {
    const messages = [user(`${'word '.repeat(20_000)}What is 2 + 3?`)];
    const read = async (model: string): Promise<number> =>
      (await chat({ model, messages })).json.usage.prompt_tokens;
    expect(await read('llama3.2')).toBeLessThanOrEqual(4_096);
    expect(await read('llava')).toBeGreaterThan(4_096);
    expect(await read('llava')).toBeLessThanOrEqual(8_192);
  });
});

test('embeddings are of the same place', async () => {
  const { json } = await ollama.post('/ollama/v1/embeddings', {
    model: 'nomic-embed-text',
    input: ['a cat', 'a dog'],
  });
  expect(json.data.map((one: Loose) => one.embedding.length)).toEqual([768, 768]);
});

test('faults have its words [F1, F3, F10, F11, F13, F16]', async () => {
  const fault = async (id: string, body: object = {}): Promise<Answered> =>
    chat(body, { 'x-emulate-fault': id });
  expect((await fault('F1')).status).toBe(429);
  expect((await fault('F3')).json.error).toMatchObject({
    message: expect.stringContaining('server busy'),
    type: 'api_error',
  });
  expect((await fault('F10')).status).toBe(404);
  expect((await fault('F16')).status).toBe(401);
  expect((await fault('F13')).json.choices[0]).toMatchObject({
    finish_reason: 'length',
    message: { content: '' },
  });
  const events = eventsOf(await fault('F11.error;after=1', { stream: true }));
  expect(events).toHaveLength(2);
  expect(events[1].error.type).toBe('api_error');
  expect((await native({}, { 'x-emulate-fault': 'F3' })).json).toEqual({
    error: expect.stringContaining('busy'),
  });
});
