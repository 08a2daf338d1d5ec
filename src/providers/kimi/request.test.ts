import { describe, expect, test } from 'vitest';
import type { ChatMessage } from '#core/llm/chat.ts';
import { notice } from '#core/messages/notices.ts';
import { verifies } from '../../../test/verifies.ts';
import { writeKimiRequest } from './request.ts';
import { K3, K26, K27, V1, USER, TOOL, ask, body, notices } from './write-request.fixture.ts';

const WRITTEN_TOOL = {
  type: 'function',
  function: {
    name: 'look',
    description: 'Looks.',
    parameters: { type: 'object', properties: { what: { type: 'string', enum: ['a', 'b'] } } },
  },
};

test('a plain request has an output limit and nothing else that was not asked for', () => {
  expect(writeKimiRequest(ask(), K26)).toMatchObject({
    body: { model: 'kimi-k2.6', messages: [{ role: 'user', content: 'Hello.' }] },
    notices: [],
    tools: [],
    search: 'off',
  });
  expect(body({})).toEqual({
    model: 'kimi-k2.6',
    messages: [{ role: 'user', content: 'Hello.' }],
    max_completion_tokens: 32_768,
  });
});

test('a stream asks for its usage', () => {
  expect(body({ delivery: 'stream' })).toEqual({
    model: 'kimi-k2.6',
    messages: [{ role: 'user', content: 'Hello.' }],
    stream: true,
    stream_options: { include_usage: true },
    max_completion_tokens: 32_768,
  });
});

test('everything at once', () => {
  const request = {
    delivery: 'stream',
    tools: [TOOL],
    toolChoice: 'required',
    responseFormat: {
      type: 'json_schema',
      name: 'my answer!',
      schema: { properties: { a: { const: 1 } } },
    },
    sampling: { temperature: 0.5, topP: 0.5, presencePenalty: 1, frequencyPenalty: -1 },
    stop: ['END'],
    maxOutputTokens: 500,
    cacheKey: 'thread-1',
    userHash: 'abc123',
  } as const;
  expect(writeKimiRequest(ask(request), V1)).toMatchObject({ notices: [], tools: ['look'] });
  expect(body(request, V1)).toEqual({
    model: 'moonshot-v1-32k',
    messages: [{ role: 'user', content: 'Hello.' }],
    stream: true,
    stream_options: { include_usage: true },
    tools: [WRITTEN_TOOL],
    tool_choice: 'required',
    response_format: {
      type: 'json_schema',
      json_schema: {
        name: 'my_answer_',
        strict: true,
        schema: { type: 'object', properties: { a: { type: 'integer', enum: [1] } } },
      },
    },
    temperature: 0.5,
    top_p: 0.5,
    presence_penalty: 1,
    frequency_penalty: -1,
    stop: ['END'],
    max_completion_tokens: 500,
    prompt_cache_key: 'thread-1',
    safety_identifier: 'abc123',
  });
});

describe('sampling (1.4)', () => {
  const sampling = {
    temperature: 0.2,
    topP: 0.5,
    presencePenalty: 1,
    frequencyPenalty: 1,
    seed: 7,
  };

  verifies(
    'provider:facts',
    'Kimi sampling: a model with fixed values is sent none, with a notice',
    () => {
      for (const model of [K26, K27, K3]) {
        expect(Object.keys(body({ sampling }, model))).toEqual([
          'model',
          'messages',
          'max_completion_tokens',
        ]);
        expect(notices({ sampling }, model)).toEqual([
          notice('parameter_dropped', {
            model: model.title,
            parameters: ['temperature', 'topP', 'presencePenalty', 'frequencyPenalty', 'seed'],
            reason: 'fixed',
          }),
        ]);
      }
    },
  );

  test('values beyond the range of a model are clamped, and options that were not set get no notice', () => {
    expect(body({ sampling: { temperature: 1.7, presencePenalty: -5 } }, V1)).toMatchObject({
      temperature: 1,
      presence_penalty: -2,
    });
    expect(notices({ sampling: { temperature: 1.7 } }, V1)).toEqual([
      notice('parameter_clamped', {
        model: 'Moonshot v1 32k',
        parameter: 'temperature',
        min: 0,
        max: 1,
        sent: 1,
      }),
    ]);
    expect(notices({ sampling: {} }, K26)).toEqual([]);
  });

  test('an invalid temperature is refused by name', () => {
    expect(() => body({ sampling: { temperature: Number.NaN } })).toThrow(
      expect.objectContaining({ class: 'validation', field: 'sampling.temperature' }),
    );
  });
});

