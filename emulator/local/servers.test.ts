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
import { createLocalVendors } from './local.ts';

const local = useEmulator(createLocalVendors, {});

const set = (vendor: string, name: string, value: unknown): void => {
  local.emulator.switches[vendor]![name] = value;
};
const talk =
  (prefix: string, model: string) =>
  (body: object = {}, headers: Record<string, string> = {}): Promise<Answered> =>
    local.post(
      `${prefix}/v1/chat/completions`,
      { model, messages: [user('What is 2 + 3?')], ...body },
      headers,
    );

const weather = { messages: [user('What is the weather in Oslo?')], tools: [WEATHER_TOOL] };

describe('vLLM', () => {
  const chat = talk('/vllm', 'Qwen/Qwen3-8B');

  test('lists its served model with max_model_len, and is healthy [facts:vllm:models]', async () => {
    expect((await local.get('/vllm/v1/models')).json.data).toEqual([
      expect.objectContaining({ id: 'Qwen/Qwen3-8B', owned_by: 'vllm', max_model_len: 32_768 }),
    ]);
    expect((await local.get('/vllm/health')).status).toBe(200);
    expect((await chat({ model: 'other' })).json.error).toMatchObject({
      type: 'NotFoundError',
      code: 404,
    });
  });

  test('thinks under one key, another, or in the text [facts:vllm:reasoning]', async () => {
    expect((await chat()).json.choices[0].message.reasoning_content).toContain('2 + 3');
    set('vllm', 'reasoning', 'reasoning');
    expect((await chat()).json.choices[0].message.reasoning).toContain('2 + 3');
    set('vllm', 'reasoning', 'inline');
    expect(joined(eventsOf(await chat({ stream: true })), 'content')).toMatch(
      /^<think>\n[\s\S]*<\/think>\n\n2 \+ 3 is 5\.$/,
    );
  });

  test('has nested errors or flat ones [facts:vllm:errors]', async () => {
    expect((await chat({ model: 'x' })).json).toEqual({
      error: {
        message: 'The model `x` does not exist.',
        type: 'NotFoundError',
        param: null,
        code: 404,
      },
    });
    set('vllm', 'errors', 'flat');
    expect((await chat({ model: 'x' })).json).toEqual({
      object: 'error',
      message: 'The model `x` does not exist.',
      type: 'NotFoundError',
      param: null,
      code: 404,
    });
  });

  test('may forbid members of messages that it does not know [facts:vllm:extra-forbidden]', async () => {
    const messages = [
      user('Hi'),
      { role: 'assistant', content: 'Hi', reasoning_content: 'x' },
      user('Hi'),
    ];
    expect((await chat({ messages })).status).toBe(200);
    set('vllm', 'extraMembers', 'forbidden');
    const { status, json } = await chat({ messages });
    expect(status).toBe(400);
    expect(json.error.message).toMatch(/extra_forbidden.*messages', 1, 'reasoning_content'/);
  });

  test('needs flags for tools [facts:vllm:tool-flags]', async () => {
    const { message, finish_reason: finish } = (await chat(weather)).json.choices[0];
    expect(finish).toBe('tool_calls');
    expect(message.tool_calls[0]).toMatchObject({
      type: 'function',
      function: { arguments: '{"city":"Oslo"}' },
    });
    set('vllm', 'toolParser', 'off');
    expect((await chat(weather)).json.error.message).toMatch(/--enable-auto-tool-choice/);
  });

  test('has usage at the end when asked, or with every chunk [facts:vllm:usage]', async () => {
    expect(eventsOf(await chat({ stream: true })).some((event) => event.usage)).toBe(false);
    const asked = eventsOf(await chat({ stream: true, stream_options: { include_usage: true } }));
    expect(asked.filter((event) => event.usage)).toEqual([asked.at(-1)]);
    const each = eventsOf(
      await chat({
        stream: true,
        stream_options: { include_usage: true, continuous_usage_stats: true },
      }),
    );
    expect(each.every((event) => event.usage)).toBe(true);
    expect(each[0].choices[0].delta).toEqual({ role: 'assistant', content: '' });
  });

  test('follows structured_outputs and guided_json [facts:vllm:structured]', async () => {
    const schema = { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] };
    for (const body of [{ structured_outputs: { json: schema } }, { guided_json: schema }])
      expect((await chat(body)).json.choices[0].message.content).toBe('{"n":2}');
  });

  test('says its length and what was asked for when that is too much [facts:vllm:context]', async () => {
    set('vllm', 'maxModelLen', 50);
    const { status, json } = await chat({
      messages: [user('word '.repeat(60).trim())],
      max_tokens: 5,
    });
    expect(status).toBe(400);
    expect(json.error.message).toMatch(
      /maximum context length is 50 tokens.*64 in the messages, 5 in the completion/,
    );
    expect((await chat({}, { 'x-emulate-fault': 'F24' })).json.error.message).toMatch(
      /maximum context length/,
    );
  });

  test('asks for its key when it has one', async () => {
    set('vllm', 'apiKey', 'token');
    expect((await chat()).json).toEqual({ error: 'Unauthorized' });
    expect((await chat({}, { authorization: 'Bearer token' })).status).toBe(200);
  });
});

