import { expect, test } from 'vitest';
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

test('it says who answered, why, and what it took', () => {
  const route = { because: ['A plain question.', 'more'], attempts: [OK] };
  expect(answerLine({ ...ANSWERED, route, usage: USAGE })).toBe(
    'glm-4.7-flash (glm): A plain question; 1,234 tokens in, 56 out; $0.0012',
  );
});

test('after a fallback it says who was to answer, and what became of it', () => {
  const because = [
    'Rule 12: chat is a simple tool, so GLM_SPEED_MODEL (kimi-k3) answers.',
    'Class chat (80 % sure): it is a plain question.',
    'kimi-k3 (kimi) failed with timeout; glm/glm-4.7-flash was asked next.',
  ];
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
  const because = [
    'Rule 12: chat is a simple tool, so GLM_SPEED_MODEL (kimi-k3) answers.',
    'Class chat (80 % sure): it is a plain question.',
    'kimi-k3 is resting for 4 s.',
  ];
  expect(answerLine({ ...ANSWERED, route: { because, attempts: [OK] } })).toBe(
    'glm-4.7-flash (glm): kimi-k3 is resting for 4 s',
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

test('a long reason goes without its remark, and ends with a whole word', () => {
  const reason = `Rule 16: nobody else, so it answers (${'glm-4.7-flash, '.repeat(20)})`;
  const line = answerLine({ ...ANSWERED, route: { because: [reason], attempts: [OK] } });
  expect(line).toBe('glm-4.7-flash (glm): Rule 16: nobody else, so it answers');
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
