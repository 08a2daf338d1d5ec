import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { verifies } from '../verifies.ts';
import { CLIENT_MS, runClient, valueOf, type GatewayClient } from './gateway-driver.ts';
import { openGatewayHarness, type GatewayHarness } from './gateway-harness.ts';
import type { StepOutcome } from './sdk-run.ts';

const CLIENTS: readonly GatewayClient[] = [
  {
    name: 'the Anthropic SDK 1.8',
    driver: 'anthropic',
    packages: { sdk: '@anthropic-ai/sdk' },
    node: 'this',
    path: '',
  },
];

const STEPS = [
  'models',
  'chat',
  'stream',
  'streamHelper',
  'system',
  'tools',
  'toolsUnthinking',
  'toolStream',
  'parallelTools',
  'toolChoice',
  'structured',
  'image',
  'stop',
  'maxTokens',
  'thinking',
  'countTokens',
  'bearer',
  'unknownModel',
  'unknownModelStreamed',
  'wrongKey',
  'tooLong',
  'noLimit',
  'failedAlone',
  'abort',
  'dies',
  'diesHelper',
  'diesThinking',
  'diesAlone',
  'toolMended',
  'toolCut',
];

const SAID = 'Zürich, 北京 and 🚀 on one line';
const STORY =
  'The keeper lit the lamp, counted nine ships on the horizon, and wrote all their names in the book before midnight.';
