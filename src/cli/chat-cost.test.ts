import { expect, test } from 'vitest';
import { chatCost, todaysCost } from './chat-cost.ts';

test('the cost of a chat says what is sure and what is not', () => {
  const spent = { answers: 0, input: 0, output: 0, microUsd: 0, unsure: 0 };
  expect(chatCost(spent)).toBe('This chat: nothing yet.');
  expect(chatCost({ ...spent, answers: 1, input: 1_200, output: 30 })).toBe(
    'This chat: 1 answer, 1,200 tokens in, 30 out, free.',
  );
  expect(chatCost({ answers: 3, input: 9, output: 9, microUsd: 12_300, unsure: 1 })).toBe(
    'This chat: 3 answers, 9 tokens in, 9 out, $0.0123 (1 estimated or unpriced).',
  );
});

test('the cost of the day says what may still be spent', () => {
  const today = {
    day: '2026-01-31',
    calls: 12,
    costMicroUsd: 340_000,
    unpriced: 2,
    estimated: 0,
    exhausted: [],
  };
  expect(todaysCost(today)).toBe(
    'Today (2026-01-31, UTC, all clients): 12 requests, $0.34, 2 unpriced.',
  );
  const budget = { leftMicroUsd: 660_000, because: 'a day has one dollar' };
  expect(todaysCost({ ...today, calls: 1, unpriced: 0, budget })).toBe(
    'Today (2026-01-31, UTC, all clients): 1 request, $0.34. $0.66 may still be spent.',
  );
});
