import { getEventListeners } from 'node:events';
import { expect, test } from 'vitest';
import { verifies } from '../../../test/verifies.ts';
import type { AskContext } from '#core/llm/ask.ts';
import { CallError } from '#core/errors/call-error.ts';
import { deadlineIn } from '#core/time/deadline.ts';
import type { GatewayEmbeddings } from '#core/llm/gateway.ts';
import type { Provider, ProviderContext } from '#core/llm/provider.ts';
import type { AttemptRecord, UsageRecord } from '#core/stores/calls.ts';
import { assumeModel } from '#models/assume-model.ts';
import { createCatalogue } from '#models/catalogue.ts';
import type { Model } from '#models/model.ts';
import { createBreakers } from '#resilience/breakers.ts';
import { createFakeClock } from '../../../test/fake-clock.ts';
import { createListLog } from '../../../test/list-log.ts';
import type { Budgets } from '../budget/budgets.ts';
import { createEmbedder, type EmbedDeps } from './embedder.ts';
import { NO_METRICS, RULES } from '../run/deps.fixture.ts';
import { scripted } from '../run/scripted.fixture.ts';

type Embed = NonNullable<Provider['embed']>;
type Input = Parameters<Embed>[0];
type Answer = (input: Input, context: ProviderContext, nth: number) => ReturnType<Embed>;

const vectorOf = (text: string) => Float32Array.of(text.length, 1);

const made: Answer = async ({ model = '', texts }) => ({
  model,
  vectors: texts.map(vectorOf),
  usage: { input: texts.length, output: 0, cached: 0, reasoning: 0, estimated: false },
});

interface Setting {
  readonly answer?: Answer;
  readonly model?: Partial<Model>;
  readonly spend?: EmbedDeps['spend'];
  readonly reserve?: Budgets['reserve'];
  readonly timeoutMs?: number;
  readonly redactHosts?: (text: string) => string;
  /** Whether there is a server of the user's own. */
  readonly hasOwn?: true;
}

function setUp(setting: Setting = {}) {
  const clock = createFakeClock();
  const log = createListLog();
  const asked: Input[] = [];
  const provider: Provider = {
    ...scripted('glm', []),
    capabilities: ['embed'],
    embed(input, context) {
      asked.push(input);
      return (setting.answer ?? made)(input, context, asked.length);
    },
  };
  const breakers = createBreakers({ clock, random: (n) => new Uint8Array(n), rules: RULES });
  const controller = new AbortController();
  const settled: number[] = [];
  const reserved: number[] = [];
  const stored: { attempts: readonly AttemptRecord[]; usage: readonly UsageRecord[] }[] = [];
  const embedder = createEmbedder({
    providers: new Map([
      ['glm', provider],
      ['custom', { ...provider, id: 'custom' }],
    ]),
    breakers,
    budgets: {
      reserve:
        setting.reserve ??
        (async (_, max) => {
          reserved.push(max);
          return { settle: (cost) => void settled.push(cost) };
        }),
    },
    clock,
    random: (n) => new Uint8Array(n),
    state: {
      known: [{ ...assumeModel('embedding-3', 'glm'), ...setting.model }],
      ...(setting.hasOwn && {
        own: { model: assumeModel('default', 'custom'), is: 'any' as const },
      }),
      obstacle: () => undefined,
      resolve: (name) => createCatalogue().resolve(name),
    },
    spend: setting.spend ?? (async (attempts, usage) => void stored.push({ attempts, usage })),
    redactHosts: () => setting.redactHosts ?? ((text) => text),
    log,
    crumbs: log,
    metrics: NO_METRICS,
  });
  let attempts = 0;
  const by: AskContext = {
    reqId: 'req_1',
    tool: 'gateway_embeddings',
    caller: { principal: 'ci', scopes: ['*'], roots: [] },
    deadline: deadlineIn(clock, setting.timeoutMs ?? 90_000),
    signal: controller.signal,
    category: 'balanced',
    nextAttempt: () => (attempts += 1),
  };
  const embed = (request: Partial<GatewayEmbeddings> = {}) =>
    embedder.embed({ model: 'auto', texts: ['a', 'bb'], ...request }, by);
  const held = () => ({
    timers: clock.waiting,
    listeners: getEventListeners(controller.signal, 'abort').length,
    unsettled: reserved.length - settled.length,
  });
  return { embed, asked, clock, controller, breakers, reserved, settled, stored, log, held };
}

const NOTHING = { timers: 0, listeners: 0, unsettled: 0 };
const error = (...facts: ConstructorParameters<typeof CallError>) => new CallError(...facts);
const texts = (count: number) => Array.from({ length: count }, (_, at) => 'x'.repeat(at + 1));

