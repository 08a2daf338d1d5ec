import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { ErrorClass } from '#core/errors/error-class.ts';
import type { Intent } from '#core/llm/ask.ts';
import type { RouteFacts } from '#core/llm/route.ts';
import { fix, type Fix } from '#core/messages/fixes.ts';
import { notice } from '#core/messages/notices.ts';
import { reason, type Reason } from '#core/messages/reasons.ts';
import { baseRenderer } from '#core/messages/render.ts';
import { anyFacts, anyRoutingState } from '../../../test/cases/routing-arbitraries.ts';
import { faultsOf } from '../../../test/cases/routing-faults.ts';
import {
  sketchFacts,
  sketchRoutingState,
  type RoutingSketch,
} from '../../../test/cases/routing-sketch.ts';
import { verifies } from '../../../test/verifies.ts';
import { makePlan, type AskPlan } from './plan.ts';
import { resolveRequestedModels } from './requested-models.ts';
import { RULES } from './rules/index.ts';
import type { RoutingState } from './routing-state.ts';
import { createRoutingContext } from './routing-context.ts';

function planOf(facts: Partial<RouteFacts>, sketch?: RoutingSketch, intent?: Intent): AskPlan {
  const planned = makePlan(sketchFacts(facts), sketchRoutingState(sketch), intent);
  if (planned.is === 'no_candidate') throw planned.error;
  return planned.plan;
}

function errorOf(facts: Partial<RouteFacts>, sketch?: RoutingSketch) {
  const planned = makePlan(sketchFacts(facts), sketchRoutingState(sketch));
  if (planned.is === 'planned') throw new Error('There is a plan');
  return planned.error.toJSON();
}

const modelsOf = ({ candidates }: AskPlan) => candidates.map(({ model }) => model);

describe('whatever the request and the world', () => {
  verifies(
    'route:sound',
    'there is a plan of eligible models, each once and with a reason, or a typed error',
    () => {
      fc.assert(
        fc.property(anyFacts, anyRoutingState, (facts, world) => {
          expect(faultsOf(makePlan(facts, world), facts, world)).toEqual([]);
        }),
        { numRuns: 1_500 },
      );
    },
  );

  verifies('route:sound', 'the first rule that could win wins', () => {
    fc.assert(
      fc.property(anyFacts, anyRoutingState, (facts, world) => {
        const names = resolveRequestedModels(facts, world);
        fc.pre(!(names instanceof Error));
        const context = createRoutingContext(facts, world, undefined, names);
        const first = RULES.find(
          (rule) =>
            rule.applies(context).applies &&
            rule
              .candidates(context)
              .some(({ model }) => context.checkEligibility(model).is === 'eligible'),
        );
        const planned = makePlan(facts, world);
        const { tried } = planned.is === 'planned' ? planned.plan : planned;
        expect(tried.find(({ verdict }) => verdict === 'wins')?.id).toBe(first?.id);
      }),
      { numRuns: 600 },
    );
  });

  test('the same question has the same plan', () => {
    fc.assert(
      fc.property(anyFacts, anyRoutingState, (facts, world) => {
        expect(makePlan(facts, world)).toEqual(makePlan(facts, world));
      }),
    );
  });
});

