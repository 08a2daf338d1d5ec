import { describe, expect, onTestFinished, test } from 'vitest';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { notice } from '#core/messages/notices.ts';
import { createSecret } from '#core/secrets/secret.ts';
import { realClock } from '#net/net.fixture.ts';
import { createCustom } from './custom.ts';
import { asking, CLOCK_TOOL, PNG, realDeps, user, WEATHER } from './custom.fixture.ts';
import { emulatedServers } from './servers.fixture.ts';

const { emulator, setUp } = emulatedServers();

describe('Ollama', () => {
  test('gets max_tokens, asks for usage, and no field that it does not know', async () => {
    const { ask, chats } = setUp('ollama', 'qwen3:8b');
    await ask({
      messages: [user('Hello')],
      maxOutputTokens: 100,
      sampling: { temperature: 0.5, topP: 0.9, seed: 7 },
      thinking: { mode: 'on', effort: 'max' },
      stop: ['END'],
    });
    expect(chats()[0]).toEqual({
      model: 'qwen3:8b',
      messages: [{ role: 'user', content: 'Hello' }],
      stream: true,
      stream_options: { include_usage: true },
      reasoning_effort: 'high',
      temperature: 0.5,
      top_p: 0.9,
      seed: 7,
      max_tokens: 100,
      stop: ['END'],
    });
  });

  test('gets no Authorization header without a key: it refuses an empty Bearer', async () => {
    await setUp('ollama', 'qwen3:8b').ask('Hello');
    const headers = emulator()
      .requests()
      .map(({ headers: each }) => each);
    expect(headers.every((each) => each['authorization'] === undefined)).toBe(true);
  });

  test('does not think when thinking is off', async () => {
    const { answer } = await setUp('ollama', 'qwen3:8b').ask({
      messages: [user('[[think 20]] Say exactly: done')],
      thinking: { mode: 'off' },
    });
    expect(answer).toMatchObject({ text: 'done', reasoning: '' });
  });

  test('without an effort for its model is asked again without it, and not again later', async () => {
    const { ask, chats } = setUp('ollama', 'llama3.2');
    const thinking = { mode: 'on', effort: 'low' } as const;
    const first = await ask({ messages: [user('Say exactly: one')], thinking });
    expect(first.answer).toMatchObject({
      text: 'one',
      notices: [
        notice('parameter_refused', {
          model: 'Ollama',
          parameter: 'reasoning_effort',
          refused: 'parameter',
        }),
      ],
    });
    const second = await ask({ messages: [user('Say exactly: two')], thinking });
    expect(second.answer).toMatchObject({
      text: 'two',
      notices: [
        notice('parameter_dropped', {
          model: 'Ollama',
          parameters: ['reasoning_effort'],
          reason: 'unsupported',
        }),
      ],
    });
    expect(chats()).toHaveLength(3);
  });

  test('gets pictures by value, and only of the kinds it reads', async () => {
    const { ask, chats } = setUp('ollama', 'llava');
    const image = (mediaType: string) => ({
      messages: [
        {
          role: 'user' as const,
          content: [
            { type: 'text' as const, text: 'What is on the picture?' },
            { type: 'image' as const, source: { base64: PNG, mediaType } },
          ],
        },
      ],
    });
    expect((await ask(image('image/png'))).answer.text).toMatch(/1 ?(?:x|×|by) ?1/);
    expect(chats()).toHaveLength(1);
    expect(await ask(image('image/gif'))).toMatchObject({ error: { class: 'bad_request' } });
    expect(chats()).toHaveLength(1);
  });

  test('gets a picture of the web by value, fetched through the guard', async () => {
    const web = createServer((request, response) => {
      if (request.url === '/moved') response.writeHead(302, { location: '/dot' }).end();
      else if (request.url === '/dot') response.end(Buffer.from(PNG, 'base64'));
      else response.writeHead(200, { 'content-type': 'text/html' }).end('<p>Hello');
    });
    await new Promise<void>((resolve) => void web.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void web.close());
    const { port } = web.address() as AddressInfo;
    const baseUrl = `${emulator().url}/ollama/v1`;
    const picture = (path: string) => ({
      messages: [
        {
          role: 'user' as const,
          content: [
            { type: 'text' as const, text: 'What is on the picture?' },
            { type: 'image' as const, source: { url: `http://127.0.0.1:${port}${path}` } },
          ],
        },
      ],
    });
    const deps = realDeps(realClock, [`127.0.0.1:${port}`]);
    onTestFinished(async () => {
      await deps.http.close();
      await deps.publicHttp.close();
    });
    const settings = { baseUrl, key: createSecret(''), model: 'llava' };
    const { ask } = asking(createCustom(settings, deps), realClock);
    expect((await ask(picture('/moved'))).answer.text).toMatch(/1 ?(?:x|×|by) ?1/);
    expect(await ask(picture('/page'))).toMatchObject({ error: { class: 'validation' } });
    // Without that allowance the same address is out of reach.
    expect(await setUp('ollama', 'llava').ask(picture('/dot'))).toMatchObject({
      error: { class: 'permission' },
    });
  });

  test.each([
    'F8.interleaved',
    'F8.noid',
    'F8.noindex',
    'F8.object',
    'F8.duplicate',
    'F8.stopfinish',
  ])('has its tool calls put together however they come (%s)', async (id) => {
    emulator().fault({ id, vendor: 'ollama', path: '/chat/completions' });
    const outcome = await setUp('ollama', 'qwen3:8b').ask({
      messages: [user('[[call get_weather {"city":"Oslo"}]] [[call get_time {}]]')],
      tools: [WEATHER, CLOCK_TOOL],
    });
    expect(outcome).toMatchObject({ is: 'answered', finish: 'tool_calls' });
    const toolCalls = outcome.answer.toolCalls.toSorted((a, b) => a.name.localeCompare(b.name));
    expect(toolCalls).toMatchObject([
      { name: 'get_time', arguments: '{}' },
      { name: 'get_weather', arguments: '{"city":"Oslo"}' },
    ]);
    expect(new Set(toolCalls.map((call) => call.id)).size).toBe(2);
  });

  test('gets earlier tool calls whose arguments are one JSON object each', async () => {
    const { ask, chats } = setUp('ollama', 'qwen3:8b');
    const outcome = await ask({
      messages: [
        user('Weather?'),
        {
          role: 'assistant',
          content: '',
          toolCalls: [
            { id: 'a', name: 'get_weather', arguments: '```json\n{"city":"Oslo"}\n```' },
            { id: 'b', name: 'get_weather', arguments: '{"city":"Ber' },
            { id: 'c', name: 'get_time', arguments: '' },
          ],
        },
        { role: 'tool', toolCallId: 'a', content: 'Rain' },
        { role: 'tool', toolCallId: 'b', content: '' },
        { role: 'tool', toolCallId: 'c', content: 'Noon' },
      ],
    });
    expect(outcome.is).toBe('answered');
    expect(outcome.answer.notices).toEqual([notice('tool_arguments_dropped', { calls: 1 })]);
    const messages = chats()[0]?.['messages'] as { tool_calls?: { function: object }[] }[];
    expect(messages[1]?.tool_calls?.map((call) => call.function)).toEqual([
      { name: 'get_weather', arguments: '{"city":"Oslo"}' },
      { name: 'get_weather', arguments: '{}' },
      { name: 'get_time', arguments: '{}' },
    ]);
  });

  test('has a prompt refused that is longer than its known window, instead of cutting it', async () => {
    const { ask, chats } = setUp('ollama', 'qwen3:8b', { contextTokens: 4_096 });
    const outcome = await ask('A long story about a bear. '.repeat(2_000));
    expect(outcome).toMatchObject({
      is: 'failed',
      error: { class: 'context_length', contextTokens: 4_096 },
    });
    expect(chats()).toHaveLength(0);
  });

  test('warns about a long prompt when the context window is unknown, and reports that it was cut', async () => {
    const { ask } = setUp('ollama', 'qwen3:8b');
    const { answer } = await ask('A long story about a bear. '.repeat(2_000));
    expect(answer.notices.map(({ code }) => code)).toEqual(['prompt_cut_possible', 'prompt_cut']);
  });

  test('says how to get a model that it does not have', async () => {
    expect(await setUp('ollama').ask({ model: 'mistral', messages: [user('Hi')] })).toMatchObject({
      error: { class: 'not_found', model: 'mistral', fix: 'Get it with: ollama pull mistral' },
    });
  });
});
