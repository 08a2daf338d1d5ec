import { describe, expect, test } from 'vitest';
import { verifies, WEATHER } from '../emulator.fixture.ts';
import { useKimi } from './kimi.fixture.ts';

const harness = useKimi();
const { ask, outcome, switches } = harness;

const user = (content: unknown) => ({ role: 'user', content });
const off = { thinking: { type: 'disabled' } };

verifies(
  'facts:kimi:model-not-found',
  'an unknown or retired model is a 404, not a 400',
  async () => {
    for (const model of [
      'kimi-k9',
      'kimi-k2-0905-preview',
      'kimi-thinking-preview',
      'moonshot-v1-8k',
      '__proto__',
    ]) {
      const { status, json } = await ask({ model });
      expect([status, json]).toEqual([
        404,
        {
          error: {
            message: `Not found the model ${model} or Permission denied`,
            type: 'resource_not_found_error',
          },
        },
      ]);
    }
    switches()['moonshotV1'] = 'live';
    expect(await outcome({ model: 'moonshot-v1-8k' })).toBe(200);
  },
);

verifies(
  'facts:kimi:models-list',
  'the list of models has the documented members, and the extras that were measured',
  async () => {
    const { json } = await harness.as().get('/models');
    expect(json.object).toBe('list');
    expect(json.data.find((model: { id: string }) => model.id === 'kimi-k3')).toEqual({
      id: 'kimi-k3',
      object: 'model',
      created: 1_784_160_000,
      owned_by: 'moonshot',
      permission: [],
      root: '',
      parent: '',
      context_length: 1_048_576,
      supports_image_in: true,
      supports_video_in: true,
      supports_reasoning: true,
      supports_dynamic_tools: true,
      supports_thinking_type: 'only',
      think_efforts: ['low', 'high', 'max'],
      reasoning_efforts: ['low', 'high', 'max'],
    });
    expect(json.data.find((model: { id: string }) => model.id === 'kimi-k2.6')).not.toHaveProperty(
      'think_efforts',
    );
  },
);

describe('messages', () => {
  verifies('facts:kimi:content-not-empty', 'content must not be empty', async () => {
    for (const content of ['', null, []])
      expect(await outcome({ messages: [user(content)] })).toContain('must not be empty');
    expect(await outcome({ messages: [] })).toContain('must not be empty');
    expect(await outcome({ messages: [{ role: 'owner', content: 'x' }] })).toContain('role');
    expect(await outcome({ messages: undefined })).toContain('messages');
  });

  verifies('facts:kimi:empty-text-part', 'an empty text part is refused', async () => {
    const part = { type: 'text', text: '' };
    expect(await outcome({ messages: [user([part])] })).toBe('text content is empty');
    const call = { id: 'a', type: 'function', function: { name: 'x', arguments: '{}' } };
    const turn = { role: 'assistant', content: [part], tool_calls: [call], reasoning_content: '' };
    expect(await outcome({ messages: [user('Hi'), turn] })).toBe('text content is empty');
  });

  verifies(
    'facts:kimi:reasoning-content',
    'a tool call turn needs its reasoning back while thinking is on, an empty text is enough',
    async () => {
      const call = {
        id: 'a',
        type: 'function',
        function: { name: 'get_weather', arguments: '{}' },
      };
      const turn = (more: object) => [
        user('Weather in Paris?'),
        { role: 'assistant', tool_calls: [call], ...more },
        { role: 'tool', tool_call_id: 'a', content: 'sunny' },
      ];
      const missing =
        'thinking is enabled but reasoning_content is missing in assistant tool call message at index 1';
      expect(await outcome({ messages: turn({}), tools: [WEATHER] })).toBe(missing);
      expect(await outcome({ messages: turn({ reasoning_content: '' }), tools: [WEATHER] })).toBe(
        200,
      );
      expect(await outcome({ messages: turn({}), tools: [WEATHER], ...off })).toBe(200);
      expect(await outcome({ model: 'kimi-k3', messages: turn({}), tools: [WEATHER] })).toBe(
        missing,
      );
    },
  );

  test('a result without its call is refused', async () => {
    const messages = [user('Hi'), { role: 'tool', tool_call_id: 'x', content: 'y' }];
    expect(await outcome({ messages })).toContain('tool_call_id x is not found');
  });

  verifies(
    'facts:kimi:dynamic-tools',
    'K3 takes tools from a system message without content',
    async () => {
      const messages = [
        { role: 'system', tools: [WEATHER] },
        user('What is the weather in Paris?'),
      ];
      const { json } = await ask({ model: 'kimi-k3', messages });
      expect(json.choices[0].message.tool_calls[0].function.name).toBe('get_weather');
      expect(await outcome({ messages })).toContain('must not be empty');
    },
  );

  test('the size of all messages is limited where the switch says so', async () => {
    switches()['maxMessageBytes'] = 100;
    expect(await outcome({ messages: [user('x'.repeat(200))] })).toMatch(
      /^total message size \d+ exceeds limit 100$/,
    );
  });
});

