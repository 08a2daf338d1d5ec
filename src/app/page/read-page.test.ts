import { afterEach, beforeEach, expect, test } from 'vitest';
import type { BreakerFinding } from '#core/diagnostics/diagnostics.ts';
import { CallError } from '#core/errors/call-error.ts';
import { notice } from '#core/messages/notices.ts';
import type { CallRecord } from '#core/stores/calls.ts';
import type { Store } from '#core/stores/store.ts';
import { openStore } from '#store/open-store.ts';
import { createListLog } from '../../../test/list-log.ts';
import { makeStoreHome, type StoreHome } from '../../../test/stores.ts';
import { OPS_BUILD } from '../diagnostics.ts';
import { createPageReader, type PageReaderOptions } from './read-page.ts';

let home: StoreHome;
let store: Store;

beforeEach(async () => {
  home = await makeStoreHome('sqlite');
  store = await openStore({ ...home, writerId: 'writer_test' });
});

afterEach(async () => {
  await store.close();
  await home.remove();
});

const BREAKERS: BreakerFinding[] = [
  { key: 'kimi', state: 'closed' },
  { key: 'kimi/kimi-k3', state: 'open', because: 'too many failures' },
  { key: 'glm', state: 'half_open', errorClass: 'auth' },
  { key: 'kimi-other', state: 'open' },
];

function setUp(ops: Partial<PageReaderOptions['ops']> = {}) {
  const log = createListLog();
  const config = { timezone: 'Australia/Melbourne' };
  const read = createPageReader({
    loaded: { config } as PageReaderOptions['loaded'],
    store,
    modelDirectory: {
      providers: () => [
        { id: 'openrouter', title: 'OpenRouter', configured: false, can: [], fix: 'do this' },
      ],
    },
    ops: {
      build: OPS_BUILD,
      uptimeMs: () => 61_500,
      endpoint: () => 'http://0.0.0.0:8765',
      gateway: () => 'http://0.0.0.0:8765/v1',
      providers: () => [
        { name: 'kimi', title: 'Kimi', configured: true },
        { name: 'glm', title: 'GLM', configured: true },
        { name: 'openrouter', title: 'OpenRouter', configured: false },
      ],
      breakers: async () => BREAKERS,
      spending: async () => ({
        day: new Date(home.clock.now()).toISOString().slice(0, 10),
        calls: 2,
        costMicroUsd: 40,
        unpriced: 1,
        estimated: 0,
        budget: { leftMicroUsd: 500_000, because: 'the day has a limit' },
        exhausted: [{ provider: 'glm', errorClass: 'quota' }],
      }),
      calls: (filter) => store.calls.list(filter),
      notices: () => [notice('token_generated', { file: '/home/.env' })],
      ...ops,
    },
    clock: home.clock,
    log,
  });
  return { read, log, config };
}

function callOf(reqId: string, more: Partial<CallRecord> = {}): CallRecord {
  const metadata = {
    timestamp_utc: '2025-10-10T00:05:49.000Z',
    timestamp_local: '2025-10-10 11:05:49 AEDT',
    timezone: 'Australia/Melbourne',
  };
  return {
    reqId,
    at: home.clock.now(),
    principal: 'local',
    agent: null,
    door: 'http',
    tool: 'chat',
    status: 'success',
    errorClass: null,
    argsSha256: '0'.repeat(64),
    elapsedMs: 120,
    metadata,
    ...more,
  };
}