describe('messages (1.3)', () => {
  const called: ChatMessage = {
    role: 'assistant',
    content: '',
    toolCalls: [{ id: 'c1', name: 'look', arguments: '{}' }],
  };
  const history: readonly ChatMessage[] = [
    { role: 'assistant', content: 'Well.', reasoning: 'Old thoughts.' },
    { ...called, reasoning: 'New thoughts.' },
    { role: 'tool', toolCallId: 'c1', name: 'look', content: '' },
    called,
    { role: 'tool', toolCallId: 'c1', content: ' \n' },
    USER,
  ];
  const calls = [{ id: 'c1', type: 'function', function: { name: 'look', arguments: '{}' } }];

  verifies(
    'provider:facts',
    'Kimi messages: tool turns carry their reasoning while it thinks, an empty text if there is none, and no empty content',
    () => {
      const thinking = { mode: 'on', keep: 'none' } as const;
      expect(body({ messages: history, thinking })['messages']).toEqual([
        { role: 'assistant', content: 'Well.' },
        { role: 'assistant', reasoning_content: 'New thoughts.', tool_calls: calls },
        { role: 'tool', tool_call_id: 'c1', name: 'look', content: '(no output)' },
        { role: 'assistant', reasoning_content: '', tool_calls: calls },
        { role: 'tool', tool_call_id: 'c1', content: '(no output)' },
        { role: 'user', content: 'Hello.' },
      ]);
    },
  );

  verifies(
    'provider:facts',
    'Kimi messages: every turn carries its reasoning to K3, K2.7 and, unless declined, K2.6',
    () => {
      const turns: readonly ChatMessage[] = [
        { role: 'assistant', content: 'Well.', reasoning: 'Old thoughts.' },
        { role: 'assistant', content: 'Good.' },
        USER,
      ];
      const kept = [
        { role: 'assistant', content: 'Well.', reasoning_content: 'Old thoughts.' },
        { role: 'assistant', content: 'Good.', reasoning_content: '' },
        { role: 'user', content: 'Hello.' },
      ];
      for (const model of [K3, K27, K26]) {
        expect(body({ messages: turns }, model)['messages']).toEqual(kept);
        expect(body({ messages: turns, thinking: { mode: 'on' } }, model)['messages']).toEqual(
          kept,
        );
      }
      expect(body({ messages: turns }, K26)['thinking']).toEqual({ type: 'enabled', keep: 'all' });
      expect(body({ messages: turns }, K3)).not.toHaveProperty('thinking');
      // K3 cannot stop thinking, so that it keeps its reasoning in any case.
      const declined = { mode: 'on', keep: 'none' } as const;
      expect(body({ messages: turns, thinking: declined }, K3)['messages']).toEqual(kept);
    },
  );

  test('without thinking no reasoning is sent back; kept reasoning is sent back with every turn', () => {
    expect(body({ messages: history, thinking: { mode: 'off' } })['messages']).toMatchObject([
      { content: 'Well.' },
      { role: 'assistant', tool_calls: calls },
      {},
      { role: 'assistant', tool_calls: calls },
      {},
      {},
    ]);
    expect(JSON.stringify(body({ messages: history, thinking: { mode: 'off' } }))).not.toContain(
      'thoughts',
    );
    expect(
      body({ messages: history, thinking: { mode: 'on', keep: 'all' } })['messages'],
    ).toMatchObject([
      { content: 'Well.', reasoning_content: 'Old thoughts.' },
      { reasoning_content: 'New thoughts.' },
      {},
      { reasoning_content: '' },
      {},
      {},
    ]);
  });

  test('text parts alone are one text; half a character is replaced with a notice', () => {
    const messages: ChatMessage[] = [
      {
        role: 'user',
        content: [
          { type: 'text', text: 'a\ud800b' },
          { type: 'text', text: '' },
          { type: 'text', text: 'c' },
        ],
      },
    ];
    expect(body({ messages })['messages']).toEqual([{ role: 'user', content: 'a\ufffdb\n\nc' }]);
    expect(notices({ messages })).toEqual([notice('characters_replaced', {})]);
  });

  test('pictures and videos are data or files of Kimi', () => {
    const messages: ChatMessage[] = [
      {
        role: 'user',
        content: [
          { type: 'text', text: 'See.' },
          { type: 'image', source: { base64: 'AAAA', mediaType: 'image/png' } },
          { type: 'image', source: { fileId: 'f1' } },
          { type: 'video', source: { url: 'ms://v1' } },
        ],
      },
    ];
    expect(body({ messages })['messages']).toEqual([
      {
        role: 'user',
        content: [
          { type: 'text', text: 'See.' },
          { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } },
          { type: 'image_url', image_url: { url: 'ms://f1' } },
          { type: 'video_url', video_url: { url: 'ms://v1' } },
        ],
      },
    ]);
  });
});