const USAGE = {
  input_tokens: expect.any(Number) as number,
  output_tokens: expect.any(Number) as number,
};
const WEATHER = { name: 'get_weather', input: { city: 'Paris' } };

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
    'gateway:anthropic-sdk',
    'finds the models that can be asked for, in its own shape',
    () => {
      const models = valueOf(told, 'models') as readonly Record<string, unknown>[];
      expect(models[0]).toEqual({ id: 'auto', type: 'model', title: expect.any(String) });
      expect(models.map(({ id }) => id)).toContain('kimi-k2.6');
    },
  );

  verifies(
    'gateway:anthropic-sdk',
    'has a chat, and is told who answered, why and for how much',
    () => {
      expect(value('chat')).toEqual({
        type: 'message',
        role: 'assistant',
        model: expect.stringMatching(/^glm-/),
        text: SAID,
        stop: 'end_turn',
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

  verifies(
    'gateway:anthropic-sdk',
    'reads a stream of events in their order, with usage at its end',
    () => {
      const { text, pieces, types, end, headers } = value('stream');
      expect(text).toBe(SAID);
      expect(pieces).toBeGreaterThan(3);
      expect((types as readonly string[]).filter((type) => type !== 'ping')).toEqual([
        'message_start',
        'content_block_start',
        'content_block_delta',
        'content_block_stop',
        'message_delta',
        'message_stop',
      ]);
      expect(end).toMatchObject({
        delta: { stop_reason: 'end_turn' },
        usage: { output_tokens: expect.any(Number) },
        exai: { provider: 'glm', attempts: [{ outcome: 'ok' }] },
      });
      expect(headers).toMatchObject({ provider: 'glm', attempts: '1' });
      expect(value('streamHelper')).toMatchObject({ text: SAID, stop: 'end_turn', usage: USAGE });
    },
  );

  verifies('gateway:anthropic-sdk', 'says its system prompt in blocks', () => {
    expect(value('system')['text']).toContain('Aurelia Winterbottom');
  });

  verifies(
    'gateway:anthropic-sdk',
    'calls tools and answers from their results, whole and streamed',
    () => {
      for (const step of ['tools', 'toolsUnthinking', 'toolStream']) {
        expect(value(step)).toEqual({
          call: WEATHER,
          stop: 'tool_use',
          text: expect.stringContaining('"celsius":21'),
          stopAfter: 'end_turn',
        });
      }
    },
  );

  verifies(
    'gateway:anthropic-sdk',
    'makes two calls at once, is forced to one, and kept from any',
    () => {
      expect(value('parallelTools')).toEqual({
        calls: [WEATHER, { name: 'get_time', input: { city: 'Oslo' } }],
        ids: 2,
      });
      expect(value('toolChoice')).toEqual({ none: 'end_turn', forced: 'tool_use' });
    },
  );

  verifies(
    'gateway:anthropic-sdk',
    'gets JSON by a schema, shows a picture, stops at words and limits',
    () => {
      expect(value('structured')).toEqual({ name: 'Oslo', people: 709_037 });
      expect(value('image')['text']).toContain('image/png, 74 bytes, 2 x 3 pixels');
      expect(String(value('stop')['text']).trim()).toBe('one two');
      expect(value('stop')).toMatchObject({ reason: 'stop_sequence', sequence: 'three' });
      expect(value('maxTokens')).toEqual({ stop: 'max_tokens' });
    },
  );

  verifies(
    'gateway:anthropic-sdk',
    'sees what was thought in a block of its own, and may hand it back',
    () => {
      const { blocks, told: streamed, again } = value('thinking');
      const [first = [], second = []] = blocks as readonly (readonly string[])[];
      expect([first[0], second]).toEqual(['thinking', ['text', 'done']]);
      expect(String(first[1]).split(' ')).toHaveLength(12);
      expect(streamed).toMatchObject({ text: 'done', thoughts: first[1] });
      expect(again).toBe('again');
    },
  );

  verifies('gateway:anthropic-sdk', 'counts tokens, and more of them for more', () => {
    const { short, long } = value('countTokens') as Record<string, number>;
    expect(short).toBeGreaterThan(10);
    expect(long).toBeGreaterThan((short ?? 0) + 20);
  });

  verifies('gateway:anthropic-sdk', 'may show its key as a bearer token, too', () => {
    expect(value('bearer')).toEqual({ text: SAID });
  });

  test.each(['unknownModel', 'unknownModelStreamed'])(
    'is told that there is no such model: %s',
    (step) => {
      expect(value(step)).toMatchObject({
        name: 'NotFoundError',
        status: 404,
        type: 'not_found_error',
      });
      expect(value(step)['message']).toContain('no-such-model');
    },
  );

  verifies('gateway:anthropic-sdk', 'is told what else was wrong with a request', () => {
    expect(value('wrongKey')).toMatchObject({
      name: 'AuthenticationError',
      status: 401,
      type: 'authentication_error',
    });
    expect(value('tooLong')).toMatchObject({
      name: 'BadRequestError',
      status: 400,
      type: 'invalid_request_error',
    });
    // Clients know a prompt that is too long by these words.
    expect(value('tooLong')['message']).toMatch(/prompt is too long/i);
    expect(value('noLimit')).toMatchObject({ name: 'BadRequestError', status: 400 });
    expect(value('noLimit')['message']).toContain('max_tokens');
  });

  verifies(
    'gateway:held-head',
    'hears of a failure as an HTTP error as long as nothing was said',
    () => {
      const { status } = value('failedAlone');
      expect([503, 529]).toContain(status);
    },
  );

  verifies('gateway:disconnect', 'leaves in the middle, and the vendor is left at once', () => {
    expect(value('abort')).toEqual({ pieces: 3, upstream: 'left' });
  });

  verifies(
    'gateway:survives',
    'reads the whole text when Kimi dies in mid-sentence, and is shown the seam',
    () => {
      const { text, end } = value('dies');
      expect(text).toBe(STORY);
      const { exai } = end as { exai: { seams: readonly { at: number }[] } };
      expect(exai.seams).toEqual([
        { at: expect.any(Number), provider: 'glm', model: expect.stringMatching(/^glm-/) },
      ]);
      expect(exai.seams[0]?.at).toBeGreaterThan(0);
      expect(exai.seams[0]?.at).toBeLessThan(STORY.length);
      expect(value('diesHelper')).toEqual({ text: STORY });
    },
  );

  verifies(
    'gateway:anthropic-sdk',
    'has one text and what was thought before it, also when another went on with it',
    () => {
      // Clients that show an answer's last text alone would show half of one in two blocks.
      const { text, thoughts, blocks } = value('diesThinking');
      expect({ text, thoughts, blocks }).toEqual({
        text: STORY,
        thoughts: 'amber birch cedar',
        blocks: ['thinking', 'text'],
      });
    },
  );

  verifies(
    'gateway:interrupted',
    'throws when an answer breaks off that nobody may go on with',
    () => {
      const { told: heard, threw } = value('diesAlone');
      const { text } = heard as { text: string };
      expect(STORY.startsWith(text) && text !== '' && text !== STORY).toBe(true);
      expect(threw).toMatchObject({ name: 'APIError' });
      expect(JSON.stringify(threw)).toContain('interrupted');
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
      expect(threw).toMatchObject({ name: 'APIError' });
      expect(JSON.stringify(threw)).toContain('interrupted');
    },
  );
});
