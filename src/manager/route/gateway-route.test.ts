import { expect, test } from 'vitest';
import { verifies } from '../../../test/verifies.ts';
import type { RouteFacts, RoutePlan } from '#core/llm/route.ts';
import { fix } from '#core/messages/fixes.ts';
import { reason } from '#core/messages/reasons.ts';
import { baseRenderer } from '#core/messages/render.ts';
import type { Model } from '#models/model.ts';
import {
  sketchFacts,
  sketchRoutingState,
  type RoutingSketch,
} from '../../../test/cases/routing-sketch.ts';
import { makePlan } from './plan.ts';
import { isChatLike, toolFacts } from './tool-sets.ts';

interface Row {
  readonly says: string;
  readonly facts: Partial<RouteFacts>;
  readonly world?: RoutingSketch;
  readonly rule: string;
  readonly first: string;
  readonly next?: string;
}

function plan({ facts, world }: Pick<Row, 'facts' | 'world'>) {
  const about = {
    tool: 'gateway_chat',
    ...toolFacts('gateway_chat'),
    search: 'off',
    lastResort: 'none',
    ...facts,
  } as const;
  const planned = makePlan(sketchFacts(about), sketchRoutingState(world));
  if (planned.is === 'no_candidate') throw planned.error;
  return planned.plan;
}

test.each<Row>([
  {
    says: 'a plain question gets a quick answer',
    facts: {},
    rule: 'category',
    first: 'glm-4.7-flash',
    next: 'kimi-k2.6',
  },
  {
    says: 'a question with code in it goes to a model that is good at it',
    facts: { hasCode: true },
    rule: 'category',
    first: 'glm-5.3',
    next: 'kimi-k3',
  },
  {
    says: 'in Chinese to the other one',
    facts: { hasCode: true, cjkShare: 0.8 },
    rule: 'category',
    first: 'kimi-k3',
    next: 'glm-5.3',
  },
  {
    says: 'who wants it quick or cheap has it so, with code, too',
    facts: { hasCode: true, prefer: 'cost' },
    rule: 'category',
    first: 'glm-4.7-flash',
  },
  {
    says: 'tools for the model make it the work of an agent',
    facts: { tools: 3, hasCode: true },
    rule: 'agentic',
    first: 'glm-5.3',
    next: 'kimi-k3',
  },
  {
    says: 'pictures go to the model that sees',
    facts: { images: 1 },
    rule: 'pictures',
    first: 'glm-4.6v',
  },
  {
    says: 'what is longer than 128k tokens goes to a long window',
    facts: { tokens: 150_000 },
    rule: 'long-context',
    first: 'kimi-k2.6',
  },
  {
    says: 'a search is made where it is asked for',
    facts: { search: 'on' },
    rule: 'web',
    first: 'glm-4.7-flash',
  },
  {
    says: 'words that ask for news alone search nothing',
    facts: { fresh: { words: 'latest', strength: 'strong' } },
    rule: 'category',
    first: 'glm-4.7-flash',
  },
  {
    says: 'a name is a name',
    facts: { model: 'kimi-k3' },
    rule: 'explicit-model',
    first: 'kimi-k3',
  },
  {
    says: 'with Kimi alone Kimi answers',
    facts: { hasCode: true },
    world: { keys: ['kimi'] },
    rule: 'any-available',
    first: 'kimi-k2.6',
  },
])('$says', ({ facts, world, rule, first, next }) => {
  const { candidates, rule: won } = plan({ facts, ...(world && { world }) });
  const [winner, second] = candidates;
  expect([won, winner?.model, next && second?.model]).toEqual([rule, first, next]);
  expect(candidates.some(({ isLastResort }) => isLastResort)).toBe(false);
});

const becauseOf = ({ reasons }: Pick<RoutePlan, 'reasons'>) =>
  reasons.map((each) => baseRenderer.reason(each));

verifies('gateway:route', 'the reason why code is routed elsewhere is given', () => {
  expect(becauseOf(plan({ facts: { hasCode: true } }))[0]).toBe(
    'Rule 13: gateway_chat wants a balance of speed and thought, and there is code in it, so GLM_QUALITY_MODEL (glm-5.3) answers',
  );
});

verifies('gateway:route', 'its text may decide the route, as for chat', () => {
  expect(isChatLike('gateway_chat')).toBe(true);
  expect(toolFacts('gateway_chat')).toEqual({ category: 'balanced' });
});

