import { describe, expect, test } from 'vitest';
import { CallError } from '#core/errors/call-error.ts';
import type { AskContext, AskRequest } from '#core/llm/ask.ts';
import { deadlineIn } from '#core/time/deadline.ts';
import type { ProviderId } from '#core/llm/provider.ts';
import type { RouteFacts } from '#core/llm/route.ts';
import { notice } from '#core/messages/notices.ts';
import { estimateTokens } from '#models/estimate-tokens.ts';
import type { Model } from '#models/model.ts';
import { createBreakers } from '#resilience/breakers.ts';
import { sketchFacts, sketchRoutingState } from '../../test/cases/routing-sketch.ts';
import { createFakeClock } from '../../test/fake-clock.ts';
import { createListLog } from '../../test/list-log.ts';
import { verifies } from '../../test/verifies.ts';
import { fit } from './context/fit.ts';
import { measure } from './context/measure.ts';
import { createSummaries } from './context/summaries.ts';
import { explainRoute } from './explain.ts';
import { createClassifier } from './classify/classifier.ts';
import { createLedger } from './run/ledger.ts';
import { createAskObserver } from './run/ask-observer.ts';
import { NO_METRICS, RULES } from './run/deps.fixture.ts';
import { fullAnswer, scripted, textEvents, type Script } from './run/scripted.fixture.ts';
import { askIntent, createSummarise } from './internal-asks.ts';
import { createInternalRefusals, internalModels } from './internal-models.ts';

/** A turn of the event loop, so that the runner can end what does not end. */
const turn = () => new Promise((resolve) => setImmediate(resolve));

const WEB = JSON.stringify({ class: 'web', confidence: 0.9, because: 'Prices change.' });
/** A dollar for a million tokens, in and out. */
const DEAR: Model['price'] = { input: 1_000_000, cached: 1_000_000, output: 1_000_000 };
const UNCLEAR: Partial<RouteFacts> = { fresh: { words: 'now', strength: 'weak' } };

interface Setting {
  readonly glm?: readonly Script[];
  readonly price?: Model['price'] | 'unknown';
  readonly facts?: Partial<RouteFacts>;
  readonly request?: AskRequest;
  readonly timeoutMs?: number;
}

function setUp(setting: Setting = {}) {
  const clock = createFakeClock();
  const crumbs = createListLog();
  const glm = scripted('glm', setting.glm ?? [fullAnswer(WEB)]);
  const { price } = setting;
  const world = sketchRoutingState({
    change: ({ price: usual, ...model }) =>
      ({
        ...model,
        ...(price === 'unknown' ? {} : { price: price ?? usual }),
      }) as Model,
  });
  let attempts = 0;
  const controller = new AbortController();
  const by: AskContext = {
    reqId: 'req_1',
    tool: 'chat',
    caller: { principal: 'local', scopes: ['*'], roots: [] },
    deadline: deadlineIn(clock, setting.timeoutMs ?? 90_000),
    signal: controller.signal,
    category: 'fast_response',
    nextAttempt: () => (attempts += 1),
  };
  const ledger = createLedger(by, clock, createAskObserver(crumbs, NO_METRICS));
  const reserved: number[] = [];
  const settled: number[] = [];
  const deps = {
    providers: new Map([['glm' as ProviderId, glm]]),
    breakers: createBreakers({ clock, random: (n) => new Uint8Array(n), rules: RULES }),
    budgets: {
      left: () => undefined,
      async reserve(_: string, max: number) {
        reserved.push(max);
        return { settle: (cost: number) => void settled.push(cost) };
      },
    },
    timeouts: { firstTokenMs: 30_000, idleMs: 30_000 },
    clock,
    refusals: createInternalRefusals(clock),
    summaries: createSummaries({}),
    redactHosts: () => (text: string) => text,
    classifier: createClassifier({ clock, maxEntries: 10 }),
  };
  const request = setting.request ?? { messages: [{ role: 'user', content: 'What is it now?' }] };
  const asking = {
    measured: measure(request),
    facts: sketchFacts({ ...UNCLEAR, ...setting.facts }),
    by,
    deadline: by.deadline,
    ledger,
  };
  return { clock, crumbs, glm, world, ledger, reserved, settled, deps, asking, controller };
}

type SetUp = ReturnType<typeof setUp>;

const freshClassifier = ({ clock }: SetUp) => createClassifier({ clock, maxEntries: 10 });

