import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { notice } from '#core/messages/notices.ts';
import { createSecret } from '#core/secrets/secret.ts';
import { verifies } from '../../../test/verifies.ts';
import { createCustom } from './custom.ts';
import { resolveCustomModelId } from './custom-model.ts';
import { readServer } from './probes.ts';
import { CUSTOM_IDENTITY } from './server-identity.ts';
import { asking, PNG, user, WEATHER } from './custom.fixture.ts';
import { emulatedServers } from './servers.fixture.ts';

const { emulator, deps, setUp } = emulatedServers();

describe('vLLM', () => {
  test.each(['flat', 'nested'])('says what is wrong in a %s error', async (errors) => {
    emulator().switches['vllm']!['errors'] = errors;
    expect(await setUp('vllm').ask({ model: 'nope', messages: [user('Hi')] })).toMatchObject({
      error: { class: 'not_found', message: expect.stringContaining('nope') },
    });
  });

  test('gets no private members in messages: older versions refuse them', async () => {
    emulator().switches['vllm']!['extraMembers'] = 'forbidden';
    const outcome = await setUp('vllm', 'Qwen/Qwen3-8B').ask({
      messages: [
        user('Weather?'),
        {
          role: 'assistant',
          content: '',
          reasoning: 'Hm.',
          reasoningDetails: [{ type: 'reasoning.text' }],
          toolCalls: [{ id: 'a', name: 'get_weather', arguments: '{}' }],
        },
        { role: 'tool', toolCallId: 'a', name: 'get_weather', content: 'Rain' },
      ],
    });
    expect(outcome.is).toBe('answered');
  });

  test.each(['reasoning_content', 'reasoning', 'inline'])('thinks as %s', async (reasoning) => {
    emulator().switches['vllm']!['reasoning'] = reasoning;
    const { answer } = await setUp('vllm', 'Qwen/Qwen3-8B').ask('[[think 9]] Say exactly: done');
    expect(answer.text).toBe('done');
    expect(answer.reasoning).not.toBe('');
  });

  test('names the flag it lacks when it was not started for tools', async () => {
    emulator().switches['vllm']!['toolParser'] = 'off';
    const outcome = await setUp('vllm', 'Qwen/Qwen3-8B').ask({
      messages: [user('Weather?')],
      tools: [WEATHER],
    });
    expect(outcome).toMatchObject({
      error: { class: 'not_configured', fix: expect.stringContaining('--tool-call-parser') },
    });
  });

  test('uses a key when there is one', async () => {
    emulator().switches['vllm']!['apiKey'] = 'sk-vllm-0123456789';
    const without = setUp('vllm', 'Qwen/Qwen3-8B');
    expect(await without.ask('Hi')).toMatchObject({
      error: { class: 'auth', fix: expect.stringContaining('CUSTOM_API_KEY') },
    });
    const { ask, provider, context } = setUp('vllm', '', {
      key: createSecret('sk-vllm-0123456789'),
    });
    expect(await ask('Say exactly: in')).toMatchObject({ answer: { text: 'in' } });
    expect(await provider.check(context)).toContain('vLLM');
  });

  test('reports its context window when a prompt is too long (F24)', async () => {
    emulator().switches['vllm']!['maxModelLen'] = 500;
    expect(await setUp('vllm', 'Qwen/Qwen3-8B').ask('word '.repeat(2_000))).toMatchObject({
      error: { class: 'context_length', contextTokens: 500 },
    });
  });
});

