import { expect, test } from 'vitest';
import { CallError } from '#core/errors/call-error.ts';
import type { FollowUpRequest } from '#core/llm/provider.ts';
import { collectChat } from '../../../test/collect-chat.ts';
import type { StepResult } from './chat-plan.ts';
import { clientTo, delta, sse, type Answer } from './streaming-request.fixture.ts';

const says = (content: object, finish = 'stop'): Answer => ({
  pieces: sse(
    delta(content),
    { ...delta({}, finish), usage: { prompt_tokens: 10, completion_tokens: 5 } },
    '[DONE]',
  ),
});

function twoSteps(answers: readonly Answer[], admit: (request: FollowUpRequest) => Promise<void>) {
  const { client, context, requests } = clientTo((_, number) => answers[number - 1] ?? {});
  const plan = {
    model: 'kimi-k3',
    delivery: 'stream',
    tools: [],
    first: { body: { max_tokens: 100 } },
    next: ({ step, body }: StepResult) => (step === 1 ? { body, addedTokens: 7 } : undefined),
  } as const;
  const outcome = collectChat(client.chat(plan, { ...context, admitFollowUp: admit }));
  return { outcome, requests };
}

test('a further request is admitted with what was used and what it may take', async () => {
  const asked: FollowUpRequest[] = [];
  const { outcome } = twoSteps(
    [says({ content: 'a' }), says({ content: 'b' })],
    async (request) => {
      asked.push(request);
    },
  );
  expect(await outcome).toMatchObject({ is: 'answered', answer: { text: 'ab' } });
  expect(asked).toMatchObject([
    { used: { input: 10, output: 5 }, inputTokens: 10 + 5 + 7 + 100, maxOutputTokens: 100 },
  ]);
});

test('a further request that is refused is not sent, and what was used is reported', async () => {
  const { outcome, requests } = twoSteps([says({ content: 'a' })], async () => {
    throw new CallError('budget', 'Nothing is left.');
  });
  expect(await outcome).toMatchObject({
    is: 'failed',
    error: { class: 'budget' },
    answer: { usage: { input: 10, output: 5 } },
  });
  expect(requests).toHaveLength(1);
});

test('a refused retry of reasoning leaves the failure before it', async () => {
  const { outcome } = twoSteps([says({ reasoning_content: 'Hm.' })], async () => {
    throw new CallError('budget', 'Nothing is left.');
  });
  expect(await outcome).toMatchObject({ is: 'failed', error: { class: 'empty_response' } });
});

test('a further request after a refusal that cost nothing needs no admission', async () => {
  const refused = { status: 400, pieces: ['{"error":{"message":"bad field"}}'] };
  const { outcome } = twoSteps([refused, says({ content: 'b' })], async () => {
    throw new CallError('budget', 'Nothing is left.');
  });
  expect(await outcome).toMatchObject({ is: 'answered', answer: { text: 'b' } });
});

test('the reasoning of two emitted steps is kept apart', async () => {
  const answers = [
    says({ reasoning_content: 'First.' }),
    says({ content: 'b', reasoning_content: 'Then.' }),
  ];
  const { outcome } = twoSteps(answers, async () => undefined);
  expect((await outcome).answer.reasoning).toBe('First.\n\nThen.');
});
