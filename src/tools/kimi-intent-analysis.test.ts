import { expect, test } from 'vitest';
import type { AskContext, AskRequest, Intent, Manager } from '#core/llm/ask.ts';
import { CallError } from '#core/errors/call-error.ts';
import type { Candidate, RouteExplanation, RouteFacts } from '#core/llm/route.ts';
import type { ToolResult, ToolContext } from '#core/tools/tool.ts';
import { reason } from '#core/messages/reasons.ts';
import { kimiIntentAnalysis } from './kimi-intent-analysis.ts';

const INTENT: Intent = {
  class: 'web',
  confidence: 0.93,
  reason: reason('text', { text: 'Prices change.' }),
  by: 'model',
  needsWebSearch: true,
  complexity: 'simple',
  domains: ['shopping'],
  model: 'glm-4.7-flash',
};

const FIRST: Candidate = {
  provider: 'glm',
  model: 'glm-5.3',
  reason: reason('answers_with_search', { model: 'glm-5.3' }),
  remarks: [],
  search: 'provider',
  roomTokens: 1,
  isLastResort: false,
};

function explanation(candidates: readonly Candidate[]): RouteExplanation {
  const plan = {
    class: 'web',
    confidence: 1,
    rule: 'web',
    reasons: [],
    tried: [],
    candidates,
    leftOut: [],
    notices: [],
  } as const;
  const facts = {} as RouteFacts;
  return { facts, tried: [], leftOut: [], context: [], ...(candidates.length > 0 && { plan }) };
}

function world(intent: Intent | Error, candidates: readonly Candidate[] = [FIRST]) {
  const asked: { request: AskRequest; by: AskContext }[] = [];
  const manager: Pick<Manager, 'classify' | 'explain'> = {
    async classify(request, by) {
      asked.push({ request, by });
      if (intent instanceof Error) throw intent;
      return intent;
    },
    async explain(request, by) {
      asked.push({ request, by });
      return explanation(candidates);
    },
  };
  const tool = kimiIntentAnalysis(manager);
  const run = (args: Record<string, unknown>) =>
    tool.run(tool.parse(args), {
      reqId: 'req_1',
      tool: tool.name,
    } as Partial<ToolContext> as ToolContext) as Promise<ToolResult>;
  return { tool, run, asked };
}

test('it classifies the request and names the model, as text and as data', async () => {
  const { run, asked } = world(INTENT);
  const { content, text } = await run({ prompt: 'How much is it?', context: 'A phone.' });
  expect(content).toEqual({
    needs_websearch: true,
    complexity: 'simple',
    domains: ['shopping'],
    class: 'web',
    confidence: 0.93,
    because: 'Prices change.',
    reason: INTENT.reason,
    by: 'model',
    recommended_provider: 'glm',
    recommended_model: 'glm-5.3',
  });
  expect(text).toBe(
    'A simple request of the class web, about shopping; it needs the web.\n' +
      'Said by glm-4.7-flash, 93 % sure: Prices change.\n' +
      'It would go to glm-5.3 (glm): glm-5.3 answers with its own search.',
  );
  const messages = [{ role: 'user', content: 'How much is it?\n\nContext:\nA phone.' }];
  expect(asked.map(({ request }) => request)).toEqual([{ messages }, { messages, search: 'on' }]);
  // Usage is recorded under its own name; the route is that of chat.
  expect(asked.map(({ by }) => by)).toMatchObject([
    { reqId: 'req_1', tool: 'kimi_intent_analysis' },
    { reqId: 'req_1', tool: 'chat' },
  ]);
});

test('without a model it uses the rules, and does not recommend the extractive fallback', async () => {
  const rules: Intent = { ...INTENT, by: 'rules', needsWebSearch: false, domains: [] };
  for (const candidates of [[], [{ ...FIRST, isLastResort: true }]]) {
    const { run, asked } = world(rules, candidates);
    const { content, text } = await run({ prompt: 'Hi' });
    expect(content).not.toHaveProperty('recommended_model');
    expect(content).toMatchObject({ by: 'rules', needs_websearch: false });
    expect(text).toContain('Said by the rules');
    expect(text).toContain('No model could be asked now.');
    expect(asked[1]?.request.search).toBe('off');
  }
});

test.each(['file_qa', 'vision', 'agentic', 'long_context'] as const)(
  'a class that nothing in the request speaks for gives way to that of the rules: %s',
  async (impossible) => {
    const { content, text } = await world({ ...INTENT, class: impossible }).run({ prompt: 'Hi' });
    const because = `It was taken for ${impossible}, but brings nothing of the kind along.`;
    expect(content).toMatchObject({ class: 'web', confidence: 1, by: 'rules', because });
    expect(text).toContain(`Said by the rules, 100 % sure: ${because}`);
    const nobody = await world({ ...INTENT, class: impossible }, []).run({ prompt: 'Hi' });
    expect(nobody.content).toMatchObject({ class: 'chat', by: 'rules' });
  },
);

test('only a cancelled call gets an error', async () => {
  const gone = new CallError('cancelled', 'Gone.');
  await expect(world(gone).run({ prompt: 'Hi' })).rejects.toBe(gone);
  expect(() => world(INTENT).tool.parse({ prompt: '  ' })).toThrow(
    expect.objectContaining({ class: 'validation', field: 'prompt' }),
  );
});
