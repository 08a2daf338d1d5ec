import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import type { Config } from '#config/schema/config.schema.ts';
import { loadConfig } from '#config/load/load.ts';
import { CallError } from '#core/errors/call-error.ts';
import { collectChat } from '../../../test/collect-chat.ts';
import { deadlineIn } from '#core/time/deadline.ts';
import type { Provider, ProviderContext, ProviderId } from '#core/llm/provider.ts';
import { PROVIDERS } from '#core/providers/list.ts';
import { createCatalogue } from '#models/catalogue.ts';
import { createHttp } from '#net/create-http.ts';
import { startEmulator, type Emulator } from '../../../emulator/start.ts';
import { verifies } from '../../../test/verifies.ts';
import { systemClock, systemRandom } from '../system.ts';
import { createProviders } from './providers.ts';

const NO_PROXY = { httpProxy: '', httpsProxy: '', noProxy: '', extraCa: '' };
const messages = [{ role: 'user', content: 'What is 2 + 3?' }] as const;

let emulator: Emulator;
beforeAll(async () => {
  emulator = await startEmulator();
});
afterEach(() => emulator.reset());
afterAll(() => emulator.close());

type Lists = Partial<Record<'allow' | 'deny', Partial<Record<ProviderId, readonly string[]>>>>;

test('every provider of the list is created, under the id and the title of its descriptor', () => {
  const { of } = setUp({});
  for (const { id, title } of PROVIDERS) expect(of(id)).toMatchObject({ id, title });
});

function setUp(lists: Lists, custom: { readonly model?: string; readonly at?: string } = {}) {
  const { config } = loadConfig({
    env: {
      KIMI_API_KEY: 'sk-lists-0123456789',
      KIMI_API_URL: `${emulator.url}/kimi/v1`,
      GLM_API_KEY: 'lists.secret-0123456789',
      GLM_API_URL: `${emulator.url}/glm/api/paas/v4`,
      OPENROUTER_API_KEY: 'sk-or-lists-0123456789',
      OPENROUTER_API_URL: `${emulator.url}/openrouter/api/v1`,
      CUSTOM_API_URL: `${emulator.url}/${custom.at ?? 'ollama'}/v1`,
      ...(custom.model !== undefined && { CUSTOM_MODEL: custom.model }),
    },
  });
  const settings = { network: NO_PROXY, clock: systemClock };
  const http = createHttp({ ...settings, guard: 'configured' });
  const publicHttp = createHttp({ ...settings, guard: 'public' });
  onTestFinished(async () => {
    await http.close();
    await publicHttp.close();
  });
  const catalogue = createCatalogue();
  const providers = createProviders({
    config: { ...config, models: { ...config.models, ...lists } as Config['models'] },
    network: { http, publicHttp },
    clock: systemClock,
    random: systemRandom,
    catalogue: () => catalogue,
    customUrl: config.providers.custom.baseUrl,
  });
  const of = (id: ProviderId): Provider => {
    const provider = providers.get(id);
    if (!provider) throw new Error(`There is no ${id}.`);
    return provider;
  };
  const context = (): ProviderContext => ({
    signal: new AbortController().signal,
    deadline: deadlineIn(systemClock, 10_000),
  });
  const chat = (id: ProviderId, model: string) =>
    collectChat(of(id).chat({ model, messages, delivery: 'whole' }, context()));
  return { of, context, chat };
}

/** The chat requests to vendors, without discovery requests to the user's own server. */
const asked = () =>
  emulator
    .requests()
    .filter(({ method }) => method === 'POST')
    .map(({ path }) => path);

const refused = (id: ProviderId, model: unknown) => ({
  is: 'failed',
  error: {
    class: 'not_configured',
    field: 'model',
    fix: 'Choose another model. Or change that list.',
    provider: id,
    model,
    message: expect.stringMatching(
      / may not be used: models\.(?:deny|allow)\.\w+ .*\.$/,
    ) as unknown,
  },
});

