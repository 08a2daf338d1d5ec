import { expect, test } from 'vitest';
import type { ModelGroup } from '#core/messages/model-groups.ts';
import { reason, type Reason } from '#core/messages/reasons.ts';
import { answerLine } from './answer-line.ts';

const USAGE = {
  input: 1234,
  output: 56,
  cached: 0,
  reasoning: 0,
  cost_usd: 0.0012,
  estimated: false,
};
const OK = {
  attempt: 1,
  provider: 'glm',
  model: 'glm-4.7-flash',
  elapsed_ms: 5,
  outcome: 'ok',
} as const;
const LATE = { ...OK, provider: 'kimi', model: 'kimi-k3', outcome: 'timeout' } as const;
const ANSWERED = { status: 'success', provider: 'glm', model: 'glm-4.7-flash' };

function chosen(passedOver: readonly ModelGroup[] = []): Reason {
  return reason('chosen_by_rule', {
    number: 12,
    rule: 'simple-tool',
    reason: reason('rule_chose', {
      applies: reason('simple_tool', { tool: 'chat' }),
      choice: reason('model_answers', {}),
      passedOver,
    }),
  });
}

const CLASSIFIED = reason('classified', {
  class: 'chat',
  confidence: 0.8,
  reason: reason('plain_question'),
});

test('it says who answered, why, and what it took', () => {
  const route = { because: [], reasons: [chosen(), CLASSIFIED], attempts: [OK] };
  expect(answerLine({ ...ANSWERED, route, usage: USAGE })).toBe(
    'glm-4.7-flash (glm): Rule 12: chat is a simple tool, so it answers; 1,234 tokens in, 56 out; $0.0012',
  );
});

test('of a daemon with other codes it tells the first sentence', () => {
  const because = ['A plain question'];
  const told = (reasons: readonly { code: string; params: Record<string, unknown> }[]) =>
    answerLine({ ...ANSWERED, route: { because, reasons: [...reasons], attempts: [OK] } });
  const line = 'glm-4.7-flash (glm): A plain question';
  expect(told([])).toBe(line);
  expect(told([{ code: 'of_tomorrow', params: {} }])).toBe(line);
  const nested = { number: 1, rule: 'x', reason: { code: 'of_tomorrow', params: {} } };
  expect(told([{ code: 'chosen_by_rule', params: nested }])).toBe(line);
});

test('after a fallback it says who was to answer, and what became of it', () => {
  const because = ['Rule 12: chat is a simple tool, so GLM_SPEED_MODEL (kimi-k3) answers.'];
  expect(answerLine({ ...ANSWERED, route: { because, attempts: [LATE, OK] }, usage: USAGE })).toBe(
    'glm-4.7-flash (glm): kimi-k3 was to answer but took too long; 2 attempts; 1,234 tokens in, 56 out; $0.0012',
  );
  const broken = { ...LATE, model: 'kimi-k2.6', outcome: 'interrupted' } as const;
  expect(answerLine({ ...ANSWERED, route: { because, attempts: [LATE, LATE, broken, OK] } })).toBe(
    'glm-4.7-flash (glm): kimi-k3 was to answer but took too long, then kimi-k2.6 broke off; 4 attempts',
  );
  const odd = { ...OK, outcome: 'provider_error' } as const;
  expect(answerLine({ ...ANSWERED, route: { because, attempts: [odd, OK] } })).toBe(
    'glm-4.7-flash (glm): at first it failed; 2 attempts',
  );
});

test('who was chosen and then passed over is not said to answer', () => {
  const passed = reason('passed_over', {
    class: 'breaker_open',
    model: 'kimi-k3',
    message: 'kimi-k3 is resting.',
    reason: reason('breaker_changed', { key: 'kimi/kimi-k3', to: 'half_open' }),
  });
  const route = { because: [], reasons: [chosen(), CLASSIFIED, passed], attempts: [OK] };
  expect(answerLine({ ...ANSWERED, route })).toBe(
    'glm-4.7-flash (glm): kimi/kimi-k3 has rested and is tried again',
  );
});

test('what costs nothing is free, and what was estimated is about so much', () => {
  const route = { because: [], attempts: [OK] };
  const line = (usage: object) =>
    answerLine({ ...ANSWERED, route, usage: { ...USAGE, ...usage } }).replace(/^[^;]*; /, '');
  expect(line({ cost_usd: 0 })).toBe('1,234 tokens in, 56 out; free');
  expect(line({ estimated: true })).toBe('about 1,234 tokens in, 56 out; about $0.0012');
  // Either nobody knows the price, or it is nothing; the envelope does not say which.
  expect(line({ cost_usd: 0, estimated: true })).toBe('about 1,234 tokens in, 56 out');
});

test('a long reason goes without the models that were passed over, and ends with a whole word', () => {
  const models = [{ provider: 'kimi', model: `kimi-${'k'.repeat(150)}` }];
  const long = chosen([{ models, reason: reason('model_resting') }]);
  const line = answerLine({ ...ANSWERED, route: { because: [], reasons: [long], attempts: [OK] } });
  expect(line).toBe('glm-4.7-flash (glm): Rule 12: chat is a simple tool, so it answers');
  const prose = answerLine({
    ...ANSWERED,
    route: { because: ['word '.repeat(50)], attempts: [OK] },
  });
  expect(prose).toMatch(/ word …$/);
});

test('of a failure it says who was asked, and not that somebody answered', () => {
  const route = { because: ['why'], attempts: [LATE] };
  expect(answerLine({ ...ANSWERED, status: 'error', route })).toBe('1 attempt: kimi-k3 timeout');
});

test('of nothing it says nothing', () => {
  expect(answerLine({})).toBe('');
  expect(answerLine({ status: 'error', route: { because: ['x'], attempts: [] } })).toBe('');
});
