import { afterEach, beforeEach, expect, test } from 'vitest';
import type { UsageRecord } from '#core/stores/calls.ts';
import type { Store } from '#core/stores/store.ts';
import { USAGE_METHODS, type UsageReport } from '#core/diagnostics/usage-report.ts';
import { DAY_MS } from '#core/time/utc-day.ts';
import { reason } from '#core/messages/reasons.ts';
import { openStore } from '#store/open-store.ts';
import { makeStoreHome, type StoreHome } from '../../../test/stores.ts';
import { findSpending, type SpendingParts } from '../diagnostics.ts';
import { usageFeature } from './usage.ts';
import { verifies } from '../../../test/verifies.ts';

let home: StoreHome;
let store: Store;

beforeEach(async () => {
  home = await makeStoreHome('sqlite');
  store = await openStore({ ...home, writerId: 'writer_test' });
  const used: Partial<UsageRecord>[] = [
    { principal: 'local', tool: 'chat', model: 'kimi-k3', costMicroUsd: 12_300 },
    { principal: 'laptop', tool: 'chat', model: 'kimi-k3', costMicroUsd: 700, estimated: true },
    { principal: 'laptop', tool: 'web', provider: 'glm', model: 'glm-5.3', costMicroUsd: 5000 },
    { principal: 'laptop', tool: 'web', provider: 'custom', model: 'mine', priced: false },
    { principal: 'old', tool: 'chat', model: 'kimi-k3', at: home.clock.now() - DAY_MS },
  ];
  await store.calls.recordUsage([], used.map(usageOf));
});

afterEach(async () => {
  await store.close();
  await home.remove();
});

function usageOf(more: Partial<UsageRecord>): UsageRecord {
  return {
    reqId: 'req_1',
    at: home.clock.now(),
    principal: 'local',
    tool: 'chat',
    provider: 'kimi',
    model: 'm',
    input: 100,
    output: 10,
    cached: 50,
    reasoning: 5,
    costMicroUsd: 0,
    priced: true,
    estimated: false,
    ...more,
  };
}

function partsOf(more: Partial<SpendingParts> = {}): SpendingParts {
  const breakers = async () => [];
  return { usage: store.usage, breakers, budgets: undefined, clock: home.clock, ...more };
}

async function report(params: unknown): Promise<UsageReport> {
  const { adminMethods } = usageFeature({
    store,
    ops: { spending: (caller) => findSpending(caller, partsOf()) },
  });
  return (await adminMethods?.[USAGE_METHODS.report]?.(params)) as UsageReport;
}

const [DAY, BEFORE] = ['2026-01-01', '2025-12-31'];

verifies('usage:shown', 'usage is grouped as requested, with the sum of all rows', async () => {
  const byModel = await report({ by: 'model', fromDay: DAY, toDay: DAY });
  expect(byModel.rows).toMatchObject([
    { name: 'kimi-k3', provider: 'kimi', calls: 2, costMicroUsd: 13_000, estimated: 1 },
    { name: 'glm-5.3', provider: 'glm', calls: 1, costMicroUsd: 5000 },
    { name: 'mine', provider: 'custom', calls: 1, costMicroUsd: 0, unpriced: 1 },
  ]);
  expect(byModel).toMatchObject({
    by: 'model',
    fromDay: DAY,
    total: {
      calls: 4,
      input: 400,
      output: 40,
      cached: 200,
      reasoning: 20,
      costMicroUsd: 18_000,
      unpriced: 1,
      estimated: 1,
    },
  });
  const names = async (by: string) =>
    (await report({ by, fromDay: BEFORE, toDay: DAY })).rows.map(({ name }) => name);
  const { rows: clients } = await report({ by: 'client', fromDay: BEFORE, toDay: DAY });
  expect(clients.map(({ name, principal }) => [name, principal])).toEqual([
    ['', 'local'],
    ['', 'laptop'],
    ['', 'old'],
  ]);
  expect(await names('tool')).toEqual(['chat', 'web']);
  expect(await names('day')).toEqual([BEFORE, DAY]);
  expect(await report({ by: 'day', fromDay: '2020-01-01', toDay: '2020-02-01' })).toMatchObject({
    rows: [],
    total: { calls: 0, costMicroUsd: 0 },
  });
});

test.each([
  { what: 'nothing', params: undefined },
  { what: 'a list', params: [] },
  {
    what: 'another group',
    params: { by: 'principal; drop table usage', fromDay: DAY, toDay: DAY },
  },
  { what: 'a name of every object', params: { by: 'constructor', fromDay: DAY, toDay: DAY } },
  { what: 'a day that is none', params: { by: 'day', fromDay: '2026-02-30', toDay: DAY } },
  { what: 'a very long day', params: { by: 'day', fromDay: '9'.repeat(1e6), toDay: DAY } },
  { what: 'a number', params: { by: 'day', fromDay: 1, toDay: DAY } },
  { what: 'an end before the start', params: { by: 'day', fromDay: DAY, toDay: BEFORE } },
  { what: 'more than it takes', params: { by: 'day', fromDay: DAY, toDay: DAY, principal: 'x' } },
])('params that are $what are refused with an explanation', async ({ params }) => {
  await expect(report(params)).rejects.toMatchObject({ class: 'validation' });
});

verifies(
  'usage:shown',
  'the owner sees the spending of all clients today, a client only its own',
  async () => {
    expect(await findSpending({ principal: 'local' }, partsOf())).toEqual({
      day: DAY,
      calls: 4,
      costMicroUsd: 18_000,
      unpriced: 1,
      estimated: 1,
      exhausted: [],
    });
    const left = (principal: string) => ({
      leftMicroUsd: 5,
      reason: reason('text', { text: `${principal} has little` }),
    });
    expect(
      await findSpending({ principal: 'laptop' }, partsOf({ budgets: { left } })),
    ).toMatchObject({
      calls: 3,
      costMicroUsd: 5700,
      budget: { leftMicroUsd: 5, because: 'laptop has little' },
    });
    expect(await findSpending({ principal: 'nobody' }, partsOf())).toMatchObject({ calls: 0 });
  },
);

test('only an account that requires payment is reported as exhausted', async () => {
  const breakers: SpendingParts['breakers'] = async () => [
    { key: 'kimi', state: 'open', errorClass: 'quota' },
    { key: 'glm', state: 'half_open', errorClass: 'billing' },
    { key: 'openrouter', state: 'open', errorClass: 'auth' },
    { key: 'custom', state: 'closed', errorClass: 'billing' },
    { key: 'kimi/kimi-k3', state: 'open', errorClass: 'quota' },
    { key: 'local', state: 'open' },
  ];
  const { exhausted } = await findSpending({ principal: 'laptop' }, partsOf({ breakers }));
  expect(exhausted).toEqual([
    { provider: 'kimi', errorClass: 'quota' },
    { provider: 'glm', errorClass: 'billing' },
  ]);
});