describe('a model that is denied is not asked, whatever it is called', () => {
  const DENY: Lists = {
    deny: {
      kimi: ['kimi-k2.6'],
      glm: ['glm-4.6', 'glm-4.6v'],
      openrouter: ['z-ai/glm-5.3', 'openai/*'],
      custom: ['llama3', 'qwen3:8b', 'emulated-8b*'],
    },
  };

  verifies('models:lists', 'names of Kimi and GLM, by alias, case, blanks and prefix', async () => {
    const { chat } = setUp(DENY);
    const kimi = createCatalogue().find('kimi-k2.6', 'kimi');
    const glm = createCatalogue().find('glm-4.6', 'glm');
    const forms = (id: string, vendor: string, aliases: readonly string[] = []) => [
      id,
      id.toUpperCase(),
      `  ${id}\t`,
      id.replaceAll('-', '_'),
      id.replaceAll('-', ' '),
      `${vendor}/${id}`,
      ...aliases,
    ];
    for (const name of forms('kimi-k2.6', 'moonshotai', kimi?.aliases))
      expect(await chat('kimi', name)).toMatchObject(refused('kimi', 'kimi-k2.6'));
    for (const name of forms('glm-4.6', 'z-ai', glm?.aliases))
      expect(await chat('glm', name)).toMatchObject(refused('glm', 'glm-4.6'));
    // The request would go to its successor.
    expect(await chat('glm', 'glm-4.5v')).toMatchObject(refused('glm', 'glm-4.6v'));
    expect(emulator.requests()).toEqual([]);
    expect(await chat('kimi', 'kimi-k3')).toMatchObject({ is: 'answered' });
  });

  verifies('models:lists', 'names of OpenRouter, by mark, prefix and ending', async () => {
    const { chat } = setUp(DENY);
    for (const name of [
      'z-ai/glm-5.3',
      'Z-AI/GLM-5.3',
      ' z-ai/glm-5.3 ',
      'z-ai/glm-5.3:free',
      'z-ai/glm-5.3:nitro:free',
      '~z-ai/glm-5.3',
      '~z-ai/glm-5.3:free',
      'openrouter/z-ai/glm-5.3',
      'OpenRouter/z-ai/glm-5.3:online',
      'openai/gpt-9',
      '~openai/gpt-9',
    ])
      expect(await chat('openrouter', name)).toMatchObject(
        refused('openrouter', expect.any(String)),
      );
    expect(emulator.requests()).toEqual([]);
    expect(await chat('openrouter', 'moonshotai/kimi-k2.6')).toMatchObject({ is: 'answered' });
  });

  test.each(['llama3', 'llama3:latest', 'LLAMA3', ' llama3 ', 'library/llama3', 'Qwen3:8B'])(
    'a server of your own: "%s" is not even looked up',
    async (name) => {
      const { chat, of, context } = setUp(DENY, { model: 'llava:latest' });
      expect(await chat('custom', name)).toMatchObject(refused('custom', name.trim()));
      await expect(
        of('custom').embed?.({ model: name, texts: ['a'] }, context()),
      ).rejects.toMatchObject({ class: 'not_configured' });
      expect(emulator.requests()).toEqual([]);
    },
  );

  test.each(['', 'custom', 'default', ' Custom ', 'DEFAULT'])(
    'a server of your own: "%s" is the model that is set',
    async (name) => {
      const { chat } = setUp(DENY, { model: 'llama3:latest' });
      expect(await chat('custom', name)).toMatchObject(refused('custom', 'llama3:latest'));
      expect(emulator.requests()).toEqual([]);
    },
  );

  test.each(['', 'custom', 'anything', 'kimi-k3'])(
    'a server that has one model: "%s" is that one',
    async (name) => {
      const { chat } = setUp(DENY, { at: 'llamacpp' });
      expect(await chat('custom', name)).toMatchObject(refused('custom', expect.any(String)));
      expect(asked()).toEqual([]);
    },
  );

  test('`llama3:latest` on the list means `llama3`, too', async () => {
    const { chat } = setUp({ deny: { custom: ['llama3:latest'] } });
    expect(await chat('custom', 'llama3')).toMatchObject(refused('custom', 'llama3'));
    expect(emulator.requests()).toEqual([]);
  });
});

describe('lists hold for everything that is asked of a model', () => {
  const EVERYTHING: Lists = {
    deny: { kimi: ['*'], glm: ['*'], openrouter: ['*'], custom: ['*'], extractive: ['*'] },
  };
  const classOf = (work: Promise<unknown> | undefined) =>
    (work ?? Promise.resolve('there is no such operation')).then(
      () => 'answered',
      (thrown: unknown) => CallError.from(thrown).class,
    );

  verifies('models:lists', 'chat, chat for later, embeddings and counts', async () => {
    const { of, context, chat } = setUp(EVERYTHING, { model: 'llama3.2' });
    const request = { model: 'glm-4.6', messages, delivery: 'whole' } as const;
    expect(await classOf(of('glm').submitAsync?.(request, context()))).toBe('not_configured');
    for (const model of [undefined, '', 'embedding-3', ' embedding-3 ', 'EMBEDDING-2'])
      expect(
        await classOf(
          of('glm').embed?.({ texts: ['a'], ...(model !== undefined && { model }) }, context()),
        ),
      ).toBe('not_configured');
    expect(await classOf(of('custom').embed?.({ texts: ['a'], model: 'x' }, context()))).toBe(
      'not_configured',
    );
    for (const [id, model] of [
      ['kimi', 'kimi-k3'],
      ['glm', 'glm-5.3'],
    ] as const)
      expect(await classOf(of(id).countTokens?.({ model, messages }, context()))).toBe(
        'not_configured',
      );
    expect(await chat('extractive', '')).toMatchObject(refused('extractive', 'local-extract'));
    expect(asked()).toEqual([]);
  });

  test('the model that counts in place of another is one of them', async () => {
    const { of, context } = setUp({ deny: { glm: ['glm-4.6'] } });
    expect(await classOf(of('glm').countTokens?.({ model: 'glm-5.3', messages }, context()))).toBe(
      'not_configured',
    );
    expect(emulator.requests().map(({ body }) => (body as { model: string }).model)).toEqual([
      'glm-5.3',
    ]);
  });

  test('an allow list names one of the forms', async () => {
    const allow = {
      openrouter: ['z-ai/glm-5.3'],
      custom: ['llama3.2'],
      kimi: ['kimi-k3'],
      glm: ['glm-4.6'],
    };
    const { chat, of, context } = setUp({ allow });
    expect(await chat('openrouter', 'z-ai/glm-5.3:nitro')).toMatchObject({ is: 'answered' });
    expect(await chat('custom', 'llama3.2:latest')).toMatchObject({ is: 'answered' });
    emulator.reset();
    expect(await chat('openrouter', 'moonshotai/kimi-k2.6')).toMatchObject(
      refused('openrouter', 'moonshotai/kimi-k2.6'),
    );
    expect(await chat('custom', 'qwen3:8b')).toMatchObject(refused('custom', 'qwen3:8b'));
    expect(await chat('kimi', 'kimi-k2.6')).toMatchObject(refused('kimi', 'kimi-k2.6'));
    expect(await classOf(of('glm').embed?.({ texts: ['a'] }, context()))).toBe('not_configured');
    expect(asked()).toEqual([]);
  });
});