describe('llama.cpp', () => {
  test('names its window in the refusal, which is remembered (F24)', async () => {
    emulator().fault({
      id: 'F24',
      vendor: 'llamacpp',
      path: '/chat/completions',
      with: { nCtx: 2048 },
    });
    const { ask, chats } = setUp('llamacpp', 'any');
    expect(await ask('word '.repeat(3_000))).toMatchObject({
      error: { class: 'context_length', contextTokens: 2_048 },
    });
    expect(chats()).toHaveLength(1);
    const { answer } = await ask({ messages: [user('Hello')], maxOutputTokens: 5_000 });
    expect(answer.notices).toEqual([
      notice('max_tokens_lowered', {
        model: 'any',
        limit: 2_048,
        requested: 5_000,
        reason: 'model',
      }),
    ]);
  });

  verifies('security:shared-breakers', 'is not believed of a window of nothing', async () => {
    emulator().fault({
      id: 'F24',
      vendor: 'llamacpp',
      path: '/chat/completions',
      with: { nCtx: 1 },
    });
    const { ask } = setUp('llamacpp', 'any');
    expect(await ask('Hello')).toMatchObject({ error: { class: 'context_length' } });
    expect(await ask('Say exactly: again')).toMatchObject({ answer: { text: 'again' } });
  });

  test('is overloaded while it loads, with a hint when to come back', async () => {
    emulator().switches['llamacpp']!['health'] = 'loading';
    expect(await setUp('llamacpp', 'any').ask('Hello')).toMatchObject({
      error: {
        class: 'overloaded',
        retryAfterMs: 2_000,
        message: expect.stringContaining('llama.cpp'),
      },
    });
  });

  test('reports its context window and its input types', async () => {
    const { provider, context } = setUp('llamacpp');
    expect(await provider.models?.(context)).toEqual([
      { id: 'emulated-8b-q4_k_m.gguf', contextTokens: 8_192, images: false, tools: true },
    ]);
  });

  test('that cannot see gets no picture', async () => {
    const { ask, chats } = setUp('llamacpp', 'emulated-8b-q4_k_m.gguf');
    const outcome = await ask({
      messages: [
        {
          role: 'user',
          content: [{ type: 'image', source: { base64: PNG, mediaType: 'image/png' } }],
        },
      ],
    });
    expect(outcome).toMatchObject({ error: { class: 'bad_request' } });
    expect(chats()).toHaveLength(0);
  });

  test('refuses texts to embed that are too large, which is not a failure of the server', async () => {
    const { provider, context } = setUp('llamacpp', 'any');
    await expect(
      provider.embed?.({ texts: ['word '.repeat(2_000)] }, context),
    ).rejects.toMatchObject({
      class: 'too_large',
    });
  });

  test('without the template engine names the flag', async () => {
    emulator().switches['llamacpp']!['jinja'] = 'off';
    // It reports that it does not support tools.
    const outcome = await setUp('llamacpp', 'any').ask({
      messages: [user('Hi')],
      tools: [WEATHER],
    });
    expect(outcome).toMatchObject({ is: 'failed', error: { class: 'bad_request' } });
  });
});

describe('LM Studio', () => {
  test.each(['bare', 'nested'])('says what is wrong in a %s error', async (errors) => {
    emulator().switches['lmstudio']!['errors'] = errors;
    expect(await setUp('lmstudio').ask({ model: 'nope', messages: [user('Hi')] })).toMatchObject({
      error: { class: 'not_found', fix: 'Get it with: lms get nope' },
    });
  });

  test('is given time to load a model', async () => {
    emulator().switches['lmstudio']!['loadMs'] = 300;
    const hasty = { ...deps(), timeouts: { firstTokenMs: 50, idleMs: 5_000 } };
    const baseUrl = `${emulator().url}/lmstudio/v1`;
    const provider = createCustom({ baseUrl, key: createSecret('') }, hasty);
    const { ask } = asking(provider, deps().clock, 'gemma-3-4b-it');
    expect(await ask('Say exactly: awake')).toMatchObject({ answer: { text: 'awake' } });
  });

  test.each([404, 400])('without a loaded model says what to do (%i)', async (status) => {
    emulator().switches['lmstudio']!['loading'] = 'by hand';
    emulator().switches['lmstudio']!['notLoaded'] = status;
    expect(await setUp('lmstudio', 'gemma-3-4b-it').ask('Hi')).toMatchObject({
      error: { class: 'not_configured', fix: expect.stringContaining('lms load') },
    });
  });

  test('embeds with its embedding model by default', async () => {
    const { provider, context } = setUp('lmstudio');
    await provider.embed?.({ texts: ['a cat'] }, context);
    const last = emulator()
      .requests()
      .findLast(({ path }) => path.endsWith('/embeddings'));
    expect(last?.body).toMatchObject({ model: 'text-embedding-nomic-embed-text-v1.5' });
  });
});

