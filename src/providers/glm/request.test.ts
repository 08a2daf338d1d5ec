import { describe, expect, test } from 'vitest';
import type { ChatRequest, ChatTool } from '#core/llm/chat.ts';
import { notice } from '#core/messages/notices.ts';
import { verifies } from '../../../test/verifies.ts';
import { modelOf, requestFor } from './glm.fixture.ts';
import { SITES } from './site.ts';
import { writeGlmRequest } from './request.ts';

const write = (model: string, more: Partial<ChatRequest> = {}, site = SITES.zai) =>
  writeGlmRequest(requestFor(model, 'Hi', more), modelOf(model), site);
const hi = [{ role: 'user', content: 'Hi' }];
const look: ChatTool = {
  name: 'look_up',
  description: 'Looks up a word.',
  parameters: { type: 'object', properties: { word: { type: 'string' } } },
};
const lookTool = {
  type: 'function',
  function: { name: 'look_up', description: look.description, parameters: look.parameters },
};

test('a plain question is a plain body', () => {
  expect(write('glm-4.6')).toEqual({
    body: { model: 'glm-4.6', messages: hi, stream: false, max_tokens: 32_768 },
    notices: [],
    tools: [],
  });
});

test('everything at once, for a model that takes it', () => {
  const written = write('glm-5.3', {
    delivery: 'stream',
    messages: [
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: 'Hi' },
    ],
    tools: [look],
    toolChoice: 'auto',
    thinking: { mode: 'on', effort: 'high', keep: 'all' },
    sampling: { temperature: 0.4, topP: 0.9, seed: 7 },
    stop: ['END'],
    maxOutputTokens: 1000,
    responseFormat: { type: 'json' },
    webSearch: { count: 3, domain: 'example.org', recency: 'week', query: 'words' },
    cacheKey: 'thread-1',
    userHash: 'u-0123456789',
  });
  expect(written).toEqual({
    body: {
      model: 'glm-5.3',
      messages: [{ role: 'system', content: 'Be brief.' }, ...hi],
      stream: true,
      tools: [
        lookTool,
        {
          type: 'web_search',
          web_search: {
            enable: true,
            search_result: true,
            result_sequence: 'before',
            search_query: 'words',
            search_engine: 'search-prime',
            count: 3,
            search_domain_filter: 'example.org',
            search_recency_filter: 'oneWeek',
          },
        },
      ],
      tool_choice: 'auto',
      tool_stream: true,
      thinking: { type: 'enabled', clear_thinking: false },
      reasoning_effort: 'high',
      temperature: 0.4,
      top_p: 0.9,
      seed: 7,
      max_tokens: 1000,
      stop: ['END'],
      response_format: { type: 'json_object' },
      user_id: 'u-0123456789',
    },
    notices: [],
    tools: ['look_up'],
  });
});

describe('thinking', () => {
  const fields = (model: string, thinking: ChatRequest['thinking']) => {
    const { body, notices } = write(model, thinking && { thinking });
    return [body['thinking'], body['reasoning_effort'], notices];
  };

  verifies('provider:facts', 'glm: thinking is switched where the model has a switch', () => {
    expect(fields('glm-4.6', { mode: 'off' })).toEqual([{ type: 'disabled' }, undefined, []]);
    expect(fields('glm-4.6', { mode: 'on' })).toEqual([{ type: 'enabled' }, undefined, []]);
    expect(fields('glm-4.6', undefined)).toEqual([undefined, undefined, []]);
  });

  verifies(
    'provider:facts',
    'glm: 5.3 cannot turn thinking off, so it gets the lowest effort',
    () => {
      expect(fields('glm-5.3', { mode: 'off' })).toEqual([
        undefined,
        'low',
        [notice('thinking_stays_on', { model: 'GLM-5.3', effort: 'low' })],
      ]);
    },
  );

  verifies(
    'provider:facts',
    'glm: an effort is sent only where the model has efforts, and only one that it has',
    () => {
      expect(fields('glm-5.3', { mode: 'on', effort: 'medium' })).toEqual([
        { type: 'enabled' },
        'high',
        [notice('effort_changed', { model: 'GLM-5.3', effort: 'medium', sent: 'high' })],
      ]);
      expect(fields('glm-5.2', { mode: 'on', effort: 'low' }).slice(1)).toEqual([
        'high',
        [notice('effort_changed', { model: 'GLM-5.2', effort: 'low', sent: 'high' })],
      ]);
      expect(fields('glm-4.7', { mode: 'on', effort: 'max' })).toEqual([
        { type: 'enabled' },
        undefined,
        [notice('effort_unsupported', { model: 'GLM-4.7' })],
      ]);
    },
  );

  verifies(
    'provider:facts',
    'glm: kept reasoning is sent back unmodified with every turn, other reasoning with tool turns only',
    () => {
      const call = { id: 'c1', name: 'look_up', arguments: '{}' };
      const messages: ChatRequest['messages'] = [
        { role: 'user', content: 'Hi' },
        { role: 'assistant', content: 'Hello.', reasoning: 'A greeting. ' },
        { role: 'user', content: 'Look it up.' },
        { role: 'assistant', content: '', reasoning: 'I need the tool.', toolCalls: [call] },
        { role: 'tool', toolCallId: 'c1', content: '' },
      ];
      const thoughts = (keep: 'all' | 'none') =>
        (
          write('glm-4.7', { messages, thinking: { mode: 'on', keep } }).body[
            'messages'
          ] as object[]
        ).slice(1);
      const called = {
        role: 'assistant',
        reasoning_content: 'I need the tool.',
        tool_calls: [
          { id: 'c1', type: 'function', function: { name: 'look_up', arguments: '{}' } },
        ],
      };
      const rest = [
        { role: 'user', content: 'Look it up.' },
        called,
        { role: 'tool', tool_call_id: 'c1', content: '(no output)' },
      ];
      expect(thoughts('all')).toEqual([
        { role: 'assistant', content: 'Hello.', reasoning_content: 'A greeting. ' },
        ...rest,
      ]);
      expect(thoughts('none')).toEqual([{ role: 'assistant', content: 'Hello.' }, ...rest]);
    },
  );

  test('a model that cannot think or keep reasoning gets a notice', () => {
    expect(fields('glm-4-32b-0414-128k', { mode: 'on' })).toEqual([
      undefined,
      undefined,
      [notice('thinking_unsupported', { model: 'GLM-4 32B' })],
    ]);
    expect(fields('glm-4-32b-0414-128k', { mode: 'off' })).toEqual([undefined, undefined, []]);
    expect(fields('glm-4.6', { mode: 'on', keep: 'all' })).toEqual([
      { type: 'enabled' },
      undefined,
      [notice('reasoning_not_kept', { model: 'GLM-4.6' })],
    ]);
  });
});

