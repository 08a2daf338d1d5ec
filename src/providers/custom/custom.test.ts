import { describe, expect, test } from 'vitest';
import { CLOCK_TOOL, user, WEATHER } from './custom.fixture.ts';
import { emulatedServers } from './servers.fixture.ts';

const FLAVOURS = [
  ['ollama', 'qwen3:8b', 'Ollama'],
  ['vllm', 'Qwen/Qwen3-8B', 'vLLM'],
  ['llamacpp', 'whatever', 'llama.cpp'],
  ['lmstudio', 'qwen3-4b', 'LM Studio'],
] as const;

const { emulator, setUp } = emulatedServers();

describe.each(FLAVOURS)('%s', (flavour, model, title) => {
  test.each(['stream', 'whole'] as const)('answers, %s', async (delivery) => {
    const { ask, exchanges } = setUp(flavour, model);
    const outcome = await ask({ messages: [user('Say exactly: blue ☃ 熊猫')], delivery });
    expect(outcome).toMatchObject({
      is: 'answered',
      finish: 'stop',
      answer: { text: 'blue ☃ 熊猫', notices: [], usage: { estimated: false } },
    });
    expect(exchanges).toEqual([
      expect.objectContaining({
        provider: 'custom',
        operation: 'chat',
        outcome: 'ok',
        status: 200,
      }),
    ]);
  });

  test('is recognised, with its models', async () => {
    const { provider, context } = setUp(flavour, model);
    expect(await provider.check(context)).toMatch(new RegExp(`^${title} with `));
    const models = await provider.models?.(context);
    expect(models?.length).toBeGreaterThan(0);
    expect(models?.map(({ id }) => id)).not.toContain('text-embedding-nomic-embed-text-v1.5');
  });

  test('thinks under either field name, and the reasoning is separated', async () => {
    const { ask } = setUp(flavour, model);
    const { answer } = await ask('[[think 20]] Say exactly: done');
    expect(answer.text).toBe('done');
    expect(answer.reasoning).not.toBe('');
  });

  test('calls a tool, and continues with its result', async () => {
    const { ask } = setUp(flavour, model);
    const first = await ask({
      messages: [user('Use get_weather for the city "Oslo".')],
      tools: [WEATHER],
    });
    expect(first).toMatchObject({ is: 'answered', finish: 'tool_calls' });
    const { toolCalls, reasoning } = first.answer;
    expect(toolCalls).toMatchObject([{ name: 'get_weather' }]);
    const [call] = toolCalls;
    const second = await ask({
      messages: [
        user('Use get_weather for the city "Oslo".'),
        { role: 'assistant', content: '', reasoning, toolCalls },
        { role: 'tool', toolCallId: call?.id ?? '', content: 'Snow, minus four degrees.' },
      ],
      tools: [WEATHER],
    });
    expect(second.answer.text).toContain('Snow, minus four degrees.');
  });

  test('is made to call a tool, whether it obeys tool_choice or not (F21)', async () => {
    const { ask, chats } = setUp(flavour, model);
    const outcome = await ask({
      messages: [user('Tell me about get_time.')],
      tools: [WEATHER, CLOCK_TOOL],
      toolChoice: { name: 'get_time' },
    });
    expect(outcome).toMatchObject({
      is: 'answered',
      finish: 'tool_calls',
      answer: { toolCalls: [{ name: 'get_time' }] },
    });
    expect(Object.hasOwn(chats()[0] ?? {}, 'tool_choice')).toBe(flavour !== 'ollama');
  });

  test('that answers in words although a call was demanded is asked again, then refused (F21)', async () => {
    emulator().fault({ id: 'F21', vendor: flavour, times: 0, path: '/chat/completions' });
    const { ask, chats } = setUp(flavour, model);
    const outcome = await ask({
      messages: [user('Hello.')],
      tools: [CLOCK_TOOL],
      toolChoice: 'required',
    });
    expect(outcome).toMatchObject({
      is: 'failed',
      error: { class: 'bad_response' },
      answer: { text: '' },
    });
    expect(chats()).toHaveLength(2);
  });

  test('gives JSON that fits a schema, also when it fences it (F12)', async () => {
    const { ask } = setUp(flavour, model);
    const schema = {
      type: 'object',
      properties: { answer: { type: 'number' } },
      required: ['answer'],
    };
    const format = { type: 'json_schema', name: 'sum', schema } as const;
    const plain = await ask({ messages: [user('What is 2 + 3?')], responseFormat: format });
    expect(JSON.parse(plain.answer.text)).toHaveProperty('answer');
    emulator().fault({ id: 'F12.fenced', vendor: flavour, path: '/chat/completions' });
    const fenced = await ask({ messages: [user('What is 2 + 3?')], responseFormat: format });
    expect(JSON.parse(fenced.answer.text)).toHaveProperty('answer');
    const free = await ask({
      messages: [user('What is 2 + 3?')],
      responseFormat: { type: 'json' },
    });
    expect(free.is).toBe('answered');
  });

  test('that only thinks within the limit of the request ends as length (F13)', async () => {
    emulator().fault({ id: 'F13', vendor: flavour, path: '/chat/completions' });
    const { ask } = setUp(flavour, model);
    const outcome = await ask({ messages: [user('Say exactly: yes')], maxOutputTokens: 50 });
    expect(outcome).toMatchObject({ is: 'answered', finish: 'length', answer: { text: '' } });
    expect(outcome.answer.notices[0]?.code).toBe('limit_spent_on_thinking');
  });

  test.each([
    ['F1', 'rate_limit'],
    ['F3', 'overloaded'],
    ['F16', 'auth'],
    ['F4.504', 'timeout'],
    ['F4.502', 'provider_error'],
    ['F5.reset', 'network'],
  ])('fails by %s as %s', async (id, errorClass) => {
    emulator().fault({ id, vendor: flavour, path: '/chat/completions' });
    const { ask } = setUp(flavour, model);
    expect(await ask('Hello')).toMatchObject({
      is: 'failed',
      error: { class: errorClass, provider: 'custom' },
    });
  });

  test('keeps what came before it broke off', async () => {
    emulator().fault({ id: 'F5.cut', vendor: flavour, path: '/chat/completions', after: 30 });
    const { ask } = setUp(flavour, model);
    const outcome = await ask('[[tokens 60]]');
    expect(outcome).toMatchObject({ is: 'failed', error: { class: 'interrupted' } });
    expect(outcome.answer.text).not.toBe('');
  });

  test('that breaks off with an error inside the stream fails', async () => {
    emulator().fault({ id: 'F11.error', vendor: flavour, path: '/chat/completions', after: 2 });
    expect(await setUp(flavour, model).ask('[[tokens 60]]')).toMatchObject({
      is: 'failed',
      error: { class: 'provider_error' },
    });
  });

  test('embeds texts', async () => {
    const { provider, context } = setUp(flavour, flavour === 'ollama' ? 'nomic-embed-text' : model);
    const embedded = await provider.embed?.({ texts: ['a cat', 'a dog'] }, context);
    expect(embedded?.vectors).toHaveLength(2);
    expect(embedded?.vectors[0]?.length).toBeGreaterThan(100);
    expect(embedded?.usage.input).toBeGreaterThan(0);
  });
});
