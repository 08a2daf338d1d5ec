import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { verifies } from '../verifies.ts';
import { CLIENT_MS, runClient, valueOf, type GatewayClient } from './gateway-driver.ts';
import { openGatewayHarness, type GatewayHarness } from './gateway-harness.ts';
import type { StepOutcome } from './sdk-run.ts';

const CLIENTS: readonly GatewayClient[] = [
  { name: 'openai 6', driver: 'openai', packages: { sdk: 'openai' }, node: 'this', path: '/v1' },
  { name: 'openai 7', driver: 'openai', packages: { sdk: 'openai7' }, node: 'newest', path: '/v1' },
];

const STEPS = [
  'models',
  'chat',
  'stream',
  'streamWithoutUsage',
  'streamHelper',
  'tools',
  'toolsUnthinking',
  'toolStream',
  'parallelTools',
  'toolChoice',
  'functions',
  'structured',
  'jsonMode',
  'image',
  'twoChoices',
  'stop',
  'maxTokens',
  'reasoning',
  'thoughtsCut',
  'embeddings',
  'sampling',
  'unknownModel',
  'unknownModelStreamed',
  'wrongKey',
  'tooLong',
  'failedAlone',
  'anotherAnswers',
  'abort',
  'dies',
  'diesWhole',
  'endsEarly',
  'diesAlone',
  'toolMended',
  'toolCut',
];

const SAID = 'Zürich, 北京 and 🚀 on one line';
const STORY =
  'The keeper lit the lamp, counted nine ships on the horizon, and wrote all their names in the book before midnight.';
const USAGE = { prompt_tokens: counted(), completion_tokens: counted(), total_tokens: counted() };
const WEATHER = [{ name: 'get_weather', arguments: { city: 'Paris' } }];

let harness: GatewayHarness;
beforeAll(async () => {
  harness = await openGatewayHarness();
}, CLIENT_MS);
afterAll(() => harness?.close());