describe('llama.cpp', () => {
  const chat = talk('/llamacpp', 'whatever');

  test('is healthy, or loading with 503 everywhere [facts:llamacpp:health]', async () => {
    expect((await local.get('/llamacpp/health')).json).toEqual({ status: 'ok' });
    set('llamacpp', 'health', 'loading');
    const loading = { error: { code: 503, message: 'Loading model', type: 'unavailable_error' } };
    for (const answer of [await local.get('/llamacpp/health'), await chat()])
      expect([answer.status, answer.json]).toEqual([503, loading]);
  });

  test('tells its context and what it can [facts:llamacpp:props]', async () => {
    expect((await local.get('/llamacpp/props')).json).toMatchObject({
      default_generation_settings: { n_ctx: 8_192 },
      modalities: { vision: false },
      chat_template_caps: expect.any(Object),
    });
  });

  test('takes any model name, and adds timings [facts:llamacpp:response]', async () => {
    const { json } = await chat({ model: 'gpt-9' });
    expect(json).toMatchObject({
      model: 'gpt-9',
      timings: { predicted_n: expect.any(Number) },
      choices: [{ message: { reasoning_content: expect.any(String) } }],
    });
    const events = eventsOf(await chat({ stream: true, return_progress: true }));
    expect(events[0].choices[0].delta).toEqual({ role: 'assistant', content: null });
    expect(events[0]).toHaveProperty('prompt_progress');
    expect(events.at(-1)).toHaveProperty('timings');
  });

  test('refuses an over-long prompt with its n_ctx [facts:llamacpp:n-ctx]', async () => {
    set('llamacpp', 'nCtx', 64);
    const { status, json } = await chat({ messages: [user('word '.repeat(96).trim())] });
    expect(status).toBe(400);
    expect(json).toEqual({
      error: {
        code: 400,
        message:
          'request (100 tokens) exceeds the available context size (64 tokens), try increasing it',
        type: 'exceed_context_size_error',
        n_prompt_tokens: 100,
        n_ctx: 64,
      },
    });
    expect(
      (await chat({}, { 'x-emulate-fault': 'F24;nCtx=4096;tokens=5000' })).json.error,
    ).toMatchObject({ n_ctx: 4_096, n_prompt_tokens: 5_000 });
  });

  test('embeds within its batch, beyond it is a 500 [facts:llamacpp:embeddings]', async () => {
    const embed = (body: object): Promise<Answered> =>
      local.post('/llamacpp/v1/embeddings', { model: 'x', ...body });
    const floats = (await embed({ input: 'a cat' })).json.data[0].embedding as number[];
    const packed = (await embed({ input: 'a cat', encoding_format: 'base64' })).json.data[0]
      .embedding as string;
    const unpacked = new Float32Array(new Uint8Array(Buffer.from(packed, 'base64')).buffer);
    expect(unpacked).toHaveLength(floats.length);
    expect(unpacked[0]).toBeCloseTo(floats[0]!);
    const large = await embed({ input: 'word '.repeat(513) });
    expect([large.status, large.json.error.message]).toEqual([
      500,
      expect.stringMatching(/too large to process.*batch size/),
    ]);
  });

  test('needs the template engine for tools, and a projector for pictures [facts:llamacpp:jinja]', async () => {
    expect((await chat(weather)).json.choices[0].finish_reason).toBe('tool_calls');
    set('llamacpp', 'jinja', 'off');
    expect((await chat(weather)).json.error.message).toMatch(/--jinja/);
    const picture = {
      type: 'image_url',
      image_url: { url: `data:image/png;base64,${png(1, 1).toString('base64')}` },
    };
    expect((await chat({ messages: [user([picture])] })).status).toBe(500);
    set('llamacpp', 'vision', 'on');
    expect((await chat({ messages: [user([picture])] })).status).toBe(200);
  });
});

