import { afterAll, beforeAll, describe, expect } from 'vitest';
import { verifies } from '../verifies.ts';
import { CLIENT_MS, runClient, valueOf, type GatewayClient } from './gateway-driver.ts';
import { openGatewayHarness, type GatewayHarness } from './gateway-harness.ts';
import type { StepOutcome } from './sdk-run.ts';

const CLIENTS: readonly GatewayClient[] = [
  {
    name: 'ai 6, openai-compatible 2',
    driver: 'ai',
    packages: { sdk: 'ai', provider: '@ai-sdk/openai-compatible' },
    node: 'this',
    path: '/v1',
  },
  {
    name: 'ai 7, openai-compatible 3',
    driver: 'ai',
    packages: { sdk: 'ai7', provider: 'openai-compatible3' },
    node: 'newest',
    path: '/v1',
  },
];

const STEPS = [
  'chat',
  'stream',
  'tools',
  'toolStream',
  'structured',
  'image',
  'stop',
  'maxTokens',
  'reasoning',
  'embeddings',
  'unknownModel',
  'wrongKey',
  'tooLong',
  'anotherAnswers',
  'abort',
  'dies',
  'diesAlone',
  'toolMended',
  'toolCut',
];

const SAID = 'Zürich, 北京 and 🚀 on one line';
const STORY =
  'The keeper lit the lamp, counted nine ships on the horizon, and wrote all their names in the book before midnight.';

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

  verifies(
    'gateway:ai-sdk',
    'has a chat, and a stream of several pieces, each with its usage',
    () => {
      const usage = { inputTokens: expect.any(Number), outputTokens: expect.any(Number) };
      expect(value('chat')).toMatchObject({ text: SAID, finish: 'stop', usage });
      expect(value('stream')).toMatchObject({ text: SAID, finish: 'stop', usage });
      expect(value('stream')['pieces']).toBeGreaterThan(3);
    },
  );

  verifies(
    'gateway:ai-sdk',
    'calls tools and answers from their results, whole and streamed',
    () => {
      for (const step of ['tools', 'toolStream']) {
        const { text, calls } = value(step);
        expect(calls).toEqual([{ name: 'get_weather', arguments: { city: 'Paris' } }]);
        expect(text).toContain('"celsius":21');
      }
    },
  );

  verifies(
    'gateway:ai-sdk',
    'gets an object by a schema, shows a picture, stops at words and limits',
    () => {
      expect(value('structured')).toEqual({ name: 'Oslo', people: 709_037 });
      expect(value('image')['text']).toContain('image/png, 74 bytes, 2 x 3 pixels');
      expect(String(value('stop')['text']).trim()).toBe('one two');
      expect(value('maxTokens')).toEqual({ finish: 'length' });
    },
  );

  verifies('gateway:ai-sdk', 'sees what was thought apart from what was said', () => {
    const { text, thoughts } = value('reasoning');
    expect(text).toBe('done');
    expect(String(thoughts).split(' ')).toHaveLength(12);
  });

  verifies('gateway:embeddings', 'gets embeddings', () => {
    const vectors = value('embeddings')['vectors'] as readonly (readonly number[])[];
    expect(vectors.map(({ length }) => length > 255)).toEqual([true, true, true]);
  });

  verifies('gateway:ai-sdk', 'is told by status and words what was wrong with a request', () => {
    const wrong = ['unknownModel', 'wrongKey', 'tooLong'].map((step) => value(step));
    expect(wrong).toEqual([
      expect.objectContaining({
        name: 'AI_APICallError',
        status: 404,
        message: expect.stringContaining('no-such-model') as string,
      }),
      expect.objectContaining({
        name: 'AI_APICallError',
        status: 401,
        message: expect.stringContaining('exai access add') as string,
      }),
      expect.objectContaining({
        name: 'AI_APICallError',
        status: 400,
        responseBody: expect.stringContaining('context_length_exceeded') as string,
      }),
    ]);
  });

  verifies('gateway:held-head', 'does not notice that the first vendor was down', () => {
    expect(value('anotherAnswers')).toEqual({ text: SAID, provider: expect.any(String) });
  });

  verifies('gateway:disconnect', 'leaves in the middle, and the vendor is left at once', () => {
    expect(value('abort')).toEqual({ pieces: 3, upstream: 'left' });
  });

  verifies('gateway:survives', 'reads the whole text when Kimi dies in mid-sentence', () => {
    expect(value('dies')).toMatchObject({ text: STORY, finish: 'stop' });
  });

  verifies(
    'gateway:interrupted',
    'fails when an answer breaks off that nobody may go on with',
    () => {
      const { told: heard, threw } = value('diesAlone');
      const { text } = heard as { text: string };
      expect(STORY.startsWith(text) && text !== '' && text !== STORY).toBe(true);
      expect(threw).not.toMatchObject({ went: 'well' });
      expect(JSON.stringify(threw)).toContain('interrupted');
    },
  );

  verifies('gateway:whole-calls', 'has the whole call, wherever its arguments are cut', () => {
    expect(value('toolMended')).toEqual({ calls: 'whole' });
  });

  verifies(
    'gateway:interrupted',
    'fails when the streamed arguments of a tool are cut half-way, and runs nothing',
    () => {
      const { told: heard, threw, args } = value('toolCut');
      const { calls, whole } = heard as { calls: string; whole?: unknown };
      expect(String(args).startsWith(calls) && calls !== '' && calls !== args).toBe(true);
      expect(whole).toBeUndefined();
      expect(threw).not.toMatchObject({ went: 'well' });
      expect(JSON.stringify(threw)).toContain('interrupted');
    },
  );
});