describe('sampling', () => {
  const fields = (sampling: ChatRequest['sampling']) => {
    const { body, notices } = write('glm-4.6', sampling && { sampling });
    const { model: _, messages: _m, stream: _s, ...rest } = body;
    return [rest, notices];
  };

  verifies('provider:facts', 'glm: temperature 0 is do_sample false, without temperature', () => {
    expect(fields({ temperature: 0 })).toEqual([{ do_sample: false, max_tokens: 32_768 }, []]);
    expect(fields({ temperature: 0, topP: 0.5 })).toEqual([
      { do_sample: false, max_tokens: 32_768 },
      [
        notice('parameter_dropped', {
          model: 'GLM-4.6',
          parameters: ['topP'],
          reason: 'temperature_zero',
        }),
      ],
    ]);
  });

  verifies('provider:facts', 'glm: temperature is 0 to 1 and top_p 0.01 to 1', () => {
    expect(fields({ temperature: 1.7, topP: 0 })).toEqual([
      { temperature: 1, top_p: 0.01, max_tokens: 32_768 },
      [
        notice('parameter_clamped', {
          model: 'GLM-4.6',
          parameter: 'temperature',
          min: 0,
          max: 1,
          sent: 1,
        }),
        notice('parameter_clamped', {
          model: 'GLM-4.6',
          parameter: 'topP',
          min: 0.01,
          max: 1,
          sent: 0.01,
        }),
      ],
    ]);
  });

  test('options without a field are left out with a notice', () => {
    expect(fields({ presencePenalty: 0.5, frequencyPenalty: 0 })).toEqual([
      { max_tokens: 32_768 },
      [
        notice('parameter_dropped', {
          model: 'GLM-4.6',
          parameters: ['presencePenalty'],
          reason: 'unsupported',
        }),
      ],
    ]);
  });

  test('an invalid number is refused', () => {
    expect(() => fields({ temperature: Number.NaN })).toThrow(
      expect.objectContaining({ class: 'validation', field: 'sampling.temperature' }),
    );
  });
});

verifies('provider:facts', 'glm: max_tokens stays within the cap of the model', () => {
  const { body, notices } = write('glm-4.5v', { maxOutputTokens: 99_999 });
  expect(body['max_tokens']).toBe(16_384);
  expect(notices).toEqual([
    notice('max_tokens_lowered', {
      model: 'GLM-4.5V',
      limit: 16384,
      requested: 99999,
      reason: 'model',
    }),
  ]);
});