describe('partial mode (1.6)', () => {
  const begun: ChatMessage = { role: 'assistant', content: '{"a":' };
  const messages = [USER, begun];
  const prefix = { messages, continuation: 'prefix' } as const;

  verifies(
    'provider:facts',
    'Kimi partial: the last message is marked, with reasoning while it thinks',
    () => {
      expect(body({ ...prefix, thinking: { mode: 'off' } })['messages']).toEqual([
        { role: 'user', content: 'Hello.' },
        { role: 'assistant', content: '{"a":', partial: true },
      ]);
      expect(
        body({ ...prefix, messages: [USER, { ...begun, reasoning: 'Hm.' }] })['messages'],
      ).toEqual([
        { role: 'user', content: 'Hello.' },
        { role: 'assistant', content: '{"a":', reasoning_content: 'Hm.', partial: true },
      ]);
      expect(body(prefix)['messages']).toMatchObject([{}, { reasoning_content: '' }]);
    },
  );

  test('there is no search while an answer is continued', () => {
    expect(body({ ...prefix, webSearch: {} })).not.toHaveProperty('tools');
    expect(notices({ ...prefix, webSearch: {} })).toHaveLength(1);
  });
});

describe('the search (1.7)', () => {
  const builtin = { type: 'builtin_function', function: { name: '$web_search' } };

  verifies(
    'provider:facts',
    'Kimi $web_search: it is declared beside other tools, and thinking is off for it',
    () => {
      expect(body({ webSearch: {}, tools: [TOOL] })).toEqual({
        model: 'kimi-k2.6',
        messages: [{ role: 'user', content: 'Hello.' }],
        tools: [WRITTEN_TOOL, builtin],
        thinking: { type: 'disabled' },
        max_completion_tokens: 32_768,
      });
      expect(notices({ webSearch: {} })).toEqual([]);
      expect(notices({ webSearch: {}, thinking: { mode: 'on' } })).toEqual([
        notice('thinking_off_for_search', { model: 'Kimi K2.6', provider: 'Kimi' }),
      ]);
    },
  );

  test('the options of the caller go into the prompt', () => {
    const webSearch = { query: 'tea', domain: 'example.com', recency: 'week', count: 5 } as const;
    expect(body({ webSearch })['messages']).toEqual([
      { role: 'user', content: 'Hello.' },
      {
        role: 'user',
        content:
          'Search the web for: tea\nUse only results from example.com.\nUse only results of the last week.',
      },
    ]);
    expect(notices({ webSearch })).toHaveLength(1);
  });

  test('no tools and a search means the search alone', () => {
    const written = writeKimiRequest(
      ask({ webSearch: {}, tools: [TOOL], toolChoice: 'none' }),
      K26,
    );
    expect(written.body['tools']).toEqual([builtin]);
  });
});

describe('the output limit (1.3)', () => {
  test('is the newer field, at most what the model writes', () => {
    expect(body({ maxOutputTokens: 64_000 })).toMatchObject({ max_completion_tokens: 64_000 });
    expect(body({ maxOutputTokens: 1_000_000 }, K3)).toMatchObject({
      max_completion_tokens: 1_000_000,
    });
    const most = 262_144;
    expect(notices({ maxOutputTokens: 1_000_000 })[0]).toEqual(
      notice('max_tokens_lowered', {
        model: 'Kimi K2.6',
        limit: most,
        requested: 1_000_000,
        reason: 'model',
      }),
    );
  });

  verifies(
    'provider:facts',
    'Kimi max_completion_tokens: it is always sent, within the model, its window and 32,768',
    () => {
      expect(body({}, K3)).toMatchObject({ max_completion_tokens: 32_768 });
      expect(body({}, V1)).toMatchObject({ max_completion_tokens: V1.maxOutputTokens });
      const messages: ChatMessage[] = [{ role: 'user', content: 'word '.repeat(25_000) }];
      const { max_completion_tokens: limit } = body({ messages }, V1);
      expect(limit).toBeGreaterThan(256);
      expect(limit).toBeLessThan(V1.maxOutputTokens);
      const tooLong: ChatMessage[] = [{ role: 'user', content: 'word '.repeat(60_000) }];
      expect(body({ messages: tooLong }, V1)).not.toHaveProperty('max_completion_tokens');
    },
  );

  test('leaves room for the prompt', () => {
    const messages: ChatMessage[] = [{ role: 'user', content: 'word '.repeat(25_000) }];
    const { max_completion_tokens: limit } = body({ messages, maxOutputTokens: 8_000 }, V1);
    expect(limit).toBeGreaterThan(256);
    expect(limit).toBeLessThan(8_000);
    expect(notices({ messages, maxOutputTokens: 8_000 }, V1)).toMatchObject([
      { code: 'max_tokens_lowered', params: { reason: 'window', limit } },
    ]);
  });
});

test('ids of any length become ids of a bounded one', () => {
  const { prompt_cache_key: key } = body({ cacheKey: 'k'.repeat(10_000) });
  expect(key).toMatch(/^[0-9a-f]{64}$/);
});