verifies(
  'gateway:embeddings',
  'one vector per text, by one model, with its usage stored before the answer',
  async () => {
    const { embed, asked, stored, held, settled } = setUp();
    const { made: vectors, report } = await embed({ dimensions: 256 });
    expect(vectors).toEqual({
      model: 'embedding-3',
      provider: 'glm',
      vectors: [vectorOf('a'), vectorOf('bb')],
      usage: { input: 2, output: 0, cached: 0, reasoning: 0, estimated: false },
    });
    expect(asked).toEqual([{ model: 'embedding-3', texts: ['a', 'bb'], dimensions: 256 }]);
    expect(report).toMatchObject({
      provider: 'glm',
      model: 'embedding-3',
      attempts: [{ attempt: 1, provider: 'glm', model: 'embedding-3', outcome: 'ok' }],
      notices: [],
      costKnown: false,
    });
    expect(stored).toMatchObject([
      {
        attempts: [{ reqId: 'req_1', attempt: 1, outcome: 'ok' }],
        usage: [{ principal: 'ci', tool: 'gateway_embeddings', model: 'embedding-3', input: 2 }],
      },
    ]);
    expect(settled).toEqual([0]);
    expect(held()).toEqual(NOTHING);
  },
);

test('many texts are sent in batches, and are one attempt', async () => {
  const { embed, asked, stored } = setUp();
  const { made: vectors, report } = await embed({ texts: texts(150) });
  expect(asked.map((input) => input.texts.length)).toEqual([64, 64, 22]);
  expect(vectors.vectors).toEqual(texts(150).map(vectorOf));
  expect(report.attempts).toHaveLength(1);
  expect(report.usage?.input).toBe(150);
  expect(stored[0]?.usage).toHaveLength(1);
});

test('a failure that may pass is tried once more, from where it failed', async () => {
  const { embed, asked, stored, held } = setUp({
    answer: (input, context, nth) =>
      nth === 2 ? Promise.reject(error('network', 'It hung up.')) : made(input, context, nth),
  });
  const { made: vectors, report } = await embed({ texts: texts(100) });
  expect(asked.map((input) => input.texts.length)).toEqual([64, 36, 36]);
  expect(vectors.vectors).toEqual(texts(100).map(vectorOf));
  expect(report.attempts).toMatchObject([
    { attempt: 1, outcome: 'network', next: 'glm/embedding-3' },
    { attempt: 2, outcome: 'ok' },
  ]);
  expect(stored[0]?.usage.map(({ input }) => input)).toEqual([64, 36]);
  expect(report.usage?.input).toBe(100);
  expect(held()).toEqual(NOTHING);
});

verifies(
  'gateway:embeddings',
  'a second failure is final, and says that there is no fallback',
  async () => {
    const { embed, asked, stored, held } = setUp({
      answer: () => Promise.reject(error('provider_error', 'GLM failed.', { provider: 'glm' })),
    });
    await expect(embed()).rejects.toMatchObject({
      class: 'provider_error',
      provider: 'glm',
      model: 'embedding-3',
      message:
        'GLM failed. No other model is asked in its place: embeddings of two models do not mix.',
    });
    expect(asked).toHaveLength(2);
    expect(stored[0]).toMatchObject({ attempts: [{ attempt: 1 }, { attempt: 2 }], usage: [] });
    expect(held()).toEqual(NOTHING);
  },
);

test('an error of the caller is neither retried nor counted against the model', async () => {
  const { embed, asked, breakers } = setUp({
    answer: () => Promise.reject(error('validation', 'This text is empty.', { field: 'texts[0]' })),
  });
  for (let call = 0; call < 8; call++) {
    await expect(embed()).rejects.toMatchObject({
      class: 'validation',
      message: 'This text is empty.',
    });
  }
  expect(asked).toHaveLength(8);
  expect(breakers.all()).toEqual([]);
});

test('a vendor’s Retry-After is respected, if there is enough time', async () => {
  const { embed, log, clock } = setUp({
    answer: (input, context, nth) =>
      nth === 1
        ? Promise.reject(error('rate_limit', 'Slow down.', { retryAfterMs: 5_000 }))
        : made(input, context, nth),
  });
  const answered = embed();
  // The deadline's timer went with the first try, so the one that waits then is the pause.
  while (!log.lines.some(({ event }) => event === 'attempt')) await Promise.resolve();
  await clock.untilWaiting();
  clock.advance(5_000);
  expect((await answered).report.attempts).toHaveLength(2);
  const long = setUp({
    answer: () => Promise.reject(error('rate_limit', 'Slow down.', { retryAfterMs: 60_000 })),
  });
  await expect(long.embed()).rejects.toMatchObject({ class: 'rate_limit', retryAfterMs: 60_000 });
  expect(long.asked).toHaveLength(1);
});

test('with an open breaker no model is called', async () => {
  const { embed, asked, held } = setUp({
    answer: () => Promise.reject(error('auth', 'The key is wrong.')),
  });
  await expect(embed()).rejects.toMatchObject({ class: 'auth' });
  const before = asked.length;
  await expect(embed()).rejects.toMatchObject({
    class: 'breaker_open',
    provider: 'glm',
    message: expect.stringContaining('do not mix') as string,
  });
  expect(asked).toHaveLength(before);
  expect(held()).toEqual(NOTHING);
});