describe('sampling', () => {
  verifies('facts:kimi:sampling-fixed', 'newer families take the fixed values alone', async () => {
    for (const model of ['kimi-k2.6', 'kimi-k2.7-code', 'kimi-k3', 'kimi-k3.1-pro']) {
      expect(await outcome({ model, temperature: 0.3 })).toBe(
        'invalid temperature: only 1 is allowed for this model',
      );
      expect(await outcome({ model, top_p: 1 })).toBe(
        'invalid top_p: only 0.95 is allowed for this model',
      );
      expect(await outcome({ model, n: 2 })).toBe('invalid n: only 1 is allowed for this model');
      expect(await outcome({ model, presence_penalty: 0.1 })).toBe(
        'invalid presence_penalty: only 0 is allowed for this model',
      );
      expect(await outcome({ model, frequency_penalty: 1 })).toBe(
        'invalid frequency_penalty: only 0 is allowed for this model',
      );
      const exact = {
        temperature: 1,
        top_p: 0.95,
        n: 1,
        presence_penalty: 0,
        frequency_penalty: 0,
      };
      expect(await outcome({ model, ...exact })).toBe(200);
    }
  });

  verifies(
    'facts:kimi:sampling-not-thinking',
    'K2.6 without thinking takes 0.6 alone',
    async () => {
      expect(await outcome({ ...off, temperature: 1 })).toBe(
        'invalid temperature: only 0.6 is allowed for this model',
      );
      expect(await outcome({ ...off, temperature: 0.6 })).toBe(200);
    },
  );

  verifies(
    'facts:kimi:sampling-ranges',
    'older families have ranges, and v1 no second answer near temperature 0',
    async () => {
      switches()['retiredModels'] = 'live';
      for (const model of ['moonshot-v1-8k', 'kimi-k2-0905-preview', 'kimi-k2-thinking']) {
        for (const bad of [
          { temperature: 1.1 },
          { temperature: -0.1 },
          { top_p: 2 },
          { n: 6 },
          { n: 0 },
          { presence_penalty: 2.1 },
          { frequency_penalty: -3 },
        ])
          expect(await outcome({ model, ...bad })).toContain(Object.keys(bad)[0]);
        expect(await outcome({ model, temperature: 0.3, n: 2 })).toBe(200);
      }
      expect(await outcome({ model: 'moonshot-v1-8k', temperature: 0.1, n: 2 })).toContain(
        'temperature',
      );
      const two = await ask({ model: 'moonshot-v1-8k', temperature: 0.8, n: 2 });
      expect(two.json.choices.map((choice: { index: number }) => choice.index)).toEqual([0, 1]);
    },
  );

  verifies('facts:kimi:stop', 'at most five stops of at most 32 bytes', async () => {
    expect(await outcome({ stop: ['a', 'b', 'c', 'd', 'e', 'f'] })).toBe(
      'stop array too long. Expected an array with maximum length 5, but got 6',
    );
    expect(await outcome({ stop: 'x'.repeat(33) })).toContain('stop');
    expect(await outcome({ stop: ['x'.repeat(32), 'b'] })).toBe(200);
    const { json } = await harness.as().chat('Say exactly: one two three', { stop: ' two' });
    expect(json.choices[0].message.content).toBe('one');
  });
});

describe('thinking', () => {
  verifies(
    'facts:kimi:thinking',
    'it can be turned off on K2.6, on K2.7 it cannot, and on K3 as the switch says',
    async () => {
      const reasons = async (body: object) =>
        (await ask(body)).json.choices[0].message.reasoning_content !== undefined;
      expect(await reasons({})).toBe(true);
      expect(await reasons(off)).toBe(false);
      expect(await outcome({ thinking: { type: 'enabled', keep: 'all' } })).toBe(200);
      expect(await outcome({ thinking: { type: 'enabled', keep: 'some' } })).toContain(
        'thinking.keep',
      );
      expect(await outcome({ thinking: { type: 'maybe' } })).toContain('thinking.type');
      expect(await outcome({ model: 'kimi-k2.7-code', ...off })).toBe(
        'invalid thinking: only type=enabled is allowed for this model',
      );
      expect(await reasons({ model: 'kimi-k3', ...off })).toBe(false);
      switches()['k3Thinking'] = 'refused';
      expect(await outcome({ model: 'kimi-k3', ...off })).toContain('invalid thinking');
    },
  );

  verifies(
    'facts:kimi:reasoning-effort',
    'K3 knows low, high and max; K2.6 takes the member and goes on',
    async () => {
      for (const effort of ['low', 'high', 'max'])
        expect(await outcome({ model: 'kimi-k3', reasoning_effort: effort })).toBe(200);
      expect(await outcome({ model: 'kimi-k3', reasoning_effort: 'medium' })).toContain(
        'reasoning_effort',
      );
      expect(await outcome({ reasoning_effort: 'low' })).toBe(200);
    },
  );

  verifies(
    'facts:kimi:budget-includes-reasoning',
    'reasoning and answer share one budget, which reasoning may eat whole',
    async () => {
      for (const name of ['max_completion_tokens', 'max_tokens']) {
        const { json } = await ask({ messages: [user('[[think 45]] [[tokens 20]]')], [name]: 45 });
        expect(json.choices[0]).toMatchObject({
          finish_reason: 'length',
          message: { content: '' },
        });
        expect(json.usage).toMatchObject({
          completion_tokens: 45,
          completion_tokens_details: { reasoning_tokens: 45 },
        });
      }
      const whole = await ask({
        messages: [user('[[think 45]] [[tokens 20]]')],
        max_completion_tokens: 65,
      });
      expect(whole.json.choices[0].finish_reason).toBe('stop');
    },
  );

  verifies('facts:kimi:window', 'a cap over the window is refused, and a long prompt', async () => {
    const tooMuch = 'Your request exceeded model token limit : 262144';
    expect(await outcome({ max_completion_tokens: 262_145 })).toBe(tooMuch);
    switches()['windowCap'] = 'refused';
    expect(await outcome({ max_completion_tokens: 262_144 })).toBe(tooMuch);
    expect(await outcome({ messages: [user('word '.repeat(262_144))] })).toBe(
      'Input token length too long',
    );
    expect(await outcome({ max_completion_tokens: 0 })).toContain('max_completion_tokens');
    switches()['defaultCap'] = '1024';
    const { json } = await harness.as().chat('[[tokens 2000]]');
    expect([json.choices[0].finish_reason, json.usage.completion_tokens]).toEqual([
      'length',
      1_024,
    ]);
  });
});