describe('tools', () => {
  verifies(
    'provider:facts',
    'glm: every tool has a description, and an object for parameters',
    () => {
      const { body } = write('glm-4.6', {
        tools: [{ name: 'look_up', description: ' ', parameters: {} }],
      });
      expect(body['tools']).toEqual([
        {
          type: 'function',
          function: {
            name: 'look_up',
            description: 'look up',
            parameters: { type: 'object', properties: {} },
          },
        },
      ]);
    },
  );

  verifies(
    'provider:facts',
    'glm: tool_choice is auto whatever was wished, and the tools say the rest',
    () => {
      const other = { ...look, name: 'other' };
      const tools = [look, other];
      const given = (toolChoice: NonNullable<ChatRequest['toolChoice']>) => {
        const { body, tools: names } = write('glm-4.6', { tools, toolChoice });
        return [body['tool_choice'], names];
      };
      expect(given('auto')).toEqual(['auto', ['look_up', 'other']]);
      expect(given('required')).toEqual(['auto', ['look_up', 'other']]);
      expect(given({ name: 'look_up' })).toEqual(['auto', ['look_up']]);
      expect(given('none')).toEqual([undefined, []]);
      expect(write('glm-4.6', { tools, toolChoice: 'none' }).body['tools']).toBeUndefined();
    },
  );

  test('a search makes 129 of 128', () => {
    const tools = Array.from({ length: 128 }, (_, at) => ({ ...look, name: `t${at}` }));
    expect(() => write('glm-4.6', { tools, webSearch: {} })).toThrow(
      expect.objectContaining({ class: 'bad_request', field: 'tools' }),
    );
  });
});

describe('web search', () => {
  verifies('provider:facts', 'glm: on bigmodel the search is not left to intent detection', () => {
    const { body } = write('glm-4.6', { webSearch: {} }, SITES.bigmodel);
    expect(body).toEqual({
      model: 'glm-4.6',
      messages: hi,
      stream: false,
      max_tokens: 32_768,
      tools: [
        {
          type: 'web_search',
          web_search: {
            enable: true,
            search_result: true,
            result_sequence: 'before',
            search_engine: 'search_pro',
            search_intent: false,
          },
        },
      ],
    });
  });

  test('is left out where the model has no tools, and limits that GLM does not have get a notice', () => {
    const without = write('glm-4v-plus', { webSearch: {} });
    expect(without.body['tools']).toBeUndefined();
    expect(without.notices).toEqual([
      notice('search_unsupported', { model: 'GLM-4V Plus', reason: 'model' }),
    ]);
    expect(write('glm-4.6', { webSearch: { count: 99, maxRounds: 2 } }).notices).toEqual([
      notice('parameter_clamped', {
        model: 'GLM',
        parameter: 'webSearch.count',
        min: 1,
        max: 50,
        sent: 50,
      }),
      notice('parameter_dropped', {
        model: 'GLM',
        parameters: ['webSearch.maxRounds'],
        reason: 'own_search',
      }),
    ]);
  });
});

describe('formats', () => {
  const schema = (type: string) => ({ type: 'json_schema', name: 'x', schema: { type } }) as const;

  verifies(
    'provider:facts',
    'glm: json_schema is never sent, since it would be ignored without a word',
    () => {
      const { body } = write('glm-4.6', { responseFormat: schema('object') });
      expect(body['response_format']).toEqual({ type: 'json_object' });
    },
  );

  test('a list is not requested as an object, and a vision model has no formats', () => {
    expect(
      write('glm-4.6', { responseFormat: schema('array') }).body['response_format'],
    ).toBeUndefined();
    expect(
      write('glm-4.6v', { responseFormat: { type: 'json' } }).body['response_format'],
    ).toBeUndefined();
  });
});

test('instructions stand behind the system messages of the caller', () => {
  const messages: ChatRequest['messages'] = [
    { role: 'system', content: 'A' },
    { role: 'system', content: 'B' },
    { role: 'user', content: 'Hi' },
  ];
  const { body } = writeGlmRequest(
    requestFor('glm-4.6', '', { messages }),
    modelOf('glm-4.6'),
    SITES.zai,
    ['C'],
  );
  expect((body['messages'] as { content: string }[]).map(({ content }) => content)).toEqual([
    'A',
    'B',
    'C',
    'Hi',
  ]);
});

test('a lone surrogate is replaced with a notice', () => {
  const { body, notices } = write('glm-4.6', { messages: [{ role: 'user', content: 'a\uD800b' }] });
  expect(body['messages']).toEqual([{ role: 'user', content: 'a\uFFFDb' }]);
  expect(notices).toEqual([notice('characters_replaced', {})]);
});

verifies('provider:facts', 'glm: a user id has 6 to 128 characters', () => {
  expect(write('glm-4.6', { userHash: 'abc' })).toMatchObject({
    body: expect.not.objectContaining({ user_id: expect.anything() }),
    notices: [
      notice('parameter_dropped', { model: 'GLM', parameters: ['userHash'], reason: 'too_short' }),
    ],
  });
  expect((write('glm-4.6', { userHash: 'x'.repeat(300) }).body['user_id'] as string).length).toBe(
    128,
  );
});