test('the budget is reserved by the known price', async () => {
  const price = { input: 1_000_000, cached: 0, output: 0 };
  const priced = setUp({ model: { price } });
  const { report } = await priced.embed();
  expect(priced.reserved[0]).toBeGreaterThan(0);
  expect(priced.reserved[0]).toBeLessThan(100);
  expect([report.costMicroUsd, report.costKnown, priced.settled]).toEqual([2, true, [2]]);
  const unknown = setUp();
  await unknown.embed();
  expect(unknown.reserved).toEqual([Infinity]);
  const own = setUp({ model: { price: { input: 0, cached: 0, output: 0 } } });
  await own.embed();
  expect(own.reserved).toEqual([0]);
});

test('without budget no model is called', async () => {
  const { embed, asked, stored } = setUp({
    reserve: () => Promise.reject(error('budget', 'ci has spent $1 of $1 today.')),
  });
  await expect(embed()).rejects.toMatchObject({
    class: 'budget',
    message: 'ci has spent $1 of $1 today.',
  });
  expect([asked, stored]).toEqual([[], []]);
});

test('a vendor that never answers is left at the deadline, and one that is deaf, too', async () => {
  const { embed, clock, held, stored } = setUp({
    answer: () => new Promise(() => {}),
    timeoutMs: 30_000,
  });
  const answered = embed();
  await clock.untilWaiting();
  clock.advance(30_000);
  await expect(answered).rejects.toMatchObject({ class: 'timeout' });
  expect(stored[0]?.attempts).toMatchObject([{ outcome: 'timeout' }]);
  expect(held()).toEqual(NOTHING);
});

test('a caller that leaves ends the call at once, and it counts against no model', async () => {
  const { embed, controller, clock, held, breakers } = setUp({
    answer: () => new Promise(() => {}),
  });
  const answered = embed();
  await clock.untilWaiting();
  controller.abort(error('cancelled', 'The caller cancelled.'));
  await expect(answered).rejects.toMatchObject({
    class: 'cancelled',
    message: 'The caller cancelled.',
  });
  expect(breakers.all()).toEqual([]);
  expect(held()).toEqual(NOTHING);
  await expect(embed()).rejects.toMatchObject({ class: 'cancelled' });
});

test.each<[string, Answer]>([
  ['too few', async (input, ...rest) => ({ ...(await made(input, ...rest)), vectors: [] })],
  [
    'of different sizes',
    async (input, ...rest) => ({
      ...(await made(input, ...rest)),
      vectors: input.texts.map((_, at) => new Float32Array(at + 1)),
    }),
  ],
])('vectors that are %s are refused', async (_, answer) => {
  await expect(setUp({ answer }).embed()).rejects.toMatchObject({ class: 'bad_response' });
});

test('batches of different sizes do not become one answer', async () => {
  const answer: Answer = async (input, context, nth) => ({
    ...(await made(input, context, nth)),
    vectors: input.texts.map(() => new Float32Array(nth)),
  });
  await expect(setUp({ answer }).embed({ texts: texts(65) })).rejects.toMatchObject({
    class: 'bad_response',
  });
});

test('the vendor’s name of the model is used from then on, and reported', async () => {
  const { embed, asked, stored } = setUp({
    answer: async (input, ...rest) => ({ ...(await made(input, ...rest)), model: 'nomic:latest' }),
  });
  const { made: vectors, report } = await embed({ texts: texts(65) });
  expect(asked.map(({ model }) => model)).toEqual(['embedding-3', 'nomic:latest']);
  expect([vectors.model, report.model]).toEqual(['nomic:latest', 'nomic:latest']);
  expect(stored[0]?.usage[0]?.model).toBe('nomic:latest');
});

test('a cancellation by the provider is a network error, and hosts are redacted', async () => {
  const cancelled = setUp({ answer: () => Promise.reject(error('cancelled', 'Stopped.')) });
  await expect(cancelled.embed()).rejects.toMatchObject({ class: 'network' });
  const concealed = setUp({
    answer: () => Promise.reject(error('billing', '10.0.0.1 wants payment.')),
    redactHosts: (text) => text.replace('10.0.0.1', 'GLM'),
  });
  await expect(concealed.embed()).rejects.toMatchObject({
    class: 'billing',
    message: expect.stringMatching(/^GLM wants payment\./) as string,
  });
});

test('a failed write of usage does not affect the answer, and is logged', async () => {
  const { embed, log } = setUp({ spend: () => Promise.reject(error('network', 'No store.')) });
  const { made: vectors } = await embed();
  expect(vectors.vectors).toHaveLength(2);
  expect(log.lines.map(({ event }) => event)).toContain('usage_not_stored');
});

test('an unknown name calls no model', async () => {
  const { embed, asked, reserved } = setUp();
  await expect(embed({ model: 'kimi-k3' })).rejects.toMatchObject({ class: 'not_found' });
  expect([asked, reserved]).toEqual([[], []]);
});

verifies(
  'breaker:typo',
  'a name that the own server does not know is not found, each time',
  async () => {
    const { embed, breakers } = setUp({
      hasOwn: true,
      answer: () => Promise.reject(new CallError('not_found', 'No such model.')),
    });
    for (let times = 0; times < 20; times += 1)
      await expect(embed({ model: 'text-embeding' })).rejects.toMatchObject({ class: 'not_found' });
    expect(breakers.all()).toEqual([]);
  },
);
