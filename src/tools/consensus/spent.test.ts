import { expect, test } from 'vitest';
import type { AskReport } from '#core/ask.ts';
import { failing } from './consensus.fixture.ts';
import type { Reply } from './reply.ts';
import { spentOf, usageOf } from './spent.ts';

const REPORT: AskReport = {
  reasons: [],
  attempts: [],
  notices: [],
  costMicroUsd: 70,
  costKnown: true,
  quality: 'full',
};
const reply = (report?: Partial<AskReport>): Reply => ({
  is: 'failed',
  error: failing('network'),
  elapsedMs: 1,
  ...(report && { report: { ...REPORT, ...report } }),
});

test('what nobody knows the price of has taken its whole share, and what was not begun nothing', () => {
  expect(spentOf(reply({}), 100)).toBe(70);
  expect(spentOf(reply({ costKnown: false }), 100)).toBe(100);
  expect(spentOf(reply({ costKnown: false }), 50)).toBe(70);
  expect(spentOf(reply(), 100)).toBe(0);
});

test('who failed has used tokens, too, and an unknown price is told', () => {
  const voice = {
    name: 'x',
    model: 'x',
    label: 'x',
    letter: 'A',
    stance: 'for',
    part: '',
  } as const;
  const usage = { input: 3, output: 2, cached: 1, reasoning: 1, estimated: false };
  const heard = { voice, first: reply({ usage }), second: reply({ usage, costKnown: false }) };
  expect(usageOf([heard])).toEqual({
    input: 6,
    output: 4,
    cached: 2,
    reasoning: 2,
    cost_usd: 0.00014,
    unpriced: true,
    estimated: true,
  });
  expect(usageOf([{ voice, first: reply({}) }])).toBeUndefined();
});
