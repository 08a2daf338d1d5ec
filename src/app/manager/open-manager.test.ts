import { describe, afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { Config } from '#config/schema/config.schema.ts';
import { createIds } from '#core/ids.ts';
import type { AskContext } from '#core/llm/ask.ts';
import type { Store } from '#core/stores/store.ts';
import { deadlineIn } from '#core/time/deadline.ts';
import { createMetrics } from '#telemetry/metrics/metrics.ts';
import { startEmulator, type Emulator } from '../../../emulator/start.ts';
import { openAskStore } from '../../../test/cases/ask-under-test.ts';
import { createListLog } from '../../../test/list-log.ts';
import { openUpstreams } from '../providers/upstreams.ts';
import { systemClock, systemRandom } from '../system.ts';
import { createHostRedaction, openManager } from './open-manager.ts';

describe('embeddings', () => {
  const KEY = 'embed0123456789.secret-of-glm';
  const newId = createIds(systemClock, systemRandom);

  let emulator: Emulator;
  let opened: Awaited<ReturnType<typeof openAskStore>>;
  let store: Store;

  beforeAll(async () => {
    emulator = await startEmulator();
    opened = await openAskStore();
    ({ store } = opened);
  });
  beforeEach(() => emulator.reset());
  afterAll(async () => {
    await opened.close();
    await emulator.close();
  });

  interface Setting {
    readonly glm?: object;
    readonly custom?: object;
    readonly models?: object;
  }

  /** Runs with a manager over real HTTP, and cleans up. */
  async function withEmbedder<T>(
    { glm = {}, custom = {}, models = {} }: Setting,
    work: (opened: {
      readonly embed: (
        model: string,
        texts?: readonly string[],
        dimensions?: number,
      ) => Promise<{ model: string; provider: string; sizes: number[]; tokens: number }>;
      readonly principal: string;
    }) => Promise<T>,
  ): Promise<T> {
    const log = createListLog();
    const config = Config.parse({ providers: { glm, custom }, models });
    const common = { config, clock: systemClock, random: systemRandom };
    const upstreams = await openUpstreams({ ...common, settings: store.settings, log });
    const telemetry = { log, crumbs: log, metrics: createMetrics() };
    const breakers = { save: async () => undefined, all: async () => [] };
    const managing = await openManager({
      ...common,
      store: { ...store, breakers },
      upstreams,
      telemetry,
    });
    const principal = newId('client');
    let attempts = 0;
    const by = (): AskContext => ({
      reqId: newId('req'),
      tool: 'gateway_embeddings',
      caller: { principal, scopes: ['*'], roots: [] },
      deadline: deadlineIn(systemClock, 20_000),
      signal: new AbortController().signal,
      category: 'balanced',
      nextAttempt: () => (attempts += 1),
    });
    try {
      return await work({
        principal,
        async embed(model, texts = ['a cat'], dimensions) {
          const request = { model, texts, ...(dimensions !== undefined && { dimensions }) };
          const { made } = await managing.embedder.embed(request, by());
          const sizes = made.vectors.map(({ length }) => length);
          return { model: made.model, provider: made.provider, sizes, tokens: made.usage.input };
        },
      });
    } finally {
      await managing.close();
      await upstreams.close();
    }
  }

  const glm = () => ({ apiKey: KEY, baseUrl: `${emulator.url}/glm/api/paas/v4` });
  const ollama = (more = {}) => ({ baseUrl: `${emulator.url}/ollama/v1`, ...more });
  const batches = () =>
    emulator
      .requests()
      .filter(({ path }) => path.endsWith('/embeddings'))
      .map(({ body }) => body as { model: string; input: string[] });

  test('GLM computes embeddings of the requested size, in batches that it accepts', async () => {
    await withEmbedder({ glm: glm() }, async ({ embed, principal }) => {
      const texts = Array.from({ length: 66 }, (_, at) => `text ${at}`);
      const answer = await embed('auto', texts, 256);
      expect(answer).toMatchObject({ model: 'embedding-3', provider: 'glm' });
      expect(answer.sizes).toEqual(texts.map(() => 256));
      expect(batches().map(({ input }) => input.length)).toEqual([64, 2]);
      expect((await embed('embedding-2')).sizes).toEqual([1024]);
      const everyDay = { principal, fromDay: '2000-01-01', toDay: '2999-12-31' };
      const ofThree = async () =>
        (await store.usage.totals(everyDay)).find(({ model }) => model === 'embedding-3');
      await expect.poll(ofThree).toMatchObject({ provider: 'glm', input: answer.tokens });
      expect(answer.tokens).toBeGreaterThan(0);
    });
  });

  test('a vendor that is overloaded for a moment is asked again', async () => {
    await withEmbedder({ glm: glm() }, async ({ embed }) => {
      emulator.fault({ id: 'F4.504', vendor: 'glm', times: 1 });
      expect((await embed('auto')).sizes).toEqual([2048]);
      expect(batches()).toHaveLength(2);
    });
  });

  test('while GLM fails no other provider computes embeddings, although one could', async () => {
    await withEmbedder({ glm: glm(), custom: ollama() }, async ({ embed }) => {
      emulator.fault({ id: 'F4.504', vendor: 'glm', times: 0 });
      await expect(embed('auto')).rejects.toMatchObject({
        provider: 'glm',
        message: expect.stringContaining('embeddings of two models do not mix') as string,
      });
      expect(emulator.requests({ vendor: 'ollama' })).toEqual([]);
    });
  });

  test('the user’s own server uses the configured or the named model', async () => {
    const custom = ollama({ embeddingModel: 'nomic-embed-text' });
    await withEmbedder({ glm: glm(), custom }, async ({ embed }) => {
      expect(await embed('auto')).toMatchObject({ provider: 'custom', model: 'nomic-embed-text' });
      expect(await embed('nomic-embed-text')).toMatchObject({ provider: 'custom' });
      expect(await embed('embedding-3')).toMatchObject({ provider: 'glm' });
      await expect(embed('no-such-model')).rejects.toMatchObject({ class: 'not_found' });
    });
  });

  test('without a name LM Studio’s own embedding model is found, and named', async () => {
    const custom = { baseUrl: `${emulator.url}/lmstudio/v1` };
    await withEmbedder({ custom }, async ({ embed }) => {
      const { model, provider } = await embed('auto', ['a', 'b']);
      expect([provider, model]).toEqual(['custom', 'text-embedding-nomic-embed-text-v1.5']);
    });
  });

  test('lists and a missing key are reported before a provider is asked', async () => {
    await withEmbedder({}, async ({ embed }) => {
      await expect(embed('auto')).rejects.toMatchObject({ class: 'not_configured' });
      await expect(embed('embedding-3')).rejects.toMatchObject({ class: 'not_configured' });
    });
    const models = { deny: { glm: ['embedding-*'] } };
    await withEmbedder({ glm: glm(), models }, async ({ embed }) => {
      await expect(embed('embedding-3')).rejects.toMatchObject({
        class: 'not_configured',
        message: expect.stringContaining('models.deny.glm') as string,
      });
    });
    expect(batches()).toEqual([]);
  });
});

describe('host redaction', () => {
  test('only the owner sees the addresses of providers', () => {
    const concealing = createHostRedaction([
      { title: 'Kimi', host: '10.0.0.1:80' },
      { title: 'GLM', host: '10.0.0.1:8080' },
      { title: 'Local' },
    ]);
    const text = '10.0.0.1:8080 refused the connection, 10.0.0.1:80 too.';
    expect(concealing('local')(text)).toBe(text);
    expect(concealing('laptop')(text)).toBe('GLM refused the connection, Kimi too.');
    const named = createHostRedaction([{ title: 'My server', host: 'api' }])('laptop');
    expect(named('API refused; a rapid capital.')).toBe('My server refused; a rapid capital.');
  });
});