test('the page has address, providers with their breakers, usage and notices', async () => {
  const at = home.clock.now();
  const about = { at, principal: 'laptop', tool: 'chat', cached: 0, reasoning: 0 };
  const used = { ...about, provider: 'glm', model: 'glm-5.3', input: 70, output: 3 };
  const usage = { ...used, reqId: 'req_1', costMicroUsd: 40, priced: true, estimated: false };
  await store.calls.recordUsage([], [usage, { ...usage, reqId: 'req_2', input: 30 }]);
  const data = await setUp().read();
  expect(data).toMatchObject({
    uptimeS: 61,
    url: 'http://127.0.0.1:8765',
    gateway: 'on',
    notices: [expect.stringContaining('/home/.env')],
    calls: [],
  });
  expect(data.readAt).toMatch(/ AE[DS]T$/);
  expect(data.providers).toEqual([
    { title: 'Kimi', isSetUp: true, breaker: 'closed', details: ['too many failures'] },
    { title: 'GLM', isSetUp: true, breaker: 'half_open', details: ['glm is half_open'] },
    { title: 'OpenRouter', isSetUp: false, breaker: 'closed', details: ['do this'] },
  ]);
  expect(data.today).toMatchObject({ inputTokens: 100, outputTokens: 6, costMicroUsd: 40 });
  expect(data.today?.remarks).toEqual([
    '1 of the requests without a known price.',
    '$0.50 left; the day has a limit',
    'Balance used up at glm (quota).',
  ]);
});

test('calls have their clients, models in the order of the attempts, and cost', async () => {
  const at = home.clock.now();
  const attempt = { at, elapsedMs: 5, next: null, vendorRequestId: null };
  const asked = { principal: 'local', tool: 'chat', input: 1, output: 1, cached: 0, reasoning: 0 };
  const cost = { ...asked, at, costMicroUsd: 25, estimated: false };
  await store.calls.record(callOf('req_quoted', { at: at - 3, status: 'degraded' }));
  await store.calls.record(callOf('req_bad', { at: at - 2, status: 'error', errorClass: 'auth' }));
  await store.calls.record(
    callOf('req_unpriced', { at: at - 1, clientInfo: { name: 'codex' } }),
    [],
    [{ ...cost, reqId: 'req_unpriced', provider: 'custom', model: 'mine', priced: false }],
  );
  await store.calls.record(
    callOf('req_paid', { principal: 'laptop#2', agent: 'helper', at }),
    [
      { ...attempt, reqId: 'req_paid', attempt: 1, provider: 'kimi', model: 'k', outcome: 'auth' },
      { ...attempt, reqId: 'req_paid', attempt: 2, provider: 'glm', model: 'g', outcome: 'ok' },
    ],
    [{ ...cost, reqId: 'req_paid', provider: 'glm', model: 'g', priced: true }],
  );
  const { calls } = await setUp().read();
  expect(
    calls?.map(({ client, models, outcome, result, costMicroUsd }) => [
      client,
      models,
      outcome,
      result,
      costMicroUsd,
    ]),
  ).toEqual([
    ['helper (laptop)', ['kimi/k', 'glm/g'], 'ok', 'ok', 25],
    ['codex (owner)', ['custom/mine'], 'ok', 'ok', undefined],
    ['owner', [], 'auth', 'failed', undefined],
    ['owner', [], 'degraded', 'degraded', undefined],
  ]);
});

test('settings that were changed are not among the calls, however many there were', async () => {
  const at = home.clock.now();
  await store.calls.record(callOf('req_asked', { at: at - 1 }));
  for (let each = 0; each < 25; each += 1)
    await store.calls.record(callOf(`req_${each}`, { at, tool: 'config_reload:tools.profile' }));
  const { calls } = await setUp().read();
  expect(calls?.map(({ tool }) => tool)).toEqual(['chat']);
});

test('parts that fail are left out, logged, and the rest is there', async () => {
  const fails = () => Promise.reject(new CallError('network', 'The store is away.'));
  const { read, log } = setUp({ breakers: fails, spending: fails, calls: fails });
  const data = await read();
  expect([data.today, data.calls]).toEqual([undefined, undefined]);
  expect(data.providers[0]).toMatchObject({ breaker: 'unknown', details: [] });
  expect(log.lines.filter(({ event }) => event === 'page_part_not_read')).toHaveLength(3);
});

test('requests within a second share one reading', async () => {
  let reads = 0;
  const { read } = setUp({ calls: async () => ((reads += 1), []) });
  await Promise.all([read(), read(), read()]);
  expect(reads).toBe(1);
});

test('times are in the zone that is set at the moment, also after a reload', async () => {
  const { read, config } = setUp();
  expect((await read()).readAt).toMatch(/ AE[DS]T$/);
  config.timezone = 'UTC';
  home.clock.advance(1000);
  expect((await read()).readAt).toMatch(/ UTC$/);
});