describe('the custom server', () => {
  test('without an address says what to set', async () => {
    const provider = createCustom({ baseUrl: '', key: createSecret('') }, deps());
    const { ask, context } = asking(provider, deps().clock);
    const expected = { class: 'not_configured', field: 'CUSTOM_API_URL' };
    expect(await ask('Hi')).toMatchObject({ error: expected });
    await expect(provider.check(context)).rejects.toMatchObject(expected);
  });

  test('that is not there fails as network, and works once it is', async () => {
    const provider = createCustom({ baseUrl: 'http://127.0.0.1:9', key: createSecret('') }, deps());
    const { ask } = asking(provider, deps().clock, 'm');
    expect(await ask('Hi')).toMatchObject({ error: { class: 'network', provider: 'custom' } });
  });

  test('with several models and none set answers with the first chat model of its list', async () => {
    const { ask, chats } = setUp('ollama');
    expect(await ask('Say exactly: me')).toMatchObject({ answer: { text: 'me' } });
    expect(chats()[0]).toMatchObject({ model: 'llama3.2:latest' });
  });

  test.each([
    ['ollama', [], 'The custom server has no model.', 'ollama pull llama3.2'],
    [
      'generic',
      [{ id: 'nomic-embed-text' }],
      'The custom server has no chat model, only nomic-embed-text.',
      expect.stringContaining('CUSTOM_MODEL'),
    ],
  ] as const)(
    'without a chat model names what is missing: %s %j',
    (flavour, models, message, fix) => {
      const server = { flavour, models, embeddingModels: [], lists: true };
      expect(() => resolveCustomModelId('', '', server, CUSTOM_IDENTITY)).toThrow(
        expect.objectContaining({ class: 'not_configured', message, fix }),
      );
    },
  );

  verifies(
    'providers:one-line',
    'a list without types, or without an object around it, is a list of models',
    () => {
      const entries = [{ id: 'a/b', context_length: 8_000 }, { id: 'c' }];
      const [found] = readServer({ models: { data: entries } }).models;
      expect(found).toMatchObject({ id: 'a/b', contextTokens: 8_000 });
      for (const models of [{ data: entries }, entries])
        expect(readServer({ models })).toMatchObject({ flavour: 'generic', lists: true });
      const others = [{}, { data: [] }, { data: [{ name: 'x' }] }, { data: [{ id: 1 }] }, 'ok'];
      for (const models of [...others, { data: [{ id: 'f', object: 'file' }] }])
        expect(readServer({ models })).toMatchObject({ flavour: undefined, lists: false });
    },
  );

  test('with one model needs no name', async () => {
    expect(await setUp('vllm').ask('Say exactly: me')).toMatchObject({ answer: { text: 'me' } });
  });

  test('is asked what it is once, not for every call', async () => {
    const { ask } = setUp('vllm');
    await Promise.all([ask('One'), ask('Two'), ask('Three')]);
    await ask('Four');
    const probes = emulator()
      .requests()
      .filter(({ path }) => !path.includes('chat/completions'));
    expect(probes).toHaveLength(5);
  });

  test('refuses bad input before a byte is sent', async () => {
    const { ask, chats } = setUp('vllm');
    const many = Array.from({ length: 200 }, (_, index) => ({ ...WEATHER, name: `t${index}` }));
    expect(await ask({ messages: [] })).toMatchObject({ error: { class: 'validation' } });
    expect(await ask({ messages: [user(' ')] })).toMatchObject({ error: { class: 'validation' } });
    expect(await ask({ messages: [user('Hi')], tools: many })).toMatchObject({
      error: { class: 'validation', field: 'tools' },
    });
    expect(await ask({ messages: [user('Hi')], model: 'x\n'.repeat(500) })).toMatchObject({
      error: { class: 'not_found' },
    });
    expect(chats()).toHaveLength(0);
  });

  test('gets a lone surrogate replaced, with a notice', async () => {
    const { answer } = await setUp('vllm').ask('Say exactly: a\ud800b');
    expect(answer).toMatchObject({
      text: 'a\ufffdb',
      notices: [notice('characters_replaced', {})],
    });
  });

  test('is left alone when the caller gives up', async () => {
    emulator().fault({ id: 'F5.silent', vendor: 'vllm', path: '/chat/completions' });
    const { ask, controller, exchanges } = setUp('vllm');
    const asked = ask('Hi');
    await expect
      .poll(() =>
        emulator()
          .requests()
          .some(({ path }) => path.endsWith('/chat/completions')),
      )
      .toBe(true);
    controller.abort(new DOMException('enough', 'AbortError'));
    expect(await asked).toMatchObject({ error: { class: 'cancelled' } });
    expect(exchanges).toMatchObject([{ outcome: 'cancelled' }]);
  });
});

test('a server without a chat model is reported by its check, with what to do', async () => {
  const server = createServer((request, response) => {
    const isTags = request.url === '/api/tags';
    const body = isTags
      ? { models: [{ name: 'nomic-embed-text:latest', digest: 'x' }] }
      : request.url === '/api/version'
        ? { version: '0.12.0' }
        : { object: 'list', data: [] };
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify(body));
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const settings = { baseUrl: `http://127.0.0.1:${port}/v1`, key: createSecret('') };
  const { context } = asking(createCustom(settings, deps()), deps().clock);
  await expect(createCustom(settings, deps()).check(context)).rejects.toMatchObject({
    class: 'not_configured',
    message: 'The custom server has no chat model, only nomic-embed-text:latest.',
    fix: 'ollama pull llama3.2',
  });
  const named = createCustom({ ...settings, model: 'mine' }, deps());
  expect(await named.check(context)).toContain('Ollama');
});