describe('a model that is named', () => {
  test('and unknown is an error with the nearest name, never another model', () => {
    expect(errorOf({ model: 'kimi-k33' })).toMatchObject({
      class: 'not_found',
      field: 'model',
      message: 'There is no model "kimi-k33", did you mean "kimi-k3"?',
    });
    expect(errorOf({}, { defaultModel: 'glm-53' })).toMatchObject({
      class: 'not_found',
      field: 'models.default',
    });
    expect(errorOf({ model: 'x'.repeat(5_000) }).message.length).toBeLessThan(200);
  });

  test('and retired is replaced by its successor, and reported', () => {
    const { candidates, notices } = planOf({ model: 'kimi-k2-0905-preview' });
    expect(candidates[0]?.model).toBe('kimi-k3');
    expect(notices.map((each) => baseRenderer.notice(each))).toEqual([
      expect.stringContaining('kimi-k3 answers instead'),
    ]);
  });

  test('by a panel is not said to be asked for', () => {
    const { reasons } = planOf({ model: 'kimi-k3', namedBy: 'panel' });
    expect(baseRenderer.reason(reasons[0] as Reason)).toBe(
      'Rule 1: kimi-k3 is one of the panel, so it answers',
    );
  });

  verifies(
    'ask:alone',
    'and ineligible is replaced with a notice, or is an error of its class with fallback none',
    () => {
      const named = { tool: 'chat', model: 'kimi-k3' };
      const { notices, reasons } = planOf(named, { open: ['kimi-k3'] });
      expect(notices.map((each) => baseRenderer.notice(each))).toEqual([
        'kimi-k3 was chosen, but kimi/kimi-k3 failed 5 of 6 requests within a minute (timeout); next try in 12 s; using glm-4.7-flash instead.',
      ]);
      expect(reasons.map((each) => baseRenderer.reason(each))).toContain(
        'Rule 1 (explicit-model) found no model: kimi-k3 was asked for, but kimi/kimi-k3 failed 5 of 6 requests within a minute (timeout); next try in 12 s',
      );
      const alone = { ...named, fallback: 'none' } as const;
      expect(errorOf(alone, { open: ['kimi-k3'] })).toMatchObject({
        class: 'breaker_open',
        retryAfterMs: 12_000,
        model: 'kimi-k3',
      });
      expect(errorOf(alone, { keys: ['glm'] })).toMatchObject({
        class: 'not_configured',
        fix: expect.stringContaining('exai keys add kimi'),
      });
      expect(errorOf({ ...alone, model: 'glm-5.3', images: 1 })).toMatchObject({
        class: 'validation',
        field: 'model',
        reason: {
          code: 'named_model_unable',
          params: { reason: { code: 'media_unsupported', params: { media: 'image' } } },
        },
      });
      expect(errorOf({ ...alone, tokens: 2_000_000 })).toMatchObject({ class: 'context_length' });
      expect(errorOf({ ...alone, maxCostMicroUsd: 10 })).toMatchObject({
        class: 'budget',
        field: 'max_cost_usd',
      });
      expect(errorOf(alone, { budgetLeftMicroUsd: 0 })).toMatchObject({ class: 'budget' });
    },
  );

  test('by a thread and gone since is reported, and another model answers', () => {
    const { notices, rule } = planOf({ tool: 'chat', lockedModel: 'no-such-model' });
    expect(rule).toBe('simple-tool');
    expect(notices).toEqual([notice('unknown_thread_model', { model: 'no-such-model' })]);
  });
});

