import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Intent } from '#core/ask.ts';
import type { RouteFacts } from '#core/route.ts';
import { notice } from '#core/messages/notices.ts';
import { reason } from '#core/messages/reasons.ts';
import { baseRenderer } from '#core/messages/render.ts';
import { anyFacts, anyWorld } from '../../test/cases/routing-arbitraries.ts';
import { faultsOf } from '../../test/cases/routing-faults.ts';
import { sketchFacts, sketchWorld, type WorldSketch } from '../../test/cases/routing-world.ts';
import { verifies } from '../../test/verifies.ts';
import { makePlan } from './make-plan.ts';
import type { Plan } from './plan.ts';
import { nameModels } from './name-models.ts';
import { RULES } from './rules.ts';
import type { RouteWorld } from './route-world.ts';
import { openSituation } from './situation.ts';

function planOf(facts: Partial<RouteFacts>, sketch?: WorldSketch, intent?: Intent): Plan {
  const planned = makePlan(sketchFacts(facts), sketchWorld(sketch), intent);
  if (planned.is === 'nobody') throw planned.error;
  return planned.plan;
}

function errorOf(facts: Partial<RouteFacts>, sketch?: WorldSketch) {
  const planned = makePlan(sketchFacts(facts), sketchWorld(sketch));
  if (planned.is === 'planned') throw new Error('There is a plan');
  return planned.error.toJSON();
}

const modelsOf = ({ candidates }: Plan) => candidates.map(({ model }) => model);

describe('whatever the request and the world', () => {
  verifies(
    'route:sound',
    'there is a plan of those who can, each once and with a reason, or a typed error that says why not',
    () => {
      fc.assert(
        fc.property(anyFacts, anyWorld, (facts, world) => {
          expect(faultsOf(makePlan(facts, world), facts, world)).toEqual([]);
        }),
        { numRuns: 1_500 },
      );
    },
  );

  verifies('route:sound', 'the first rule that could win wins', () => {
    fc.assert(
      fc.property(anyFacts, anyWorld, (facts, world) => {
        const names = nameModels(facts, world);
        fc.pre(!(names instanceof Error));
        const situation = openSituation(facts, world, undefined, names);
        const first = RULES.find(
          (rule) =>
            rule.applies(situation).is === 'yes' &&
            rule.wants(situation).some(({ model }) => situation.judge(model).is === 'able'),
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
      fc.property(anyFacts, anyWorld, (facts, world) => {
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

  test('and retired is its successor, and says so', () => {
    const { candidates, notices } = planOf({ model: 'kimi-k2-0905-preview' });
    expect(candidates[0]?.model).toBe('kimi-k3');
    expect(notices.map((each) => baseRenderer.notice(each))).toEqual([
      expect.stringContaining('kimi-k3 answers instead'),
    ]);
  });

  verifies(
    'ask:alone',
    'and cannot be asked gives way with words, or is an error of its class with fallback none',
    () => {
      const named = { tool: 'chat', model: 'kimi-k3' };
      const { notices, reasons } = planOf(named, { open: ['kimi-k3'] });
      expect(notices.map((each) => baseRenderer.notice(each))).toEqual([
        'kimi-k3 was to answer, but kimi/kimi-k3 failed 5 of 6 requests within a minute (timeout); next try in 12 s; glm-4.7-flash is asked instead.',
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

  test('by a thread and gone since is told, and another one answers', () => {
    const { notices, rule } = planOf({ tool: 'chat', lockedModel: 'no-such-model' });
    expect(rule).toBe('simple-tool');
    expect(notices).toEqual([notice('unknown_thread_model', { model: 'no-such-model' })]);
  });
});

describe('when nobody can be asked', () => {
  const strict = { tool: 'chat', lastResort: 'none' } as const;

  verifies('route:sound', 'without any key a quotation answers, and says how to add one', () => {
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
  });

  verifies('route:sound', 'without any key and without a quotation it is not configured', () => {
    expect(errorOf(strict, { keys: [] })).toMatchObject({
      class: 'not_configured',
      fix: expect.stringContaining('exai keys add glm'),
    });
    expect(errorOf({ tool: 'chat', tools: 1 }, { keys: [] }).class).toBe('not_configured');
    expect(errorOf({ tool: 'chat', format: 'json' }, { keys: [] }).class).toBe('not_configured');
    expect(errorOf({ tool: 'chat' }, { keys: [], localAnswers: 'never' }).class).toBe(
      'not_configured',
    );
    expect(
      modelsOf(planOf({ tool: 'chat', tools: 1 }, { keys: [], localAnswers: 'always' })),
    ).toEqual(['local-extract']);
  });

  verifies(
    'route:sound',
    'with open breakers alone it says when to come back, unless a quotation will do',
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

  verifies('route:sound', 'with more tools than anybody takes it names the tools', () => {
    expect(errorOf({ ...strict, tools: 500 })).toMatchObject({
      class: 'validation',
      field: 'tools',
    });
  });
});

describe('wishes that contradict each other', () => {
  test('thinking that was asked for beats speed, and that is told', () => {
    const { candidates, notices } = planOf({ tool: 'chat', prefer: 'speed', thinking: 'max' });
    expect(candidates[0]?.thinking).toEqual({ mode: 'on' });
    expect(notices).toEqual([notice('speed_against_thinking', { thinking: 'max' })]);
  });

  test('a search that nobody can make is told', () => {
    const { candidates, notices } = planOf(
      { tool: 'chat', search: 'on' },
      { noSearch: ['kimi', 'glm'] },
    );
    expect(candidates.map(({ search }) => search)).not.toContain('provider');
    expect(notices).toEqual([notice('model_cannot_search', { model: 'glm-4.7-flash' })]);
  });

  test('of a chain, those who can search come first where it is wanted', () => {
    const web = { tool: 'chat', search: 'on', model: 'qwen3' } as const;
    const plan = planOf(web, { keys: ['kimi', 'glm', 'custom'], noSearch: ['kimi'] });
    expect(modelsOf(plan).slice(0, 3)).toEqual(['qwen3', 'glm-4.7-flash', 'glm-5.3']);
    expect(plan.candidates[0]?.remarks).toEqual([reason('without_search')]);
  });
});

describe('what the manager’s model said', () => {
  const unclear = { tool: 'chat', fresh: { words: 'today', strength: 'weak' } } as const;
  const intent: Intent = {
    class: 'web',
    confidence: 0.9,
    reason: reason('text', { text: 'It asks for today’s match.' }),
    by: 'model',
    needsWebSearch: 'yes',
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
      { ...intent, class: 'vision' as const, needsWebSearch: 'no' as const },
      { ...intent, class: 'agentic' as const, needsWebSearch: 'no' as const },
    ]) {
      // That it was asked is said; the rest is as before.
      expect({ ...planOf(unclear, {}, said), reasons: before.reasons }).toEqual(before);
    }
    const pictures = { tool: 'chat', images: 1 };
    expect(planOf(pictures, {}, { ...intent, confidence: 1 }).class).toBe('vision');
    expect(planOf({ ...unclear, search: 'off' }, {}, intent).rule).toBe('simple-tool');
  });
});

test('a plan costs the same whatever the catalogue holds: only parts and names are looked at', () => {
  const world = sketchWorld({ keys: ['kimi', 'glm', 'custom'] });
  const [own] = world.custom;
  if (!own) throw new Error('There is no server');
  const asked: string[] = [];
  const watched: RouteWorld = {
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