verifies(
  'facts:kimi:window-cap',
  'a cap of the whole window is taken on a first request',
  async () => {
    expect(await outcome({ max_completion_tokens: 262_144 })).toBe(200);
    expect(await outcome({ model: 'kimi-k3', max_completion_tokens: 1_048_576 })).toBe(200);
    switches()['moonshotV1'] = 'live';
    expect(await outcome({ model: 'moonshot-v1-8k', max_completion_tokens: 8_192 })).toBe(
      'Your request exceeded model token limit : 8192',
    );
  },
);

verifies(
  'facts:kimi:preserved-thinking',
  'K3 and K2.7 read the reasoning of every turn, and may require it',
  async () => {
    const turns = (reasoning: object) => [
      user('Hello'),
      { role: 'assistant', content: 'Hi.', ...reasoning },
      user('And?'),
    ];
    const thoughts = { reasoning_content: 'word '.repeat(100) };
    for (const model of ['kimi-k3', 'kimi-k2.7-code']) {
      const tokens = async (reasoning: object) =>
        (await harness.ask({ model, messages: turns(reasoning) })).json.usage.prompt_tokens;
      expect((await tokens(thoughts)) - (await tokens({}))).toBeGreaterThan(90);
      switches()['preservedThinking'] = 'required';
      expect(await outcome({ model, messages: turns({}) })).toBe(
        'this model requires reasoning_content on every assistant message, missing at index 1',
      );
      expect(await outcome({ model, messages: turns({ reasoning_content: '' }) })).toBe(200);
      switches()['preservedThinking'] = 'optional';
    }
    switches()['preservedThinking'] = 'required';
    expect(await outcome({ messages: turns({}) })).toBe(200);
  },
);

verifies(
  'facts:kimi:k2-closed',
  'the K2 line may be closed to an account, which is told that there is no such model',
  async () => {
    switches()['k2Line'] = 'closed';
    const { status, json } = await harness.ask({});
    expect([status, json.error.message]).toEqual([
      404,
      'Not found the model kimi-k2.6 or Permission denied',
    ]);
    expect((await harness.ask({ model: 'kimi-k3' })).status).toBe(200);
  },
);

verifies(
  'facts:kimi:preview',
  'kimi-thinking-preview has no tools, JSON, or partial mode, and sees pictures',
  async () => {
    switches()['retiredModels'] = 'live';
    const model = 'kimi-thinking-preview';
    expect(await outcome({ model, tools: [WEATHER] })).toContain('tools');
    expect(await outcome({ model, response_format: { type: 'json_object' } })).toContain(
      'response_format',
    );
    const partial = { role: 'assistant', content: 'x', partial: true };
    expect(await outcome({ model, messages: [user('Hi'), partial] })).toContain('partial');
  },
);

verifies(
  'facts:kimi:moderation',
  'what is high risk is a 400 of the type content_filter, or a finish reason by the switch',
  async () => {
    const { status, json } = await harness.as().chat('[[high risk]]');
    expect([status, json.error]).toEqual([
      400,
      {
        message: 'The request was rejected because it was considered high risk',
        type: 'content_filter',
      },
    ]);
    switches()['moderation'] = 'finish';
    expect((await harness.as().chat('[[high risk]]')).json.choices[0].finish_reason).toBe(
      'content_filter',
    );
  },
);

test('a body that is no JSON object is refused', async () => {
  const { post } = harness.as();
  for (const body of ['{', '[]', '"x"', 'null', ''])
    expect((await post('/chat/completions', body)).json.error.type).toMatch(
      /invalid_request_error|resource/,
    );
});