function intentOf({ asking, world, deps }: SetUp, wanted?: 'aside' | 'itself') {
  return askIntent(asking, internalModels(world), 1_500, deps, wanted);
}

/** Each section is summarised separately. */
const BOOK = Array.from(
  { length: 12 },
  (_, n) => `# Chapter ${n}\n\n${`Fact ${n} is here to stay. `.repeat(1_500)}\n\n`,
).join('');

describe('a classification', () => {
  verifies('route:intent', 'leaves a breadcrumb and its usage', async () => {
    const set = setUp();
    expect(await intentOf(set)).toMatchObject({
      class: 'web',
      by: 'model',
      model: 'glm-4.7-flash',
    });
    expect(set.crumbs.lines).toEqual([
      {
        event: 'internal_ask',
        fields: {
          req_id: 'req_1',
          tool: 'chat',
          purpose: 'intent',
          provider: 'glm',
          model: 'glm-4.7-flash',
          outcome: 'ok',
          elapsed_ms: 0,
          input_tokens: 10,
          output_tokens: 5,
        },
      },
    ]);
  });

  verifies(
    'route:intent',
    'asks the next model when one is busy or not in the plan, and the latter not again',
    async () => {
      const busy = setUp({ glm: [[new CallError('rate_limit', '1302')], fullAnswer(WEB)] });
      expect(await intentOf(busy)).toMatchObject({ by: 'model', model: 'glm-4.5-flash' });

      const plan = [new CallError('not_configured', '1311')];
      const set = setUp({ glm: [plan, plan, fullAnswer(WEB)] });
      expect(await intentOf(set)).toMatchObject({ by: 'model', model: 'glm-5.3-flash' });
      const other = { ...set, deps: { ...set.deps, classifier: freshClassifier(set) } };
      expect(await intentOf(other)).toMatchObject({ by: 'model', model: 'glm-5.3-flash' });
      expect(set.glm.asked.map(({ model }) => model)).toEqual([
        'glm-4.7-flash',
        'glm-4.5-flash',
        'glm-5.3-flash',
        'glm-5.3-flash',
      ]);

      const none = setUp({ glm: [plan] });
      expect(await intentOf(none)).toMatchObject({ by: 'rules' });
    },
  );

  test('without vendor figures usage is estimated', async () => {
    const set = setUp({
      glm: [[...textEvents(WEB), { type: 'finish', reason: 'stop' }]],
      price: DEAR,
    });
    await intentOf(set);
    const [row] = set.ledger.records().usage;
    expect(row).toMatchObject({ estimated: true, output: estimateTokens(WEB), priced: true });
    expect(row?.input).toBeGreaterThan(100);
    expect(set.settled).toEqual([row?.costMicroUsd]);
    expect(set.crumbs.lines[0]?.fields).toMatchObject({ output_tokens: estimateTokens(WEB) });
  });

  test('reserves everything when the price is unknown', async () => {
    const set = setUp({ price: 'unknown' });
    await intentOf(set);
    expect(set.reserved).toEqual([Infinity]);
  });

  verifies(
    'route:intent',
    'gets a quarter of the time that is left, and not less than it needs',
    async () => {
      const set = setUp({ glm: [['silence']], timeoutMs: 4_000 });
      const intent = intentOf(set);
      while (set.glm.asked.length === 0) await turn();
      set.clock.advance(1_000);
      expect(await intent).toMatchObject({ by: 'rules' });
      expect(set.crumbs.lines[0]?.fields).toMatchObject({ outcome: 'timeout', elapsed_ms: 1_000 });
      expect(set.clock.waiting).toBe(0);

      const hurried = setUp({ timeoutMs: 796 });
      expect(await intentOf(hurried)).toMatchObject({ by: 'rules' });
      expect(hurried.glm.asked).toEqual([]);
      // Where it is all that was asked for, it may take all the time.
      expect(await intentOf(hurried, 'itself')).toMatchObject({ by: 'model' });
    },
  );

  test.each([
    ['nothing', 0, DEAR],
    ['less than it could cost', 300, DEAR],
    ['anything, of a price that nobody knows', 1_000_000, 'unknown'],
  ] as const)('asks nobody where the caller pays %s', async (_, maxCostMicroUsd, price) => {
    const set = setUp({ price, facts: { maxCostMicroUsd } });
    expect(await intentOf(set)).toMatchObject({ by: 'rules' });
    expect(set.glm.asked).toEqual([]);
    expect(set.reserved).toEqual([]);
  });

  test('uses models that the caller can pay, and free ones', async () => {
    const paid = setUp({ price: DEAR, facts: { maxCostMicroUsd: 5_000 } });
    expect(await intentOf(paid)).toMatchObject({ by: 'model' });
    const free = setUp({ facts: { maxCostMicroUsd: 0 } });
    expect(await intentOf(free)).toMatchObject({ by: 'model' });
  });
});

