import { describe, expect, test } from 'vitest';
import { createSecret } from '#core/secrets/secret.ts';
import { verifies } from '../../../test/verifies.ts';
import { must, requestFor, saying, scripted, useGlmWorld, thrown } from './glm.fixture.ts';

const world = useGlmWorld();

describe('search', () => {
  test.each(['zai', 'bigmodel'])('at %s gives results', async (site) => {
    const { provider, context } = site === 'zai' ? world : world.atBigmodel();
    const found = await provider.search?.(
      { query: 'rocket Heron', count: 2, recency: 'week' },
      context,
    );
    expect(found?.results[0]).toMatchObject({
      title: 'Rocket Heron reaches orbit',
      url: 'https://news.example/rocket',
      mark: 'ref_1',
    });
  });

  test('refuses nothing to search for', async () => {
    const { provider, context } = world;
    expect(await thrown(provider.search?.({ query: ' ' }, context))).toMatchObject({
      class: 'validation',
      field: 'query',
    });
  });

  test('takes no address that is none of the web', async () => {
    const { provider, context } = scripted([
      {
        json: {
          search_result: [{ link: 'javascript:alert(1)' }, { link: 'https://a.example' }, null, 7],
        },
      },
    ]);
    expect((await provider.search?.({ query: 'x' }, context))?.results).toEqual([
      { title: 'https://a.example', url: 'https://a.example' },
    ]);
  });
});

describe('reading a page', () => {
  test.each(['markdown', 'text'] as const)('gives it as %s, without pictures', async (format) => {
    const { provider, context } = world;
    const page = await provider.read?.({ url: 'https://weather.example/oslo', format }, context);
    expect(page).toMatchObject({ url: 'https://weather.example/oslo', title: 'Weather in Oslo' });
    expect(page?.content).toContain('4 degrees');
    expect(page?.content).not.toContain('oslo.png');
  });

  verifies(
    'provider:facts',
    'glm: a page that cannot be opened (1234) is not found, and not a failure of GLM',
    async () => {
      const { provider, context } = world;
      const error = await thrown(
        provider.read?.({ url: 'https://nowhere.example/', format: 'text' }, context),
      );
      expect(error).toMatchObject({
        class: 'not_found',
        message: expect.stringContaining('could not open this page'),
      });
    },
  );

  test('refuses an invalid address', async () => {
    const { provider, context } = world;
    expect(
      await thrown(provider.read?.({ url: 'file:///etc/passwd', format: 'text' }, context)),
    ).toMatchObject({
      class: 'validation',
      field: 'url',
    });
  });
});

describe('embedding', () => {
  verifies(
    'provider:facts',
    'glm: 64 texts go at a time, and the vectors keep their order',
    async () => {
      const { provider, context } = world;
      const texts = Array.from({ length: 130 }, (_, at) => `text number ${at}`);
      const { vectors, usage } = must(await provider.embed?.({ texts, dimensions: 256 }, context));
      const alone = must(
        await provider.embed?.({ texts: ['text number 129'], dimensions: 256 }, context),
      );
      expect(vectors).toHaveLength(130);
      expect(vectors[129]).toEqual(alone.vectors[0]);
      expect(vectors[0]).toBeInstanceOf(Float32Array);
      expect(usage.input).toBeGreaterThan(alone.usage.input);
      expect(
        world.bodies('/embeddings').map((body) => (body['input'] as unknown[]).length),
      ).toEqual([64, 64, 2, 1]);
    },
  );

  test('takes the order from the indexes', async () => {
    const { provider, context } = scripted([
      {
        json: {
          data: [
            { index: 1, embedding: [1] },
            { index: 0, embedding: [0] },
          ],
          usage: { prompt_tokens: 4 },
        },
      },
    ]);
    const { vectors } = must(await provider.embed?.({ texts: ['a', 'b'] }, context));
    expect(vectors.map(([first]) => first)).toEqual([0, 1]);
  });

  test.each([
    ['a missing vector', [{ index: 0, embedding: [1] }]],
    [
      'no numbers',
      [
        { index: 0, embedding: ['x'] },
        { index: 1, embedding: [1] },
      ],
    ],
    [
      'different sizes',
      [
        { index: 0, embedding: [1, 2] },
        { index: 1, embedding: [1] },
      ],
    ],
    [
      'numbers that no vector holds',
      [
        { index: 0, embedding: [1e300] },
        { index: 1, embedding: [1] },
      ],
    ],
    [
      'what is no number',
      [
        { index: 0, embedding: [null] },
        { index: 1, embedding: ['1'] },
      ],
    ],
    ['nothing', undefined],
  ])('fails on %s', async (_, data) => {
    const { provider, context } = scripted([{ json: { data } }]);
    expect(await thrown(provider.embed?.({ texts: ['a', 'b'] }, context))).toMatchObject({
      class: 'bad_response',
    });
  });

  test('refuses no texts, empty texts and no sizes', async () => {
    const { provider, context } = world;
    for (const input of [{ texts: [] }, { texts: ['a', ' '] }, { texts: ['a'], dimensions: 0 }])
      expect(await thrown(provider.embed?.(input, context))).toMatchObject({ class: 'validation' });
    expect(world.emulator.requests()).toEqual([]);
  });
});

