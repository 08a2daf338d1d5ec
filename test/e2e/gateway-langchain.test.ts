import { afterAll, beforeAll, describe, expect } from 'vitest';
import { verifies } from '../verifies.ts';
import { CLIENT_MS, runClient, valueOf, type GatewayClient } from './gateway-driver.ts';
import { openGatewayHarness, type GatewayHarness } from './gateway-harness.ts';
import type { StepOutcome } from './sdk-run.ts';

const LANGCHAIN: GatewayClient = {
  name: 'LangChain',
  driver: 'langchain',
  packages: {},
  node: 'newest',
  path: '/v1',
};

const STEPS = [
  'chat',
  'stream',
  'tools',
  'toolStream',
  'structured',
  'image',
  'twoChoices',
  'embeddings',
  'dies',
  'unknownModel',
  'wrongKey',
];

const SAID = 'Zürich, 北京 and 🚀 on one line';
const STORY =
  'The keeper lit the lamp, counted nine ships on the horizon, and wrote all their names in the book before midnight.';
const CITY = { name: 'Oslo', people: 709_037 };
const WEATHER = { name: 'get_weather', args: { city: 'Paris' } };

let harness: GatewayHarness;
let told: Readonly<Record<string, StepOutcome>> = {};
beforeAll(async () => {
  harness = await openGatewayHarness();
  told = await runClient(LANGCHAIN, harness, STEPS);
}, CLIENT_MS);
afterAll(() => harness?.close());

describe("LangChain's ChatOpenAI", () => {
  const value = (step: string) => valueOf(told, step) as Record<string, unknown>;

  verifies('gateway:langchain', 'invokes and streams, with usage', () => {
    const usage = { input_tokens: expect.any(Number), output_tokens: expect.any(Number) };
    expect(value('chat')).toMatchObject({ text: SAID, finish: 'stop', usage });
    expect(value('stream')).toMatchObject({ text: SAID, usage });
    expect(value('stream')['pieces']).toBeGreaterThan(3);
  });

  verifies('gateway:langchain', 'calls tools and answers from their results', () => {
    expect(value('tools')).toEqual({
      call: WEATHER,
      text: expect.stringContaining('"celsius":21'),
    });
    expect(value('toolStream')).toEqual([WEATHER]);
  });

  verifies('gateway:langchain', 'gets structured output by a schema and by a call', () => {
    expect(value('structured')).toEqual({ jsonSchema: CITY, functionCalling: CITY });
  });

  verifies('gateway:choices', 'shows a picture, and gets two answers when it asks for two', () => {
    expect(value('image')['text']).toContain('image/png, 74 bytes, 2 x 3 pixels');
    expect(value('twoChoices')).toEqual([SAID, SAID]);
  });

  verifies('gateway:embeddings', 'gets embeddings', () => {
    const { vectors } = value('embeddings') as { vectors: readonly (readonly number[])[] };
    expect(vectors.map(({ length }) => length > 255)).toEqual([true, true, true]);
  });

  verifies('gateway:survives', 'reads the whole text when Kimi dies in mid-sentence', () => {
    expect(value('dies')).toEqual({ text: STORY });
  });

  verifies('gateway:langchain', 'is told what was wrong', () => {
    expect(value('unknownModel')).toMatchObject({ status: 404 });
    expect(value('wrongKey')).toMatchObject({ status: 401 });
  });
});