describe('when no model is eligible', () => {
  const strict = { tool: 'chat', lastResort: 'none' } as const;

  verifies(
    'route:sound',
    'without any key the extractive fallback answers, and says how to add one',
    () => {
      const plan = planOf({ tool: 'chat' }, { keys: [] });
      expect(modelsOf(plan)).toEqual(['local-extract']);
      expect(plan.notices).toMatchObject([
        {
          code: 'quoted_instead',
          params: {
            error: {
              class: 'not_configured',
              reason: { code: 'no_provider_set_up' },
              fixes: [{ kind: 'add_key', params: { provider: 'glm' } }, {}],
            },
          },
        },
      ]);
    },
  );

  verifies(
    'route:sound',
    'without any key and without extractive fallback it is not configured',
    () => {
      expect(errorOf(strict, { keys: [] })).toMatchObject({
        class: 'not_configured',
        fix: expect.stringContaining('exai keys add glm'),
      });
      expect(errorOf({ tool: 'chat', tools: 1 }, { keys: [] }).class).toBe('not_configured');
      expect(errorOf({ tool: 'chat', format: 'json' }, { keys: [] }).class).toBe('not_configured');
      expect(errorOf({ tool: 'chat' }, { keys: [], extractiveFallback: 'never' }).class).toBe(
        'not_configured',
      );
      expect(
        modelsOf(planOf({ tool: 'chat', tools: 1 }, { keys: [], extractiveFallback: 'always' })),
      ).toEqual(['local-extract']);
    },
  );

  verifies(
    'route:sound',
    'with only open breakers it says when to retry, unless the extractive fallback is enough',
    () => {
      expect(errorOf(strict, { open: ['kimi', 'glm'] })).toMatchObject({
        class: 'breaker_open',
        retryAfterMs: 12_000,
        fix: expect.stringContaining('in 12 s'),
      });
      const plan = planOf({ tool: 'chat' }, { open: ['kimi', 'glm'] });
      expect(modelsOf(plan)).toEqual(['local-extract']);
      expect(plan.notices).toMatchObject([
        {
          code: 'quoted_instead',
          params: { error: { class: 'breaker_open', reason: { code: 'all_models_resting' } } },
        },
      ]);
    },
  );

  test('and the requested model only lacks a key, the fix is a key of its provider', () => {
    const plan = planOf({ tool: 'chat', model: 'kimi-k3' }, { keys: [] });
    expect(plan.notices.at(-1)).toMatchObject({
      code: 'quoted_instead',
      params: {
        error: {
          fixes: [
            { kind: 'add_key', params: { provider: 'kimi', others: ['glm', 'openrouter'] } },
            {},
          ],
        },
      },
    });
  });

  test.each<[ErrorClass, readonly Fix[]]>([
    ['auth', [fix('test_key', { provider: 'kimi' }), fix('add_key', { provider: 'kimi' })]],
    ['billing', [fix('top_up', { provider: 'Kimi', key: 'kimi' })]],
    ['quota', [fix('retry', { afterMs: 9000 }), fix('top_up', { provider: 'Kimi', key: 'kimi' })]],
    ['timeout', [fix('retry', { afterMs: 9000 }), fix('add_key', {})]],
  ])('because a breaker opened with %s, the fixes fit that', (errorClass, fixes) => {
    const world = sketchRoutingState({ keys: ['kimi'] });
    const why = reason('breaker_open', {
      key: 'kimi',
      how: 'at_once',
      classes: [errorClass],
      failures: 1,
      calls: 1,
      windowMs: 60_000,
      state: 'resting',
      retryInMs: 9000,
    });
    const open: RoutingState = {
      ...world,
      health: () => ({ is: 'open', reason: why, retryInMs: 9000 }),
    };
    const planned = makePlan(sketchFacts(strict), open);
    expect('error' in planned && planned.error.fixes).toEqual(fixes);
    const named = makePlan(sketchFacts({ model: 'kimi-k3', fallback: 'none' }), open);
    const own = fixes.filter((each) => JSON.stringify(each) !== JSON.stringify(fix('add_key', {})));
    expect('error' in named && named.error.fixes).toEqual([
      fix('omit_argument', { argument: 'fallback', value: 'none' }),
      ...own,
    ]);
  });

  test('because a budget is spent, the fix is to raise that one', () => {
    const raise = fix('raise_setting', { settings: ['budget.dailyUsd'] });
    const refuse = { budgetLeftMicroUsd: 0, whenSpent: 'refuse' } as const;
    expect(errorOf({ tool: 'chat' }, refuse).fixes?.[0]).toEqual(raise);
    const alone = { model: 'kimi-k3', fallback: 'none' } as const;
    expect(errorOf(alone, refuse).fixes).toEqual([raise]);
    expect(errorOf(alone, { budgetLeftMicroUsd: 0 }).fixes?.[0]).toEqual(raise);
  });

  test('because a list excludes the requested model, the fix names the list', () => {
    const error = errorOf({ model: 'kimi-k3', fallback: 'none' }, { denied: ['kimi-k3'] });
    expect(error.fix).toBe(
      'Leave out fallback: none, or correct models.deny.kimi, or choose another model.',
    );
  });

  verifies('route:sound', 'with a spent budget it says how much and until when', () => {
    const spent = { budgetLeftMicroUsd: 0, whenSpent: 'refuse' } as const;
    const error = errorOf({ tool: 'chat' }, spent);
    expect(error).toMatchObject({ class: 'budget' });
    expect(error.message).toBe(
      'All clients together have spent $2.00 of $2.00 today (budget.dailyUsd). A new day begins at midnight UTC.',
    );
    const plan = planOf({ tool: 'chat' }, { budgetLeftMicroUsd: 0 });
    expect(plan.notices).toMatchObject([
      { code: 'only_free_models', params: { spending: { code: 'spent_today' } } },
    ]);
  });

  verifies('route:sound', 'with a question that no window holds it is too long', () => {
    expect(errorOf({ ...strict, tokens: 3_000_000 })).toMatchObject({
      class: 'context_length',
      field: 'prompt',
    });
    const files = { count: 1, tokens: 2_990_000, documents: 0, scans: 0 };
    expect(modelsOf(planOf({ ...strict, tokens: 3_000_000, files }))[0]).toBe('kimi-k3');
  });

  verifies('route:sound', 'with too small a limit of the cost it says what it could cost', () => {
    const error = errorOf({ ...strict, maxCostMicroUsd: 1 }, { keys: ['kimi'] });
    expect(error).toMatchObject({ class: 'budget', field: 'max_cost_usd' });
    expect(error.message).toContain('up to $0.13');
    expect(error.reason).toMatchObject({ code: 'no_model_within_price' });
  });

  verifies('route:sound', 'with more tools than any model supports it names the tools', () => {
    expect(errorOf({ ...strict, tools: 500 })).toMatchObject({
      class: 'validation',
      field: 'tools',
    });
  });
});

