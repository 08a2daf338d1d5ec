import { expect, test } from 'vitest';
import { CallError } from '#core/errors/call-error.ts';
import type { Diagnostics, SpendingFinding } from '#core/diagnostics/diagnostics.ts';
import type { ToolResult, ToolContext } from '#core/tools/tool.ts';
import { status } from '../status.ts';
import { spendingContent, SpendingShape, renderSpending } from './spending.ts';

const NOTHING: SpendingFinding = {
  day: '2026-01-31',
  calls: 0,
  costMicroUsd: 0,
  unpriced: 0,
  estimated: 0,
  exhausted: [],
};

test('a day without requests, limits and exhausted accounts renders nothing', () => {
  expect(renderSpending(NOTHING)).toEqual([]);
  expect(spendingContent(NOTHING)).toEqual({
    day: '2026-01-31',
    requests: 0,
    cost_usd: 0,
    unpriced: 0,
    estimated: 0,
  });
});

test('cost, budget and balance have a short line each', () => {
  const spending: SpendingFinding = {
    ...NOTHING,
    calls: 5,
    costMicroUsd: 12_300,
    unpriced: 1,
    estimated: 2,
    budget: {
      leftMicroUsd: 487_700,
      because: 'laptop has spent $0.0123 of $0.50 today (budget.clientDailyUsd)',
    },
    exhausted: [
      { provider: 'kimi', errorClass: 'quota' },
      { provider: 'glm', errorClass: 'billing' },
    ],
  };
  expect(renderSpending(spending)).toEqual([
    'Today: $0.0123 for 5 requests to models, 1 of them without a known price, 2 of them estimated',
    'Budget: $0.4877 left; laptop has spent $0.0123 of $0.50 today (budget.clientDailyUsd)',
    'Balance: used up at kimi (quota), glm (billing)',
  ]);
  const content = spendingContent(spending);
  expect(content).toMatchObject({
    cost_usd: 0.0123,
    left_usd: 0.4877,
    exhausted: [{ provider: 'kimi', error_class: 'quota' }, { provider: 'glm' }],
  });
  expect(SpendingShape.safeParse(content).success).toBe(true);
});

test('a request without a price is shown as unpriced', () => {
  expect(renderSpending({ ...NOTHING, calls: 1, unpriced: 1 })).toEqual([
    'Today: $0.00 for 1 request to models, without a known price',
  ]);
});

/** The output of the tool `status` for this spending. */
async function statusFor(
  principal: string,
  spending: Diagnostics['spending'],
  gateway?: string,
): Promise<ToolResult> {
  const load = { running: 0, waitingForProvider: 0, waiting: 0, capacity: 1 };
  const finding = { ok: true, kind: 'sqlite', schemaVersion: 1, name: 'SQLite' } as const;
  const ops: Partial<Diagnostics> = {
    build: { version: '1.2.3', node: '', platform: '', schema: 1, protocols: [] },
    uptimeMs: () => 0,
    endpoint: () => undefined,
    gateway: () => gateway,
    load: () => ({ ...load, connections: 0, maxConnections: 1 }),
    catalogue: () => ({ version: 'abc', names: [] }),
    store: async () => finding,
    providers: () => [],
    notices: () => [],
    spending,
  };
  const tool = status(ops as Diagnostics);
  const context = { caller: { principal, scopes: ['*'], roots: [] } } as Partial<ToolContext>;
  return (await tool.run(tool.parse({ tail_lines: 0 }), context as ToolContext)) as ToolResult;
}

test('status shows what the caller spent today, and omits it when unknown', async () => {
  const spending: Diagnostics['spending'] = async ({ principal }) => ({
    ...NOTHING,
    calls: 3,
    costMicroUsd: principal === 'local' ? 12_300 : 400,
    exhausted: [{ provider: 'kimi', errorClass: 'quota' }],
  });
  const { text } = await statusFor('local', spending);
  expect(text).toContain(
    '\nToday: $0.0123 for 3 requests to models\nBalance: used up at kimi (quota)\n',
  );
  expect((await statusFor('laptop', spending)).content).toMatchObject({
    today: { requests: 3, cost_usd: 0.0004, exhausted: [{ provider: 'kimi' }] },
  });
  const lost = () => Promise.reject(new CallError('network', 'It is gone.'));
  const without = await statusFor('local', lost);
  expect(without.text).not.toContain('Today');
  expect(without.content).not.toHaveProperty('today');
});

test('status says where the gateway is, and nothing of one that is switched off', async () => {
  const { text, content } = await statusFor('local', async () => NOTHING);
  expect(text).not.toContain('Gateway');
  expect(content).not.toHaveProperty('gateway');
  const on = await statusFor('local', async () => NOTHING, 'http://127.0.0.1:8765/v1');
  expect(on.content).toMatchObject({ gateway: 'http://127.0.0.1:8765/v1' });
});
