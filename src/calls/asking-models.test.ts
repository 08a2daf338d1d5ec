import { expect } from 'vitest';
import * as z from 'zod';
import type { AskAnswer, AskReport, Manager } from '#core/llm/ask.ts';
import { CallError } from '#core/errors/call-error.ts';
import { defineTool } from '#core/tools/define-tool.schema.ts';
import type { Tool } from '#core/tools/tool.ts';
import { notice } from '#core/messages/notices.ts';
import { reason } from '#core/messages/reasons.ts';
import { verifies } from '../../test/verifies.ts';
import { createTestCalls, settled } from './calls.fixture.ts';

const REPORT: AskReport = {
  provider: 'glm',
  model: 'glm-5.3',
  class: 'chat',
  rule: 'simple',
  reasons: [
    reason('chosen_by_rule', { number: 12, rule: 'simple', reason: reason('plain_question') }),
  ],
  attempts: [
    {
      attempt: 1,
      provider: 'kimi',
      model: 'kimi-k3',
      elapsed_ms: 20,
      outcome: 'timeout',
      next: 'glm/glm-5.3',
    },
    { attempt: 2, provider: 'glm', model: 'glm-5.3', elapsed_ms: 30, outcome: 'ok' },
  ],
  notices: [notice('model_cannot_search', { model: 'glm-5.3' })],
  usage: { input: 100, output: 20, cached: 0, reasoning: 5, estimated: false },
  costMicroUsd: 228,
  costKnown: true,
  quality: 'full',
};

function asking(times = 1, declared: { pool?: 'provider' } = { pool: 'provider' }): Tool {
  return defineTool({
    name: 'asking',
    title: 'Asking',
    description: 'Asks a model.',
    input: z.strictObject({}),
    effect: 'reads',
    ...declared,
    async run(_, context) {
      let text = '';
      for (let n = 0; n < times; n += 1) {
        text = (await context.ask({ messages: [{ role: 'user', content: 'Hello.' }] })).text;
      }
      return { text };
    },
  });
}

function answering(report: Partial<AskReport> = {}, error?: CallError): Pick<Manager, 'ask'> {
  return {
    async ask(_request, _by, listener) {
      listener?.onReport?.({ ...REPORT, ...report });
      if (error) throw error;
      return { text: 'Hello to you.' } as AskAnswer;
    },
  };
}

verifies('ask:chain', 'the envelope says who answered, after whom and at what cost', async () => {
  const { answer, store } = createTestCalls([asking()], { manager: answering() });
  const { envelope } = await answer('asking');
  expect(envelope).toMatchObject({
    status: 'success',
    provider: 'glm',
    model: 'glm-5.3',
    attempt: 2,
    content: 'Hello to you.',
    usage: { input: 100, output: 20, cost_usd: 0.000228, estimated: false },
    route: {
      class: 'chat',
      rule: 'simple',
      because: ['Rule 12: it is a plain question.'],
      reasons: REPORT.reasons,
      attempts: REPORT.attempts,
      notices: ['glm-5.3 cannot search the web, so it answers from what it knows.'],
      notice_data: REPORT.notices,
    },
  });
  expect(store.recorded).toHaveLength(1);
});

verifies('ask:chain', 'a failure lists its attempts, and keeps what had come', async () => {
  const failed = new CallError('interrupted', 'It broke off.');
  const { provider: _, model: __, ...nobody } = REPORT;
  const manager: Pick<Manager, 'ask'> = {
    async ask(_request, _by, listener) {
      listener?.onReport?.({ ...nobody, partial: 'Hello to' });
      throw failed;
    },
  };
  const { answer } = createTestCalls([asking()], { manager });
  expect((await answer('asking')).envelope).toMatchObject({
    status: 'error',
    error_class: 'interrupted',
    attempt: 2,
    content: 'Hello to',
    route: { attempts: REPORT.attempts },
  });
});

verifies('ask:chain', 'what was quoted in place of an answer is degraded', async () => {
  const { answer } = createTestCalls([asking()], { manager: answering({ quality: 'degraded' }) });
  expect((await answer('asking')).envelope.status).toBe('degraded');
});

verifies('ask:chain', 'a tool that asks twice pays for both', async () => {
  const { answer } = createTestCalls([asking(2)], { manager: answering() });
  expect((await answer('asking')).envelope).toMatchObject({
    attempt: 4,
    usage: { input: 200, output: 40, cost_usd: 0.000456 },
  });
});

verifies('ask:chain', 'a request without a known price is reported as unpriced', async () => {
  const usageOf = async (report: Partial<AskReport>) => {
    const { answer } = createTestCalls([asking()], { manager: answering(report) });
    return (await answer('asking')).envelope.usage;
  };
  expect(await usageOf({ costKnown: false, costMicroUsd: 0 })).toMatchObject({
    unpriced: true,
    cost_usd: 0,
  });
  expect(await usageOf({})).not.toHaveProperty('unpriced');
});

verifies('security:free-scope', 'a tool that declares to ask no model cannot ask one', async () => {
  const { answer } = createTestCalls([asking(1, {})], { manager: answering() });
  expect((await answer('asking')).envelope).toMatchObject({
    status: 'error',
    error_class: 'internal',
  });
});

verifies(
  'ask:model-timeouts',
  'a model that thinks gives the call its time, unless the client has set a limit',
  async () => {
    const TEN_MINUTES = 600_000;
    const thinking: Pick<Manager, 'ask'> = {
      ask(_request, by) {
        by.extend?.(TEN_MINUTES);
        return new Promise(() => undefined);
      },
    };
    for (const timeoutMs of [undefined, 50_000]) {
      const tool = { ...asking(), timeoutMs: 90_000 };
      const { start, clock } = createTestCalls([tool], { manager: thinking });
      const { answer } = start('asking', {}, timeoutMs === undefined ? {} : { timeoutMs });
      let isOver = false;
      void answer.then(() => (isOver = true));
      await settled();
      clock.advance((timeoutMs ?? TEN_MINUTES) - 1);
      await settled();
      expect(isOver).toBe(false);
      clock.advance(1);
      expect((await answer).error).toMatchObject({ class: 'timeout' });
    }
  },
);
