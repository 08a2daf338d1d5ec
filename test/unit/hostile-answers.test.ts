import { describe, expect, test } from 'vitest';
import type { ChatOutcome } from '#core/llm/collect-chat.ts';
import { createSecret } from '#core/secrets/secret.ts';
import { toBreakerFailure } from '#manager/run/breaker-failure.ts';
import { RULES } from '#manager/run/deps.fixture.ts';
import { clientTo } from '#providers/openai-compatible/streaming-request.fixture.ts';
import { failureEffect } from '#resilience/breakers.ts';
import { verifies } from '../verifies.ts';
import { ECHOED_KEY, HOSTILE_ANSWERS, type HostileAnswer } from '../cases/hostile-answers.ts';

const key = createSecret(ECHOED_KEY);

async function ask(
  { status = 200, type = 'text/event-stream', pieces }: HostileAnswer,
  delivery: 'stream' | 'whole',
) {
  const { ask: asked, ...harness } = clientTo(
    () => ({ status, headers: { 'content-type': type }, pieces }),
    { key },
  );
  return { outcome: await asked({ delivery, tools: ['f'] }), ...harness };
}

/** What the breaker of the model makes of it, whoever saw it. */
function breakerOf(outcome: ChatOutcome): HostileAnswer['breaker'] {
  if (outcome.is === 'answered') return 'ignores';
  const blow = failureEffect('model', toBreakerFailure(outcome.error, { principal: 'ci' }), RULES);
  return blow?.is === 'counts' && blow.doubtfulFor === undefined ? 'counts' : 'ignores';
}

test('there are many', () => {
  expect(HOSTILE_ANSWERS.length).toBeGreaterThanOrEqual(64);
  expect(new Set(HOSTILE_ANSWERS.map(({ name }) => name)).size).toBe(HOSTILE_ANSWERS.length);
});

describe.each(['stream', 'whole'] as const)('where a %s was asked for', (delivery) => {
  test.each(HOSTILE_ANSWERS.map((row) => [row.name, row.is, row] as const))(
    '%s is %s',
    async (_, is, row) => {
      const { outcome, open, clock } = await ask(row, delivery);
      const came = outcome.is === 'failed' ? outcome.error.class : outcome.is;
      expect([came, outcome.answer.text]).toEqual([is, row.text ?? outcome.answer.text]);
      expect(breakerOf(outcome)).toBe(row.breaker);
      expect(JSON.stringify(outcome)).not.toContain(ECHOED_KEY);
      expect(Object.prototype).not.toHaveProperty('polluted');
      expect([open.bodies, clock.waiting]).toEqual([0, 0]);
    },
  );
});

verifies(
  'security:answer-size',
  'what is too deep or too large is not asked for again',
  async () => {
    const rows = HOSTILE_ANSWERS.filter(({ name }) => /^(?:65|a hundred|400|40,|200,)/.test(name));
    expect(rows).toHaveLength(5);
    for (const row of rows) {
      const { outcome } = await ask(row, 'whole');
      expect(outcome).toMatchObject({ error: { class: 'bad_response', retry: 'never' } });
    }
  },
);

verifies('security:answer-size', 'what is too deep is not read to its end', async () => {
  let read = 0;
  function* endless() {
    for (;;) {
      read += 1;
      yield '['.repeat(10_000);
    }
  }
  const headers = { 'content-type': 'application/json' };
  const pieces = { [Symbol.iterator]: endless } as unknown as readonly string[];
  const { ask: asked } = clientTo(() => ({ headers, pieces }));
  expect(await asked()).toMatchObject({ error: { class: 'bad_response' } });
  expect(read).toBe(1);
});