describe('counting tokens', () => {
  const messages = [{ role: 'user', content: 'How many are these?' }] as const;

  test('is done by the vendor', async () => {
    const { provider, context } = world;
    const count = must(await provider.countTokens?.({ model: 'glm-4.6', messages }, context));
    expect(count).toBeGreaterThan(3);
    const tool = { name: 'look', description: 'Looks.', parameters: {} };
    expect(
      await provider.countTokens?.({ model: 'glm-4.6', messages, tools: [tool] }, context),
    ).toBeGreaterThan(count);
  });

  test('of a model that the endpoint does not know is done by one that it knows', async () => {
    const { provider, context } = world;
    expect(await provider.countTokens?.({ model: 'glm-5.3', messages }, context)).toBeGreaterThan(
      3,
    );
    expect(world.bodies('/tokenizer').map((body) => body['model'])).toEqual(['glm-5.3', 'glm-4.6']);
  });
});

describe('a chat that is left with the vendor', () => {
  test('runs, and is there later', async () => {
    const { provider, context } = world;
    const { id } = must(
      await provider.submitAsync?.(requestFor('glm-4.6', 'What is 2 + 3?'), context),
    );
    expect(await provider.pollAsync?.(id, context)).toEqual({ is: 'running' });
    const done = must(await provider.pollAsync?.(id, context));
    expect(done).toMatchObject({ is: 'done' });
    if (done.is !== 'done') return;
    expect(done.events).toContainEqual({ type: 'text', text: '2 + 3 is 5.' });
    expect(done.events.map(({ type }) => type).slice(-2)).toEqual(['usage', 'finish']);
    expect(world.bodies('/async/chat/completions')[0]).not.toHaveProperty('stream');
  });

  test.each([
    ['F11.network_error', 'provider_error'],
    ['F11.sensitive', 'content_filter'],
  ])('that ended by %s is %s', async (fault, expected) => {
    const { provider, context } = world;
    world.switches['asyncPolls'] = 0;
    world.emulator.fault({ id: fault });
    const { id: task } = must(
      await provider.submitAsync?.(requestFor('glm-4.6', 'Say exactly: a b c d'), context),
    );
    expect(await thrown(provider.pollAsync?.(task, context))).toMatchObject({
      class: expected,
      provider: 'glm',
    });
  });

  test('gives what was changed or left out on the way', async () => {
    const { provider, context } = world;
    const left = must(
      await provider.submitAsync?.(
        requestFor('glm-4.5v', 'Hi', { maxOutputTokens: 9_000_000, webSearch: { maxRounds: 2 } }),
        context,
      ),
    );
    expect(left.notices).toMatchObject([
      { code: 'model_retired', params: { model: 'glm-4.5v', successor: 'glm-4.6v' } },
      { code: 'max_tokens_lowered' },
      { code: 'parameter_dropped', params: { parameters: ['webSearch.maxRounds'] } },
    ]);
  });

  test('ends with usage and finish, also where the vendor does not count', async () => {
    const { provider, context } = scripted([
      { json: { id: '1', task_status: 'PROCESSING' } },
      {
        json: {
          task_status: 'SUCCESS',
          model: 'glm-4.6',
          choices: [{ message: { content: 'Five of them.' }, finish_reason: 'stop' }],
        },
      },
    ]);
    const { id } = must(
      await provider.submitAsync?.(requestFor('glm-4.6', 'How many bears?'), context),
    );
    const done = must(await provider.pollAsync?.(id, context));
    if (done.is !== 'done') throw new Error('The answer is not there.');
    const [usage, finish] = done.events.slice(-2);
    expect(finish).toEqual({ type: 'finish', reason: 'stop' });
    expect(usage).toMatchObject({ type: 'usage', usage: { estimated: true } });
    if (usage?.type !== 'usage') return;
    expect(usage.usage.input).toBeGreaterThan(5);
    expect(usage.usage.output).toBeGreaterThan(1);
  });

  test('refuses options that have to be checked in the answer', async () => {
    const { provider, context } = world;
    const tools = [{ name: 'look', description: 'Looks.', parameters: {} }];
    const schema = { type: 'json_schema', name: 'x', schema: {} } as const;
    for (const more of [{ tools, toolChoice: 'required' as const }, { responseFormat: schema }])
      expect(
        await thrown(provider.submitAsync?.(requestFor('glm-4.6', 'Hi', more), context)),
      ).toMatchObject({ class: 'validation' });
  });

  test('with an unknown state is an error', async () => {
    const { provider, context } = scripted([saying('Hello.')]);
    expect(await thrown(provider.pollAsync?.('1', context))).toMatchObject({
      class: 'bad_response',
    });
  });
});