describe('summaries', () => {
  const wish = { name: 'book.md', maxTokens: 2_000 };

  test('are not made when the caller pays nothing, unless the model is free', () => {
    const dear = setUp({ price: DEAR, facts: { maxCostMicroUsd: 0 } });
    expect(createSummarise(dear.asking, dear.world, dear.deps)).toBeUndefined();
    const free = setUp({ facts: { maxCostMicroUsd: 0 } });
    expect(createSummarise(free.asking, free.world, free.deps)).toBeDefined();
  });

  test('cost no more than the caller pays, also when several are made at once', async () => {
    const limit = 30_000;
    const set = setUp({
      price: DEAR,
      facts: { maxCostMicroUsd: limit },
      glm: [fullAnswer('Short.')],
    });
    const open: number[] = [];
    let most = 0;
    const { budgets } = set.deps;
    const deps = {
      ...set.deps,
      budgets: {
        ...budgets,
        async reserve(principal: string, max: number) {
          open.push(max);
          most = Math.max(
            most,
            open.reduce((sum, each) => sum + each, 0),
          );
          await budgets.reserve(principal, max);
          return { settle: () => void open.splice(open.indexOf(max), 1) };
        },
      },
    };
    const summarise = createSummarise(set.asking, set.world, deps);
    await summarise?.(BOOK, wish).catch(() => undefined);
    expect(set.glm.asked.length).toBeGreaterThan(0);
    expect(most).toBeLessThanOrEqual(limit);
  });

  test('leave a breadcrumb each', async () => {
    const set = setUp({ glm: [fullAnswer('Short.')] });
    await createSummarise(set.asking, set.world, set.deps)?.(BOOK, wish);
    expect(set.crumbs.lines.length).toBe(set.glm.asked.length);
    expect(set.crumbs.lines[0]?.fields).toMatchObject({ purpose: 'summary', outcome: 'ok' });
  });

  verifies(
    'context:fit',
    'take half of the time at most; then the next model is tried',
    async () => {
      const request: AskRequest = {
        messages: [{ role: 'user', content: 'What does it say?' }],
        files: [{ name: 'book.md', text: BOOK }],
      };
      const set = setUp({ glm: [['silence']], request, timeoutMs: 60_000 });
      const { asking, world, deps, clock } = set;
      const room = { roomTokens: 20_000, correction: 1, contextTokens: 32_000, model: 'small' };
      const fitted = fit(asking.measured, room, () => createSummarise(asking, world, deps)).catch(
        (error: unknown) => error,
      );
      while (set.glm.asked.length === 0) await turn();
      clock.advance(30_000);
      expect(await fitted).toMatchObject({ class: 'context_length' });
      expect(clock.waiting).toBe(0);
      // Requests still queued at the timeout were not sent.
      expect(set.glm.asked.length).toBeLessThanOrEqual(3);
    },
  );
});

describe('an explanation', () => {
  const UNSURE = notice('classifier_not_asked', { model: 'glm-4.7-flash' });

  async function noticesOf(set: SetUp, classifier?: 'on' | 'off') {
    const { asking, world, deps } = set;
    const explanation = await explainRoute(asking, world, deps, 'plan_only', classifier);
    expect(set.glm.asked).toEqual([]);
    return explanation.plan?.notices ?? [];
  }

  verifies('route:explain', 'says that a model would classify an unclear request', async () => {
    expect(await noticesOf(setUp())).toContainEqual(UNSURE);
  });

  test.each([
    ['it is clear', { facts: { search: 'off' } }],
    ['a model is named', { facts: { model: 'kimi-k3' } }],
    ['no model is cheap enough', { price: DEAR, facts: { maxCostMicroUsd: 0 } }],
  ] satisfies [string, Setting][])('does not say so where %s', async (_, setting) => {
    expect(await noticesOf(setUp(setting))).not.toContainEqual(UNSURE);
  });

  test('does not say so when the classifier is off', async () => {
    expect(await noticesOf(setUp(), 'off')).toEqual([]);
  });
});