describe.each(CLIENTS)('$name', (client) => {
  let told: Readonly<Record<string, StepOutcome>> = {};
  beforeAll(async () => {
    told = await runClient(client, harness, STEPS);
  }, CLIENT_MS);
  const value = (step: string) => valueOf(told, step) as Record<string, unknown>;

  verifies('gateway:openai-sdk', 'finds the models that can be asked for, auto first', () => {
    const models = valueOf(told, 'models') as readonly Record<string, unknown>[];
    expect(models[0]).toEqual({
      id: 'auto',
      object: 'model',
      created: expect.any(Number),
      owner: 'exai',
    });
    expect(models.map(({ id }) => id)).toEqual(
      expect.arrayContaining(['kimi-k2.6', 'glm-4.7-flash']),
    );
    expect(new Set(models.map(({ id }) => id)).size).toBe(models.length);
  });

  verifies(
    'gateway:openai-sdk',
    'has a chat, and is told who answered, why and for how much',
    () => {
      expect(value('chat')).toEqual({
        object: 'chat.completion',
        model: expect.stringMatching(/^glm-/),
        text: SAID,
        role: 'assistant',
        finish: 'stop',
        usage: expect.objectContaining(USAGE),
        exai: {
          req_id: expect.stringMatching(/^req_/),
          provider: 'glm',
          model: expect.stringMatching(/^glm-/),
          attempts: [expect.objectContaining({ attempt: 1, provider: 'glm', outcome: 'ok' })],
          because: expect.arrayContaining([expect.stringMatching(/^Rule \d+/)]),
          cost_usd: expect.any(Number),
          usage_total: expect.objectContaining({ input_tokens: expect.any(Number) }),
        },
        headers: {
          'req-id': expect.stringMatching(/^req_/),
          provider: 'glm',
          model: expect.stringMatching(/^glm-/),
          attempts: '1',
        },
      });
    },
  );

  verifies('gateway:openai-sdk', 'reads a stream piece by piece, with its usage at the end', () => {
    const { text, pieces, finish, usage, exai, ids, type, headers } = value('stream');
    expect({ text, finish, ids }).toEqual({ text: SAID, finish: 'stop', ids: 1 });
    expect(pieces).toBeGreaterThan(3);
    expect(usage).toMatchObject(USAGE);
    expect(exai).toMatchObject({ provider: 'glm', attempts: [{ outcome: 'ok' }] });
    expect(type).toMatch(/^text\/event-stream/);
    expect(headers).toMatchObject({ provider: 'glm', attempts: '1' });
    expect(value('streamHelper')).toMatchObject({ text: SAID, finish: 'stop', usage: USAGE });
  });

  verifies(
    'gateway:openai-sdk',
    'hears of no usage in a stream for which it asked for none',
    () => {
      expect(value('streamWithoutUsage')).toMatchObject({
        text: SAID,
        finish: 'stop',
        usage: null,
      });
    },
  );

  verifies(
    'gateway:openai-sdk',
    'calls tools and answers from their results, whole and streamed',
    () => {
      for (const step of ['tools', 'toolsUnthinking', 'toolStream']) {
        const { text, calls, usage } = value(step);
        expect(calls).toEqual(WEATHER);
        expect(text).toContain('"celsius":21');
        expect(usage).toMatchObject(USAGE);
      }
    },
  );

  verifies(
    'gateway:openai-sdk',
    'makes two calls at once, is forced to one, and kept from any',
    () => {
      expect(value('parallelTools')).toEqual({
        finish: 'tool_calls',
        calls: [...WEATHER, { name: 'get_time', arguments: { city: 'Oslo' } }],
        ids: 2,
      });
      expect(value('toolChoice')).toEqual({ none: 'stop', forced: 'get_weather' });
    },
  );

  verifies(
    'gateway:openai-sdk',
    'is answered in the words of 2023 when it asks with functions',
    () => {
      const { call, finish, text } = value('functions');
      expect(call).toEqual({ name: 'get_weather', arguments: expect.stringContaining('Paris') });
      expect(finish).toBe('function_call');
      expect(text).toContain('"celsius":21');
    },
  );

  verifies('gateway:openai-sdk', 'gets JSON by a schema, and any object without one', () => {
    expect(value('structured')).toEqual({ name: 'Oslo', people: 709_037 });
    expect(value('jsonMode')).toEqual({ isObject: true });
  });

  verifies('gateway:openai-sdk', 'shows a picture', () => {
    expect(value('image')['text']).toContain('image/png, 74 bytes, 2 x 3 pixels');
  });

  verifies('gateway:choices', 'gets two answers when it asks for two', () => {
    expect(value('twoChoices')).toMatchObject({
      texts: [
        [0, SAID],
        [1, SAID],
      ],
      usage: USAGE,
      told: [SAID, SAID],
      finishes: ['stop', 'stop'],
    });
  });

  verifies('gateway:openai-sdk', 'stops at its words and at its limit', () => {
    const { text, finish, told: streamed } = value('stop');
    expect([String(text).trim(), finish, String(streamed).trim()]).toEqual([
      'one two',
      'stop',
      'one two',
    ]);
    expect(value('maxTokens')).toMatchObject({ finish: 'length', usage: USAGE });
  });

  verifies('gateway:openai-sdk', 'sees what was thought apart from what was said', () => {
    const { content, thoughts, told: streamed } = value('reasoning');
    expect(content).toBe('done');
    expect(String(thoughts).split(' ')).toHaveLength(12);
    expect(streamed).toMatchObject({ text: 'done', reasoning: thoughts });
  });

  verifies(
    'gateway:openai-sdk',
    'reads no thought twice when a model breaks off while it thinks',
    () => {
      const { thoughts } = value('reasoning');
      expect(value('thoughtsCut')).toEqual({ text: 'done', calls: '', reasoning: thoughts });
    },
  );

  verifies('gateway:openai-sdk', 'hands temperature and the like on', () => {
    expect(value('sampling')).toEqual({ temperature: 0.3, topP: 0.8 });
  });

  verifies(
    'gateway:embeddings',
    'gets embeddings, as numbers and in the base64 that it asks for unless told',
    () => {
      const { model, usage, vectors, farthest } = value('embeddings');
      const [one = [], two = [], other = []] = vectors as readonly (readonly number[])[];
      expect([model, usage]).toEqual([
        'embedding-3',
        expect.objectContaining({ prompt_tokens: counted() }),
      ]);
      expect(one.length).toBeGreaterThan(255);
      expect(product(one, two)).toBeGreaterThan(2 * Math.abs(product(one, other)));
      expect(farthest).toBeLessThan(1e-6);
    },
  );

  test.each(['unknownModel', 'unknownModelStreamed'])(
    'is told that there is no such model: %s',
    (step) => {
      expect(value(step)).toMatchObject({
        name: 'NotFoundError',
        status: 404,
        code: 'model_not_found',
      });
      expect(value(step)['message']).toContain('no-such-model');
    },
  );

  verifies('gateway:openai-sdk', 'is told that its key is not one of ours', () => {
    expect(value('wrongKey')).toMatchObject({
      name: 'AuthenticationError',
      status: 401,
      code: 'invalid_api_key',
    });
    expect(value('wrongKey')['message']).toContain('exai access add');
  });

  verifies('gateway:openai-sdk', 'is told that its prompt is too long for the model', () => {
    expect(value('tooLong')).toMatchObject({
      name: 'BadRequestError',
      status: 400,
      code: 'context_length_exceeded',
    });
  });

  verifies(
    'gateway:held-head',
    'hears of a failure as an HTTP error as long as nothing was said',
    () => {
      expect(value('failedAlone')).toMatchObject({
        name: 'InternalServerError',
        status: 503,
        code: 'overloaded',
      });
    },
  );

  verifies('gateway:held-head', 'does not notice that the first vendor was down', () => {
    const { text, finish, headers, exai } = value('anotherAnswers');
    expect([text, finish]).toEqual([SAID, 'stop']);
    expect(headers).toMatchObject({
      'fallback-reason': expect.stringMatching(/^kimi\/kimi-k2\.6 /),
    });
    const { attempts } = exai as { attempts: readonly { outcome: string }[] };
    expect(attempts.at(-1)?.outcome).toBe('ok');
    expect(attempts.length).toBeGreaterThan(1);
  });

  verifies('gateway:disconnect', 'leaves in the middle, and the vendor is left at once', () => {
    expect(value('abort')).toEqual({ pieces: 3, upstream: 'left' });
  });

  verifies(
    'gateway:survives',
    'reads the whole text when Kimi dies in mid-sentence, and is shown the seam',
    () => {
      const { text, finish, exai, headers } = value('dies');
      expect([text, finish]).toEqual([STORY, 'stop']);
      const { seams, attempts } = exai as {
        seams: readonly { at: number }[];
        attempts: readonly object[];
      };
      expect(seams).toEqual([
        { at: expect.any(Number), provider: 'glm', model: expect.stringMatching(/^glm-/) },
      ]);
      expect(seams[0]?.at).toBeGreaterThan(0);
      expect(seams[0]?.at).toBeLessThan(STORY.length);
      expect(attempts.length).toBeGreaterThan(1);
      expect(headers).toMatchObject({ provider: 'kimi', model: 'kimi-k2.6' });
      expect(value('diesWhole')).toMatchObject({ text: STORY, finish: 'stop' });
      expect(value('endsEarly')).toMatchObject({ text: STORY, finish: 'stop' });
    },
  );

  verifies(
    'gateway:interrupted',
    'throws when an answer breaks off that nobody may go on with',
    () => {
      const { told: heard, threw } = value('diesAlone');
      expect(threw).toMatchObject({ name: 'APIError', code: 'interrupted' });
      const { text } = heard as { text: string };
      expect(STORY.startsWith(text) && text !== '' && text !== STORY).toBe(true);
    },
  );

  verifies('gateway:whole-calls', 'has the whole call, wherever its arguments are cut', () => {
    expect(value('toolMended')).toEqual({ calls: 'whole' });
  });

  verifies(
    'gateway:interrupted',
    'throws when the streamed arguments of a tool are cut half-way, and has no call to run',
    () => {
      const { told: heard, threw, args } = value('toolCut');
      const { calls } = heard as { calls: string };
      expect(String(args).startsWith(calls) && calls !== '' && calls !== args).toBe(true);
      expect(threw).toMatchObject({ name: 'APIError', code: 'interrupted' });
    },
  );
});

function counted(): number {
  return expect.any(Number) as number;
}

function product(a: readonly number[], b: readonly number[]): number {
  return a.reduce((sum, each, at) => sum + each * (b[at] ?? 0), 0);
}
