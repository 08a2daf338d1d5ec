import { describe, expect, test } from 'vitest';
import type { SpendingFinding } from '#core/diagnostics/diagnostics.ts';
import type { UsageFilter, UsageSum } from '#core/stores/usage.ts';
import { ANN, contextOf } from '../prompts/prompts.fixture.ts';
import { logsResource } from './logs.ts';
import { usageResource } from './usage.ts';

const TODAY: SpendingFinding = {
  day: '2026-02-17',
  calls: 2,
  costMicroUsd: 1_500_000,
  unpriced: 0,
  estimated: 1,
  budget: { leftMicroUsd: 500_000, because: 'the daily limit' },
  exhausted: [],
};
const OWNER = { ...ANN, principal: 'local' };

const sum = (n: number): UsageSum => ({
  name: `model-${n}`,
  provider: 'kimi',
  calls: 1,
  input: 10,
  output: 5,
  cached: 2,
  reasoning: 1,
  costMicroUsd: 250_000,
  unpriced: 0,
  estimated: 0,
});

async function read(rows: readonly UsageSum[], caller = ANN) {
  const asked: unknown[] = [];
  const resource = usageResource({
    ops: {
      async spending({ principal }) {
        asked.push(principal);
        return TODAY;
      },
    },
    usage: {
      async sums(by, filter: UsageFilter) {
        asked.push(by, filter);
        return [...rows];
      },
    },
  });
  const contents = await resource.read(contextOf(caller));
  const [only] = 'inputRequests' in contents ? [] : contents;
  if (!only || !('text' in only)) throw new Error('not one text');
  return { asked, told: JSON.parse(only.text) as Record<string, unknown> };
}

describe('exai://usage', () => {
  test('has today and this month, of a client its own', async () => {
    const { asked, told } = await read([sum(1), sum(2)]);
    const days = { fromDay: '2026-02-01', toDay: '2026-02-17' };
    expect(asked).toEqual(['ann', 'model', { principal: 'ann', ...days }]);
    const amounts = (of: number) => ({
      requests: of,
      input: 10 * of,
      output: 5 * of,
      cached: 2 * of,
      reasoning: of,
      cost_usd: 0.25 * of,
      unpriced: 0,
      estimated: 0,
    });
    expect(told).toEqual({
      of: 'you',
      today: {
        day: '2026-02-17',
        requests: 2,
        cost_usd: 1.5,
        unpriced: 0,
        estimated: 1,
        left_usd: 0.5,
      },
      month: {
        from: '2026-02-01',
        to: '2026-02-17',
        ...amounts(2),
        models: [
          { model: 'model-1', provider: 'kimi', ...amounts(1) },
          { model: 'model-2', provider: 'kimi', ...amounts(1) },
        ],
      },
    });
  });

  test('has everybody’s for the owner, and many models in bounds', async () => {
    const { asked, told } = await read(
      Array.from({ length: 500 }, (_, n) => sum(n)),
      OWNER,
    );
    expect(asked[2]).not.toHaveProperty('principal');
    expect(told).toMatchObject({ of: 'everybody', month: { requests: 500, cost_usd: 125 } });
    const { models } = told['month'] as { models: object[] };
    expect(models).toHaveLength(21);
    expect(models.at(-1)).toMatchObject({ others: 480, requests: 480 });
  });
});

describe('exai://logs', () => {
  const readLogs = async (lines: readonly string[], caller = OWNER) => {
    let wanted = 0;
    const resource = logsResource({
      async logLines(count) {
        wanted = count;
        return lines;
      },
    });
    const contents = await resource.read(contextOf(caller));
    const [only] = 'inputRequests' in contents ? [] : contents;
    if (!only || !('text' in only)) throw new Error('not one text');
    return { wanted, text: only.text };
  };

  test('has the last lines as they are stored', async () => {
    const lines = ['{"event":"a"}', '{"event":"b"}'];
    expect(await readLogs(lines)).toEqual({ wanted: 200, text: lines.join('\n') });
    expect(await readLogs([])).toMatchObject({ text: '' });
  });

  test('has whole lines, the newest, and no more than a client can take', async () => {
    const lines = Array.from({ length: 200 }, (_, n) => `${n} ${'x'.repeat(10_000)}`);
    const shown = (await readLogs(lines)).text.split('\n');
    expect(shown).toEqual(lines.slice(-shown.length));
    expect(shown.join('\n').length).toBeLessThan(200_000);
    const [huge = ''] = (await readLogs(['small', 'y'.repeat(500_000)])).text.split('\n');
    expect(huge).toHaveLength(500_000);
  });

  test('is for the owner only, whatever tools a client may use', async () => {
    await expect(readLogs(['secret'], ANN)).rejects.toMatchObject({ class: 'permission' });
  });
});
