import fc from 'fast-check';
import { THINKING_MODES, type RouteFacts } from '#core/llm/route.ts';
import { PROVIDER_IDS } from '#core/llm/provider.ts';
import type { Model } from '#models/model.ts';
import { TOOL_SETS } from '#manager/route/tool-sets.ts';
import {
  CATALOGUE,
  sketchFacts,
  sketchRoutingState,
  type RoutingSketch,
} from './routing-sketch.ts';

const IDS = CATALOGUE.models.map(({ id }) => id);
const TOOLS = [...TOOL_SETS.keys(), 'something', '__proto__', 'constructor'];
const name = fc.oneof(
  { weight: 8, arbitrary: fc.constantFrom(...IDS, 'local', 'qwen3') },
  { weight: 1, arbitrary: fc.string({ maxLength: 30 }) },
);
const tokens = fc.oneof(fc.nat(2_000), fc.nat(2_000), fc.nat(300_000), fc.nat(3_000_000));

/** Each by itself is unusual, and all of them together nobody could answer. */
function seldom<T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> {
  return fc.oneof({ weight: 5, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary });
}

function given<T extends object>(record: T): T {
  return Object.fromEntries(
    Object.entries(record).filter(([, value]) => value !== undefined),
  ) as unknown as T;
}

const some = fc.integer({ min: 1, max: 3 });
const files = fc.record({
  count: some,
  tokens,
  documents: fc.nat(1),
  scans: fc.nat(1),
  attached: fc.constantFrom(0, 0, 0, 1),
});

/** Any request, reasonable or not. */
export const anyFacts: fc.Arbitrary<RouteFacts> = fc
  .record({
    tool: fc.constantFrom(...TOOLS),
    category: fc.constantFrom('extended_reasoning', 'balanced', 'fast_response'),
    affinity: seldom(fc.constantFrom('kimi', 'glm')),
    model: seldom(name),
    lockedModel: seldom(name),
    step: seldom(
      fc.record({
        number: fc.integer({ min: 1, max: 9 }),
        more: fc.constantFrom('yes', 'no', 'unknown'),
        depth: fc.constantFrom('quick', 'normal', 'deep'),
      }),
    ),
    tokens,
    questionTokens: seldom(tokens),
    maxOutputTokens: seldom(fc.integer({ min: 1, max: 200_000 })),
    files: seldom(files),
    images: seldom(some),
    videos: seldom(some),
    search: seldom(fc.constantFrom('on', 'off')),
    fresh: seldom(
      fc.record({ words: fc.constant('today'), strength: fc.constantFrom('strong', 'weak') }),
    ),
    tools: seldom(fc.oneof(some, fc.constant(200))),
    format: seldom(fc.constantFrom('json', 'json_schema')),
    cjkShare: seldom(fc.double({ min: 0, max: 1, noNaN: true })),
    locale: seldom(fc.constantFrom('zh-CN', '')),
    hasCode: seldom(fc.boolean()),
    prefer: seldom(fc.constantFrom('speed', 'cost')),
    thinking: seldom(fc.constantFrom(...THINKING_MODES)),
    fallback: seldom(fc.constantFrom('chain', 'none')),
    lastResort: seldom(fc.constant('none')),
    maxCostMicroUsd: seldom(fc.nat(3_000_000)),
  })
  .map((facts) => sketchFacts(given(facts) as Partial<RouteFacts>));

/** The same change for the same model: a plan asks for it more than once. */
const anyChange: fc.Arbitrary<(model: Model) => Model> = fc
  .record({
    shrink: fc.constantFrom(1, 1, 8, 200),
    price: fc.constantFrom('as_is', 'none', 'free'),
    tools: fc.constantFrom('as_is', 'no'),
    every: fc.constantFrom(1, 2, 3),
  })
  .map(({ shrink, price, tools, every }) => (model) => {
    if (model.id.length % every !== 0) return model;
    const { price: was, ...rest } = model;
    const free = { input: 0, cached: 0, output: 0 };
    const now = price === 'free' ? free : price === 'none' ? undefined : was;
    return {
      ...rest,
      contextTokens: Math.ceil(model.contextTokens / shrink),
      ...(tools === 'no' && { tools: 'no' as const }),
      ...(now && { price: now }),
    };
  });

const subjects = fc.subarray([...PROVIDER_IDS, ...IDS.slice(0, 30)], { maxLength: 8 });

/** Any routing state: keys, breakers, lists, budgets, windows and prices as they come. */
export const anyRoutingState = fc
  .record({
    keys: fc.subarray(['kimi', 'glm', 'custom', 'openrouter'] as const),
    open: seldom(subjects),
    halfOpen: seldom(subjects),
    denied: seldom(subjects),
    noSearch: seldom(fc.subarray([...PROVIDER_IDS])),
    correction: seldom(fc.constantFrom(0.5, 3, Number.NaN, -1, Infinity)),
    budgetLeftMicroUsd: seldom(fc.integer({ min: -10, max: 10 })),
    whenSpent: seldom(fc.constant('refuse')),
    intelligentSelection: fc.constantFrom('on', 'off'),
    defaultModel: seldom(name),
    extractiveFallback: seldom(fc.constantFrom('always', 'never')),
    roles: seldom(
      fc.record({ glmSpeed: fc.constantFrom(...IDS), kimiQuality: fc.constantFrom(...IDS) }),
    ),
    change: seldom(anyChange),
  })
  .map((sketch) => sketchRoutingState(given(sketch) as RoutingSketch));
