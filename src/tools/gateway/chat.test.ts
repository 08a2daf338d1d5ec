import { expect, test } from 'vitest';
import { verifies } from '../../../test/verifies.ts';
import type { AskAnswer, AskListener, AskReport, AskRequest } from '#core/llm/ask.ts';
import { CallError } from '#core/errors/call-error.ts';
import type { Progress } from '#core/calls/call.ts';
import type { ToolResult, ToolContext } from '#core/tools/tool.ts';
import { createCatalogue } from '#models/catalogue.ts';
import { gatewayChat, type GatewayChatDeps } from './chat.ts';
import { createModelAliases } from './model-aliases.ts';
import { NO_DOCUMENTS } from './no-documents.fixture.ts';

const REPORT: AskReport = {
  reasons: [],
  attempts: [],
  notices: [],
  costMicroUsd: 0,
  costKnown: true,
  quality: 'full',
};
const ANSWER: AskAnswer = {
  text: 'Four.',
  reasoning: 'Two and two.',
  reasoningDetails: [],
  toolCalls: [],
  citations: [],
  finish: 'stop',
  provider: 'glm',
  model: 'glm-4.7-flash',
  seams: [],
  report: REPORT,
};
const ASKED = { provider: 'glm', model: 'glm-4.7-flash', attempt: 1 } as const;
const QUESTION: AskRequest = { messages: [{ role: 'user', content: 'What is 2 + 2?' }] };

type Answer = (
  nth: number,
  listener: AskListener,
) => Partial<AskAnswer> | Promise<Partial<AskAnswer>>;

function operation(deps: Partial<GatewayChatDeps> = {}) {
  return gatewayChat({
    modelDirectory: { resolve: (name) => createCatalogue().resolve(name), models: () => [] },
    ...NO_DOCUMENTS,
    aliases: createModelAliases(['claude-*=auto']),
    timeoutMs: 600_000,
    quotes: 'as_asked',
    ...deps,
  });
}

async function run(
  ask: AskRequest,
  choices = 1,
  answer: Answer = () => ({}),
  deps: Partial<GatewayChatDeps> = {},
) {
  const asked: AskRequest[] = [];
  const steps: Progress[] = [];
  const context = {
    progress: (step: Progress) => void steps.push(step),
    async ask(request: AskRequest, listener: AskListener = {}) {
      asked.push(request);
      return { ...ANSWER, ...(await answer(asked.length, listener)) };
    },
  } as Partial<ToolContext> as ToolContext;
  const given = (await operation(deps).run({ ask, choices }, context)) as ToolResult;
  return { given, asked, steps };
}

test('it is a call that waits for a provider, and is never shared with another', () => {
  expect(operation()).toMatchObject({
    name: 'gateway_chat',
    pool: 'provider',
    coalesce: false,
    category: 'balanced',
    tier: 'user',
    timeoutMs: 600_000,
    annotations: { readOnlyHint: true, openWorldHint: true },
  });
});

test('the answer is data, without text', async () => {
  const { given } = await run(QUESTION);
  expect(given).toMatchObject({ text: '', content: { choices: [ANSWER] } });
});

test('every part is emitted as it arrives', async () => {
  const call = { type: 'tool_call', index: 0, id: 'c1', name: 'add', arguments: '{' } as const;
  const { steps } = await run(QUESTION, 1, (_, listener) => {
    listener.onAsked?.(ASKED);
    listener.onReasoning?.('Two and');
    listener.onText?.('Fo');
    listener.onText?.('ur.');
    listener.onToolCall?.(call);
    listener.onNote?.('Another is asked.');
    return {};
  });
  expect(steps).toEqual([
    { piece: { type: 'asked', ...ASKED }, choice: 0 },
    { piece: { type: 'reasoning', text: 'Two and' }, choice: 0 },
    { piece: { type: 'text', text: 'Fo' }, choice: 0 },
    { piece: { type: 'text', text: 'ur.' }, choice: 0 },
    { piece: call, choice: 0 },
  ]);
  expect(steps.at(-1)?.piece).toBe(call);
});

verifies(
  'gateway:choices',
  'several answers are asked for at once, each with its number',
  async () => {
    const waiting: (() => void)[] = [];
    const { given, steps } = await run(QUESTION, 3, async (nth, listener) => {
      await new Promise<void>((resolve) => {
        waiting.push(resolve);
        // Blocks until all were asked.
        if (waiting.length === 3) for (const go of waiting) go();
      });
      listener.onText?.(`answer ${nth}`);
      return { text: `answer ${nth}` };
    });
    const { choices } = given.content as { choices: AskAnswer[] };
    expect(choices.map(({ text }) => text)).toEqual(['answer 1', 'answer 2', 'answer 3']);
    const told = steps.toSorted((a, b) => (a.choice ?? 0) - (b.choice ?? 0));
    expect(told).toEqual(
      choices.map(({ text }, choice) => ({ piece: { type: 'text', text }, choice })),
    );
  },
);

test('what several answers may cost is shared between them', async () => {
  const { asked } = await run({ ...QUESTION, maxCostMicroUsd: 10 }, 3);
  expect(asked.map(({ maxCostMicroUsd }) => maxCostMicroUsd)).toEqual([3, 3, 3]);
});

test('when one of several fails, the others end first and its failure is the answer', async () => {
  let ended = 0;
  const failing = run(QUESTION, 3, async (nth) => {
    if (nth === 2) throw new CallError('rate_limit', 'Slow down.');
    if (nth === 3) throw new CallError('network', 'Gone.');
    await Promise.resolve();
    ended += 1;
    return {};
  });
  await expect(failing).rejects.toMatchObject({ class: 'rate_limit' });
  expect(ended).toBe(1);
});

verifies(
  'gateway:names',
  'unknown names resolve through the aliases; others are passed on',
  async () => {
    const meant = async (model: string) => (await run({ ...QUESTION, model })).asked[0]?.model;
    expect(await meant('claude-sonnet-4-5')).toBe('auto');
    expect(await meant('kimi-k3')).toBe('kimi-k3');
    expect(await meant('no-such-model')).toBe('no-such-model');
    expect((await run(QUESTION)).asked[0]).not.toHaveProperty('model');
  },
);

test('nothing is searched unless it is asked for', async () => {
  expect((await run(QUESTION)).asked[0]?.search).toBe('off');
  expect((await run({ ...QUESTION, search: 'on' })).asked[0]?.search).toBe('on');
});

test('an extractive fallback is allowed only if the settings allow it for everybody', async () => {
  const ask = { ...QUESTION, lastResort: 'none' } as const;
  expect((await run(ask)).asked[0]?.lastResort).toBe('none');
  const always = await run(ask, 1, () => ({}), { quotes: 'always' });
  expect(always.asked[0]?.lastResort).toBe('local');
});

test('what it would ask is what it asks', async () => {
  const ask = { ...QUESTION, model: 'claude-opus-5', stop: ['END'] };
  const { asked } = await run(ask);
  expect(operation().previewAsk?.({ ask, choices: 1 })).toEqual(asked[0]);
});

test('the alias as written is passed on with its model', async () => {
  const asked = async (model: string) => (await run({ ...QUESTION, model })).asked[0];
  expect(await asked(' claude-opus-5 ')).toMatchObject({ model: 'auto', namedAs: 'claude-opus-5' });
  expect(await asked('kimi-k3')).not.toHaveProperty('namedAs');
});