describe('LM Studio', () => {
  const chat = talk('/lmstudio', 'qwen3-4b');
  const states = async (): Promise<Record<string, string>> =>
    Object.fromEntries(
      (await local.get('/lmstudio/api/v0/models')).json.data.map((model: Loose) => [
        model.id,
        model.state,
      ]),
    );

  test('has a richer list of models [facts:lmstudio:models]', async () => {
    const { json } = await local.get('/lmstudio/api/v0/models');
    expect(json.object).toBe('list');
    expect(json.data[0]).toEqual({
      id: 'qwen3-4b',
      object: 'model',
      type: 'llm',
      publisher: 'qwen',
      arch: 'qwen3',
      compatibility_type: 'gguf',
      quantization: expect.any(String),
      state: 'loaded',
      max_context_length: 32_768,
    });
    expect((await local.get('/lmstudio/api/v1/models')).json.models[1]).toMatchObject({
      key: 'gemma-3-4b-it',
      loaded_instances: [],
    });
    expect((await local.get('/lmstudio/v1/models')).json.data).toHaveLength(3);
  });

  test('loads on demand, or says that nothing is loaded [facts:lmstudio:load]', async () => {
    expect((await states())['gemma-3-4b-it']).toBe('not-loaded');
    set('lmstudio', 'loading', 'by hand');
    expect((await chat({ model: 'gemma-3-4b-it' })).status).toBe(404);
    set('lmstudio', 'notLoaded', 400);
    expect((await chat({ model: 'gemma-3-4b-it' })).json).toEqual({
      error: expect.stringContaining('No models loaded'),
    });
    set('lmstudio', 'loading', 'on demand');
    expect((await chat({ model: 'gemma-3-4b-it' })).status).toBe(200);
    expect((await states())['gemma-3-4b-it']).toBe('loaded');
    local.emulator.reset();
    expect((await states())['gemma-3-4b-it']).toBe('not-loaded');
  });

  test('has bare errors, or nested ones [facts:lmstudio:errors]', async () => {
    expect((await chat({ messages: [] })).json).toEqual({ error: expect.any(String) });
    set('lmstudio', 'errors', 'nested');
    expect((await chat({ messages: [] })).json.error).toHaveProperty('message');
  });

  test('names the event of an error in a stream [facts:lmstudio:stream-error]', async () => {
    const { text } = await chat({ stream: true }, { 'x-emulate-fault': 'F11.error;after=1' });
    expect(text).toMatch(/\nevent: error\ndata: \{"error":"/);
  });

  test('ignores keys unless tokens are switched on [facts:lmstudio:token]', async () => {
    expect((await chat({}, { authorization: 'Bearer x' })).status).toBe(200);
    set('lmstudio', 'token', 'secret');
    expect((await chat({}, { authorization: 'Bearer x' })).status).toBe(401);
    expect((await chat({}, { authorization: 'Bearer secret' })).status).toBe(200);
  });
});

describe('/local', () => {
  const chat = talk('/local', 'llama3.2');

  test('is the flavour that its switch says, with that server’s own switches and state', async () => {
    expect((await chat()).json.system_fingerprint).toBe('fp_ollama');
    set('local', 'flavour', 'vllm');
    set('vllm', 'served', 'llama3.2');
    expect((await chat()).json.choices[0].message).toHaveProperty('reasoning_content');
    set('local', 'flavour', 'llamacpp');
    expect((await local.get('/local/health')).json).toEqual({ status: 'ok' });
    set('local', 'flavour', 'lmstudio');
    expect((await chat()).json).toEqual({ error: 'Model not found: llama3.2' });
  });

  test('has the faults of its flavour, and passes those that this one lacks', async () => {
    set('local', 'flavour', 'llamacpp');
    expect((await chat({}, { 'x-emulate-fault': 'F24' })).json.error.n_ctx).toBe(8_192);
    set('local', 'flavour', 'ollama');
    expect((await chat({}, { 'x-emulate-fault': 'F24' })).status).toBe(200);
  });

  test('refuses a flavour that nobody knows', () => {
    expect(() => set('local', 'flavour', 'tgi')).toThrow(/flavour/);
  });
});

test.each([
  ['/vllm', 'Qwen/Qwen3-8B'],
  ['/llamacpp', 'x'],
  ['/lmstudio', 'qwen3-4b'],
  ['/ollama', 'llama3.2'],
])(
  '%s has the faults of calls, usage, formats and budgets [F7, F8, F12, F13, F21]',
  async (prefix, model) => {
    const chat = talk(prefix, model);
    const faulty = (id: string, body: object = {}): Promise<Answered> =>
      chat(body, { 'x-emulate-fault': id });
    expect((await faulty('F7.missing')).json).not.toHaveProperty('usage');
    expect(
      eventsOf(await faulty('F7.top', { stream: true })).at(-1).usage.total_tokens,
    ).toBeGreaterThan(0);
    expect(eventsOf(await faulty('F7.choice', { stream: true })).at(-1).choices[0]).toHaveProperty(
      'usage',
    );
    const calls = {
      messages: [user('[[call a {"x":1}]] [[call b {"y":2}]]')],
      tools: [WEATHER_TOOL],
    };
    const deltas = eventsOf(await faulty('F8.interleaved', { ...calls, stream: true })).flatMap(
      (event) => event.choices[0].delta.tool_calls ?? [],
    );
    expect(
      deltas
        .slice(0, 4)
        .map((call) => call.index)
        .join(),
    ).toBe('1,0,1,0');
    expect((await faulty('F8.text', calls)).json.choices[0].message.content).toContain(
      '<tool_call>a',
    );
    const json = { response_format: { type: 'json_object' } };
    expect((await faulty('F12', json)).json.choices[0].message.content).toMatch(/^```json/);
    expect((await faulty('F21', json)).json.choices[0].message.content).toBe('2 + 3 is 5.');
    expect((await faulty('F13')).json.choices[0].finish_reason).toBe('length');
    expect((await faulty('F1')).status).toBe(429);
    expect((await faulty('F3')).status).toBe(503);
    expect((await faulty('F16')).status).toBe(401);
  },
);

test.each(['/vllm', '/llamacpp', '/lmstudio', '/ollama'])(
  '%s answers nonsense with an error, never with silence',
  async (prefix) => {
    for (const body of ['{', '[]', '{"messages":[null]}', '{"messages":"x","model":{}}']) {
      const { status } = await local.post(`${prefix}/v1/chat/completions`, body);
      expect(status).toBeGreaterThanOrEqual(400);
    }
    expect((await local.get(`${prefix}/nothing`)).text).not.toBe('');
  },
);
