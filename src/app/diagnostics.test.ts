import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, afterEach, beforeEach, expect, onTestFinished, test } from 'vitest';
import { loadConfig } from '#config/load/load.ts';
import { notice } from '#core/messages/notices.ts';
import { reason } from '#core/messages/reasons.ts';
import type { Store } from '#core/stores/store.ts';
import { openStore } from '#store/open-store.ts';
import { createFakeClock } from '../../test/fake-clock.ts';
import { makeStoreHome, type StoreHome } from '../../test/stores.ts';
import { createOps, createSerialReads, type OpsParts } from './diagnostics.ts';

describe('ops', () => {
  const TWO = notice('text', { text: 'Two.' });

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

  const CALLER = { principal: 'local', scopes: ['*'], roots: [] };
  const never = () => new Promise<never>(() => undefined);

  function opsOf(more: Partial<OpsParts> = {}, env: Record<string, string> = {}) {
    const root = join(home.dataDir, '..');
    return createOps({
      loaded: loadConfig({ env: { EXAI_HOME: root, ...env } }),
      store,
      storedIn: 'SQLite in a folder',
      calls: () => ({
        list: () => ({
          version: 'v1',
          json: '[]',
          tools: [
            {
              name: 'status',
              title: 'Status',
              description: '',
              inputSchema: {},
              annotations: {
                readOnlyHint: true,
                destructiveHint: false,
                idempotentHint: true,
                openWorldHint: false,
              },
            },
          ],
        }),
        load: () => ({ running: 1, waitingForProvider: 1, waiting: 2, capacity: 24 }),
      }),
      connections: () => 3,
      endpoint: () => undefined,
      listener: () => undefined,
      notices: () => [TWO],
      diagnose: async () => ({ checks: [], summary: 'Fine.', next: 'exai status' }),
      modelDirectory: { providers: () => [] },
      clock: home.clock,
      ...more,
    });
  }

  test('uptime, load, tools and notices are current', () => {
    const ops = opsOf();
    home.clock.advance(5000);
    home.clock.jump(-86_400_000);
    expect(ops.uptimeMs()).toBe(5000);
    expect(ops.load()).toEqual({
      running: 1,
      waitingForProvider: 1,
      waiting: 2,
      capacity: 24,
      connections: 3,
      maxConnections: 2000,
    });
    expect(ops.catalogue(CALLER)).toEqual({ version: 'v1', names: ['status'] });
    expect(ops.notices()).toEqual([TWO]);
  });

  test('providers are reported by name and whether they are configured, never by key', () => {
    const env = { KIMI_API_KEY: 'sk-very-secret-key-1234', CUSTOM_DISCOVER: 'true' };
    const status = { title: '', can: [], configured: true };
    const desk: OpsParts['modelDirectory'] = {
      providers: () => [
        { ...status, id: 'kimi' },
        { ...status, id: 'glm', configured: false },
        // Configured by its address, or discovered on this machine.
        { ...status, id: 'custom' },
      ],
    };
    const providers = opsOf({ modelDirectory: desk }, env).providers();
    const configured = Object.fromEntries(
      providers.map(({ name, configured }) => [name, configured]),
    );
    expect(configured).toMatchObject({ kimi: true, glm: false, openrouter: false, custom: true });
    expect(JSON.stringify(providers)).not.toContain('secret');
  });

  test('the store is checked on request, and else the result is cached for a moment', async () => {
    let asked = 0;
    const health = () => {
      asked += 1;
      return store.health();
    };
    const ops = opsOf({ store: { ...store, health } });
    const known = await ops.store('known');
    expect(known).toEqual({
      ok: true,
      kind: 'sqlite',
      schemaVersion: expect.any(Number),
      name: 'SQLite in a folder',
    });
    await ops.store('known');
    expect(asked).toBe(1);
    await ops.store('ask');
    expect(asked).toBe(2);
    home.clock.advance(10_000);
    await ops.store('known');
    expect(asked).toBe(3);
  });

  test('a store that hangs or fails is a finding, not a failure', async () => {
    const hanging = opsOf({ store: { ...store, health: never } });
    const finding = hanging.store('ask');
    home.clock.advance(2000);
    expect(await finding).toMatchObject({
      ok: false,
      kind: 'sqlite',
      detail: 'It does not answer.',
    });
    const failing = opsOf({ store: { ...store, health: () => Promise.reject(new Error('x')) } });
    expect(await failing.store('ask')).toMatchObject({ ok: false });
  });

  test('calls, breakers and the doctor have time limits', async () => {
    const ops = opsOf({
      store: {
        ...store,
        calls: { ...store.calls, list: never },
        breakers: { ...store.breakers, all: never },
      },
      diagnose: never,
    });
    const waiting = Promise.allSettled([ops.calls({ limit: 1 }), ops.breakers(), ops.diagnose()]);
    home.clock.advance(20_000);
    expect(await waiting).toMatchObject(
      Array.from({ length: 3 }, () => ({ status: 'rejected', reason: { class: 'timeout' } })),
    );
    // The pause between two reads.
    home.clock.advance(0);
    expect(home.clock.waiting).toBe(0);
  });

  test('breakers are reported by their state, whatever version wrote them', async () => {
    await store.breakers.save('kimi/k3', { is: 'open', until: 5 });
    await store.breakers.save('glm/x', null);
    expect((await opsOf().breakers()).toSorted((a, b) => (a.key < b.key ? -1 : 1))).toEqual([
      { key: 'glm/x', state: 'unknown' },
      { key: 'kimi/k3', state: 'open' },
    ]);
  });

  test('a breaker shows why it opened, if the class is known', async () => {
    const trouble = { how: 'at_once', class: 'quota', calls: 0, failures: 0, classes: {} };
    await store.breakers.save('kimi', { is: 'open', leftMs: 5, trips: 1, trouble });
    await store.breakers.save('glm', { is: 'open', trouble: { class: 'constructor' } });
    await store.breakers.save('odd', { is: 7, trouble: 'quota' });
    const findings = (await opsOf().breakers()).toSorted((a, b) => (a.key < b.key ? -1 : 1));
    expect(findings).toEqual([
      { key: 'glm', state: 'open' },
      { key: 'kimi', state: 'open', errorClass: 'quota' },
      { key: 'odd', state: 'unknown' },
    ]);
  });

  test('today’s spending is reported with the remaining budget and the accounts that require payment', async () => {
    const trouble = { how: 'at_once', class: 'billing', calls: 0, failures: 0, classes: {} };
    await store.breakers.save('kimi', { is: 'open', leftMs: 5, trips: 1, trouble });
    const budgets = {
      left: () => ({ leftMicroUsd: 7, reason: reason('shared_budget', { state: 'left' }) }),
    };
    expect(await opsOf({ budgets }).spending(CALLER)).toEqual({
      day: '2026-01-01',
      calls: 0,
      costMicroUsd: 0,
      unpriced: 0,
      estimated: 0,
      budget: {
        leftMicroUsd: 7,
        because: 'The budget that all clients share has something left today',
      },
      exhausted: [{ provider: 'kimi', errorClass: 'billing' }],
    });
    const hanging = opsOf({ store: { ...store, usage: { ...store.usage, totals: never } } });
    const asked = hanging.spending(CALLER);
    home.clock.advance(5000);
    await expect(asked).rejects.toMatchObject({ class: 'timeout' });
  });

  test('the log is read from its end; without one there are no lines', async () => {
    const ops = opsOf();
    expect(await ops.logLines(10)).toEqual([]);
    home.clock.advance(0);
    const logDir = join(home.dataDir, '..', 'logs');
    mkdirSync(logDir, { recursive: true });
    writeFileSync(join(logDir, 'daemon.jsonl'), 'a\nb\nc\n');
    expect(await ops.logLines(2)).toEqual(['b', 'c']);
  });

  test('a probe really checks the store, the audit and the listener', async () => {
    const server = createServer((_, response) => response.end('{}'));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    expect(await opsOf({ listener: () => ({ url }) }).probe()).toMatchObject([
      { what: 'the store', ok: true },
      { what: 'the audit', ok: true },
      { what: 'the listener', ok: true },
    ]);
    const health = async () => ({
      ...(await store.health()),
      ok: false,
      detail: 'The file is gone.',
    });
    const broken = opsOf({
      store: { ...store, health },
      listener: () => ({ url: 'http://127.0.0.1:1' }),
    });
    expect(await broken.probe()).toMatchObject([
      { what: 'the store', ok: false, detail: 'The file is gone.' },
      { what: 'the audit', ok: true },
      { what: 'the listener', ok: false, detail: expect.stringContaining('refused') },
    ]);
  });
});

describe('serial reads', () => {
  test('reads are serialised with a pause between them, and too many are refused with a retry time', async () => {
    const clock = createFakeClock();
    const turns = createSerialReads(clock);
    let reading = 0;
    const read = async () => {
      reading += 1;
      return reading;
    };
    const asked = Array.from({ length: 34 }, () => turns(read));
    await expect(asked[33]).rejects.toMatchObject({ class: 'over_capacity', retryAfterMs: 1000 });
    for (let turn = 1; turn <= 33; turn++) {
      expect(await asked[turn - 1]).toBe(turn);
      await clock.untilWaiting();
      expect(reading).toBe(turn);
      clock.advance(0);
    }
  });

  test('a failed read releases its turn', async () => {
    const clock = createFakeClock();
    const turns = createSerialReads(clock);
    for (let n = 0; n < 5; n++) {
      await expect(turns(() => Promise.reject(new Error('no')))).rejects.toThrow('no');
      clock.advance(0);
    }
    expect(await turns(() => Promise.resolve('yes'))).toBe('yes');
  });
});