describe('contradicting options', () => {
  test('requested thinking beats speed, with a notice', () => {
    const { candidates, notices } = planOf({ tool: 'chat', prefer: 'speed', thinking: 'max' });
    expect(candidates[0]?.thinking).toEqual({ mode: 'on' });
    expect(notices).toEqual([notice('speed_against_thinking', { thinking: 'max' })]);
  });

  test('a search that no model supports is reported', () => {
    const { candidates, notices } = planOf(
      { tool: 'chat', search: 'on' },
      { noSearch: ['kimi', 'glm'] },
    );
    expect(candidates.map(({ search }) => search)).not.toContain('provider');
    expect(notices).toEqual([notice('model_cannot_search', { model: 'glm-4.7-flash' })]);
  });

  test('models with web search come first in the chain when it is requested', () => {
    const web = { tool: 'chat', search: 'on', model: 'qwen3' } as const;
    const plan = planOf(web, { keys: ['kimi', 'glm', 'custom'], noSearch: ['kimi'] });
    expect(modelsOf(plan).slice(0, 3)).toEqual(['qwen3', 'glm-4.7-flash', 'glm-5.3']);
    expect(plan.candidates[0]?.remarks).toEqual([reason('without_search')]);
  });
});

describe('the classifier model’s result', () => {
  const unclear = { tool: 'chat', fresh: { words: 'today', strength: 'weak' } } as const;
  const intent: Intent = {
    class: 'web',
    confidence: 0.9,
    reason: reason('text', { text: 'It asks for today’s match.' }),
    by: 'model',
    needsWebSearch: true,
    complexity: 'simple',
    domains: [],
  };

  test('decides an unclear question', () => {
    expect(planOf(unclear).confidence).toBeLessThan(0.6);
    const plan = planOf(unclear, {}, intent);
    expect([plan.class, plan.rule, plan.confidence]).toEqual(['web', 'web', 0.9]);
    expect(plan.candidates[0]?.search).toBe('provider');
  });

  test('changes nothing when it is less sure, or cannot be true', () => {
    const before = planOf(unclear);
    for (const said of [
      { ...intent, confidence: 0.4 },
      { ...intent, confidence: Number.NaN },
      { ...intent, class: 'vision' as const, needsWebSearch: false },
      { ...intent, class: 'agentic' as const, needsWebSearch: false },
    ]) {
      // That it was asked is said; the rest is as before.
      expect({ ...planOf(unclear, {}, said), reasons: before.reasons }).toEqual(before);
    }
    const pictures = { tool: 'chat', images: 1 };
    expect(planOf(pictures, {}, { ...intent, confidence: 1 }).class).toBe('vision');
    expect(planOf({ ...unclear, search: 'off' }, {}, intent).rule).toBe('simple-tool');
  });
});

test('the cost of a plan does not depend on the catalogue: only roles and names are checked', () => {
  const world = sketchRoutingState({ keys: ['kimi', 'glm', 'custom'] });
  const [own] = world.custom;
  if (!own) throw new Error('There is no server');
  const asked: string[] = [];
  const watched: RoutingState = {
    ...world,
    custom: Array.from({ length: 5_000 }, (_, index) => ({ ...own, id: `own-${index}` })),
    obstacle(model) {
      asked.push(model.id);
      return world.obstacle(model);
    },
  };
  makePlan(sketchFacts({ tool: 'chat' }), watched);
  expect(asked.length).toBe(new Set(asked).size);
  expect(asked.length).toBeLessThan(25);
});