function refusal(facts: Partial<RouteFacts>, world?: RoutingSketch) {
  const planned = makePlan(
    sketchFacts({ tool: 'gateway_chat', search: 'off', lastResort: 'none', ...facts }),
    sketchRoutingState(world),
  );
  if (planned.is === 'planned') throw new Error('There is a plan');
  return planned.error;
}

verifies('gateway:names', 'an alias is reported with its model', () => {
  const because = becauseOf(plan({ facts: { model: 'kimi-k3', namedAs: 'gpt-4o' } }));
  expect(because[0]).toBe('Rule 1: gpt-4o means kimi-k3 (gateway.aliases), so it answers');
  const auto = plan({ facts: { namedAs: 'claude-opus-5' } });
  expect(auto.reasons).toContainEqual(
    reason('name_mapped', { writtenAs: 'claude-opus-5', model: 'auto' }),
  );
});

verifies('gateway:names', 'an unknown name is refused with the setting', () => {
  expect(refusal({ model: 'gpt-4o' })).toMatchObject({
    class: 'not_found',
    field: 'model',
    message: expect.stringContaining('There is no model "gpt-4o"') as string,
    fix: expect.stringContaining('gateway.aliases can give it a meaning: gpt-4o=auto.') as string,
  });
  expect(refusal({ model: 'a b' }).fix).toContain('a meaning: gpt-4o=auto.');
  expect(refusal({ tool: 'chat', model: 'gpt-4o' }).fix).not.toContain('gateway');
  expect(refusal({ model: 'kimi-k99', namedAs: 'gpt-4o' })).toMatchObject({
    class: 'not_found',
    field: 'model',
    message: expect.stringMatching(
      /^gateway\.aliases says that "gpt-4o" means "kimi-k99", and there is no such model/,
    ) as string,
    fix: expect.stringMatching(/^Correct gateway\.aliases, or list the models/) as string,
  });
});

test('the fixes name the arguments that would help', () => {
  const long = refusal({ tokens: 3_000_000, context: 'whole' });
  expect(long.class).toBe('context_length');
  expect(long.fix).toBe('Send less at once: nothing of it is summarised or left out.');
  const paid = { keys: ['kimi'] } as const;
  const dear = (facts: Partial<RouteFacts>) =>
    refusal({ maxCostMicroUsd: 10, ...facts }, paid).fixes;
  const argument = 'max_output_tokens';
  const allow = fix('raise_argument', { argument: 'max_cost_usd' });
  const omit = fix('omit_argument', { argument: 'max_cost_usd' });
  expect(dear({})).toEqual([allow, fix('set_argument', { argument }), omit]);
  expect(dear({ maxOutputTokens: 9000 })).toEqual([
    allow,
    fix('lower_argument', { argument }),
    omit,
  ]);
  expect(dear({ model: 'kimi-k3', fallback: 'none' })).toEqual(dear({}));
  expect(dear({ tool: 'chat' })).toEqual(dear({}));
});

test('a limit that allows nothing is explained', () => {
  const { message } = refusal({ maxCostMicroUsd: 0 }, { keys: ['kimi'] });
  expect(message).toMatch(/^No model is sure to cost nothing: .*, and it may cost nothing/);
  expect(message).not.toContain('$0.00 ');
});

test('without any provider the error says how to set one up, and nothing else', () => {
  const none = refusal({}, { keys: [] });
  expect(none).toMatchObject({
    class: 'not_configured',
    message: 'No provider is set up.',
    fix: 'Add a key with: exai keys add glm (or kimi, openrouter), or set CUSTOM_API_URL.',
  });
  const listed = refusal({}, { denied: ['kimi', 'glm'] });
  expect(listed.message).toMatch(/^No model can be asked: .*models\.deny/);
  expect(listed.fixes).toEqual([fix('run_doctor')]);
  const halfListed = refusal({}, { keys: ['kimi'], denied: ['kimi'] });
  expect(halfListed.fixes).toEqual([fix('add_key', { provider: 'glm' }), fix('run_doctor')]);
});

test('too many tools are not told as a missing key, if a key would not help', () => {
  // Kimi has no key, and takes no more tools than GLM.
  const tools = refusal({ tools: 1100 }, { keys: ['glm'] });
  expect(tools).toMatchObject({
    class: 'validation',
    field: 'tools',
    fix: 'Give fewer tools.',
    reason: { code: 'no_model_calls_tools' },
  });
  // The same models with tools would be Kimi's, if it had a key.
  const change = (model: Model) =>
    model.provider === 'kimi' ? model : ({ ...model, tools: 'no' } as const);
  expect(refusal({ tools: 1 }, { keys: ['glm'], change }).class).toBe('not_configured');
});
