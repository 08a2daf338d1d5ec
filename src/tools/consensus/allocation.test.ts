import { expect, test } from 'vitest';
import type { AskReport } from '#core/llm/ask.ts';
import { failing } from './consensus.fixture.ts';
import type { PanelistReply } from './result.ts';
import { chargedMicroUsd, totalUsage } from './allocation.ts';

const REPORT: AskReport = {
  reasons: [],
  attempts: [],
  notices: [],
  costMicroUsd: 70,
  costKnown: true,
  quality: 'full',
};
const reply = (report?: Partial<AskReport>): PanelistReply => ({
  is: 'failed',
  error: failing('network'),
  elapsedMs: 1,
  ...(report && { report: { ...REPORT, ...report } }),
});

test('an unpriced request uses its whole share, and one that never started nothing', () => {
  expect(chargedMicroUsd(reply({}), 100)).toBe(70);
  expect(chargedMicroUsd(reply({ costKnown: false }), 100)).toBe(100);
  expect(chargedMicroUsd(reply({ costKnown: false }), 50)).toBe(70);
  expect(chargedMicroUsd(reply(), 100)).toBe(0);
});

test('a failed request counts its tokens, too, and an unknown price is marked', () => {
  const panelist = {
    name: 'x',
    model: 'x',
    label: 'x',
    letter: 'A',
    stance: 'for',
    stancePrompt: '',
  } as const;
  const usage = { input: 3, output: 2, cached: 1, reasoning: 1, estimated: false };
  const heard = { panelist, first: reply({ usage }), second: reply({ usage, costKnown: false }) };
  expect(totalUsage([heard])).toEqual({
    input: 6,
    output: 4,
    cached: 2,
    reasoning: 2,
    cost_usd: 0.00014,
    unpriced: true,
    estimated: true,
  });
  expect(totalUsage([{ panelist, first: reply({}) }])).toBeUndefined();
});