describe('the models', () => {
  test('are listed where the vendor lists them', async () => {
    const { provider, context } = world;
    expect(await provider.models?.(context)).toContainEqual({ id: 'glm-5.3-flash' });
  });

  verifies(
    'provider:facts',
    'glm: a list of models that is not there means nothing, neither for the models nor for the key',
    async () => {
      world.switches['models'] = '404';
      const { provider, context } = world;
      expect(await thrown(provider.models?.(context))).toMatchObject({
        class: 'not_found',
        message: `GLM lists no models at ${new URL(world.emulator.url).host}.`,
      });
      expect(await provider.check(context)).toMatch(/accepts the key \(pay as you go\)$/);
    },
  );
});

test('a list that is refused for the key says that it is the key', async () => {
  const { provider, context } = world.with({ key: createSecret('wrong01234.secret') });
  expect(await thrown(provider.models?.(context))).toMatchObject({ class: 'auth' });
});

describe('the check', () => {
  test('is one cheap request', async () => {
    await world.provider.check(world.context);
    expect(world.emulator.requests().map(({ path }) => path)).toEqual([
      '/glm/api/paas/v4/tokenizer',
    ]);
  });

  test('of a key that is wrong, poor or absent says so', async () => {
    for (const [key, expected] of [
      ['wrong01234.secret', 'auth'],
      ['poor012345.secret', 'billing'],
      ['', 'not_configured'],
    ] as const) {
      const { provider, context } = world.with({ key: createSecret(key) });
      expect(await thrown(provider.check(context))).toMatchObject({
        class: expected,
        fix: expect.any(String),
      });
    }
  });

  verifies(
    'provider:facts',
    'glm: a key with a Coding Plan and without a balance is accepted at the coding path',
    async () => {
      const key = createSecret('planned012.secret');
      const coding = `${world.emulator.url}/glm/api/coding/paas/v4`;
      const { provider, context } = world.with({ key, baseUrl: coding });
      expect(await provider.check(context)).toMatch(
        /accepts the key \(chats are charged to the Coding Plan; nothing is left on the account/,
      );
      expect(world.emulator.requests().map(({ path }) => path)).toEqual([
        '/glm/api/paas/v4/tokenizer',
        '/glm/api/coding/paas/v4/chat/completions',
      ]);
      const paying = world.with({ key });
      expect(await thrown(paying.provider.check(paying.context))).toMatchObject({
        class: 'billing',
        fix: expect.stringContaining('/api/coding/paas/v4, if you have a Coding Plan'),
      });
    },
  );

  const planWithoutBalance = (error: object) =>
    scripted(
      [
        { status: 429, json: { error: { code: '1113', message: 'Insufficient balance' } } },
        { status: 429, json: { error } },
      ],
      'https://api.z.ai/api/coding/paas/v4',
    );

  test('of a plan without a balance and without the model that is tried accepts the key', async () => {
    const error = { code: '1311', message: 'Your plan does not include access to glm-4.7' };
    const { provider, context } = planWithoutBalance(error);
    expect(await provider.check(context)).toContain('accepts the key');
  });

  test.each([
    [{ code: '1309', message: 'Your GLM Coding Plan has expired' }, 'billing'],
    [{ code: '1316', message: 'Usage limit reached. Resets at 2100-01-01 00:00:00' }, 'quota'],
  ])('of a plan that is over says so: %j', async (error, errorClass) => {
    const { provider, context } = planWithoutBalance(error);
    expect(await thrown(provider.check(context))).toMatchObject({ class: errorClass });
  });

  test('lists the models where there is no tokenizer', async () => {
    const { provider, context } = scripted([
      { status: 404, json: { error: { code: '404', message: 'Not Found' } } },
      { json: { object: 'list', data: [] } },
    ]);
    expect(await provider.check(context)).toBe('api.z.ai accepts the key (pay as you go)');
  });
});

test.each([
  [
    'an error in a good answer',
    { json: { error: { code: '1302', message: 'slow down' } } },
    'rate_limit',
  ],
  ['no JSON', { text: '<html>' }, 'bad_response'],
  ['a list', { json: [] }, 'bad_response'],
])('an endpoint that gives %s fails', async (_, answer, expected) => {
  const { provider, context } = scripted([answer]);
  expect(await thrown(provider.search?.({ query: 'x' }, context))).toMatchObject({
    class: expected,
    provider: 'glm',
  });
});
