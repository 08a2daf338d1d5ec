import { existsSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { afterEach, describe, expect, inject, test } from 'vitest';
import { systemClock } from '#app/system.ts';
import { openStore, type StoreOptions } from '#store/open-store.ts';
import { openSqlite } from '#store/sqlite/connection.ts';
import { sqliteFile } from '#store/sqlite/file.ts';
import { afterWaiting } from '../after-waiting.ts';
import { recordCall } from '../fixtures/store-content.ts';
import { meddle } from '../old-store.ts';
import { startPostgres, type PostgresServer } from '../postgres.ts';
import { makeStoreHome, type Kind } from '../stores.ts';
import { verifies } from '../verifies.ts';

const ends: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const end of ends.splice(0).toReversed()) await end();
});

async function setUp(kind: Kind, server?: PostgresServer, options: Partial<StoreOptions> = {}) {
  const home = await makeStoreHome(kind, server?.url);
  ends.push(() => home.remove());
  const store = await openStore({ ...home, writerId: 'writer_a', ...options });
  ends.push(() => store.close());
  return { home, store };
}

async function ownServer(): Promise<PostgresServer> {
  const server = await startPostgres();
  ends.push(() => server.stop());
  return server;
}

const COST = {
  attempt: { attempt: 1, at: 1, provider: 'kimi', model: 'kimi-k3', elapsedMs: 5 },
  usage: {
    at: Date.UTC(2026, 0, 1),
    principal: 'owner',
    tool: 'chat',
    provider: 'kimi',
    model: 'kimi-k3',
    input: 10,
    output: 20,
    cached: 0,
    reasoning: 0,
    costMicroUsd: 70,
    priced: true,
    estimated: false,
  },
} as const;

function attemptOf(reqId: string) {
  return { ...COST.attempt, reqId, outcome: 'ok', next: null, vendorRequestId: null } as const;
}

describe('a database file that is gone', () => {
  verifies(
    'store:deleted-database',
    'a write into a deleted file is refused, and the store is known to fail from then on',
    async () => {
      const { home, store } = await setUp('sqlite');
      await recordCall(store, 'req_before');
      expect(store.failure()).toBeUndefined();
      rmSync(sqliteFile(home.dataDir));
      await expect(recordCall(store, 'req_lost')).rejects.toMatchObject({
        class: 'internal',
        message: expect.stringContaining('was deleted, moved or replaced'),
        fixes: [{ kind: 'advice' }, { kind: 'restore_backup' }],
      });
      expect(store.failure()).toMatchObject({ class: 'internal' });
      expect(await store.health()).toMatchObject({ ok: false });
    },
  );

  verifies(
    'store:deleted-database',
    'while a database is away, or an empty file is in its place, reads do not open that, which would remove its log',
    async () => {
      const { home, store } = await setUp('sqlite');
      await recordCall(store, 'req_before');
      const file = sqliteFile(home.dataDir);
      const reads = [
        () => store.conversations.search('ann', 'lamp', 5),
        () => store.verifyAudit(),
        () => store.checkPages(),
      ];
      const expectRefused = async () => {
        for (const read of reads)
          await expect(read()).rejects.toMatchObject({
            message: expect.stringContaining('was deleted, moved or replaced'),
          });
      };
      renameSync(file, `${file}.away`);
      await expectRefused();
      expect(existsSync(file)).toBe(false);
      writeFileSync(file, '');
      await expectRefused();
      renameSync(`${file}.away`, file);
      expect(await store.health()).toMatchObject({ ok: true });
      await recordCall(store, 'req_after');
      // As after a kill: what only the log has is there.
      const rows = openSqlite(file, 'read').all('select req_id from calls order by seq');
      expect(rows.map((row) => row['req_id'])).toEqual(['req_before', 'req_after']);
    },
  );

  test('a file that was replaced by another one is refused as well', async () => {
    const { home, store } = await setUp('sqlite');
    const other = await setUp('sqlite');
    await recordCall(other.store, 'req_other');
    renameSync(sqliteFile(other.home.dataDir), sqliteFile(home.dataDir));
    await expect(recordCall(store, 'req_lost')).rejects.toMatchObject({ class: 'internal' });
  });
});

describe('a database file that another program holds', () => {
  async function setUpHeld(options: Partial<StoreOptions> = {}) {
    const { home, store } = await setUp('sqlite', undefined, options);
    await recordCall(store, 'req_before');
    const other = openSqlite(sqliteFile(home.dataDir), 'write');
    other.exec('begin exclusive');
    ends.push(async () => other.close());
    return { clock: home.clock, store, other };
  }

  verifies(
    'store:held-file',
    'writes are refused as retryable after one wait for all of them, usage is kept, and all is stored when it lets go',
    async () => {
      const { store, other } = await setUpHeld({ clock: systemClock });
      const cost = { reqId: 'req_paid' };
      const all = await Promise.allSettled([
        recordCall(store, 'req_a'),
        recordCall(store, 'req_b'),
        store.settings.set('a', 1),
        store.calls.recordUsage([attemptOf('req_paid')], [{ ...COST.usage, ...cost }]),
      ]);
      expect(all.map((each) => each.status === 'rejected' && each.reason)).toMatchObject([
        { class: 'over_capacity', message: expect.stringContaining('Another program holds') },
        { class: 'over_capacity' },
        { class: 'over_capacity' },
        false,
      ]);
      expect(store.failure()).toMatchObject({ class: 'over_capacity' });
      expect(await store.health()).toMatchObject({ ok: false });
      other.close();
      expect(await store.health()).toMatchObject({ ok: true });
      expect(store.failure()).toBeUndefined();
      await recordCall(store, 'req_after');
      await expect.poll(() => store.calls.attempts('req_paid')).toHaveLength(1);
    },
  );

  verifies(
    'store:held-file',
    'a commit without an answer in time is refused, later ones at once, and it works again after the answer',
    async () => {
      const { clock, store, other } = await setUpHeld();
      await expect(afterWaiting(clock, recordCall(store, 'req_silent'))).rejects.toMatchObject({
        class: 'over_capacity',
        message: expect.stringContaining('does not answer'),
      });
      await expect(recordCall(store, 'req_at_once')).rejects.toMatchObject({
        message: expect.stringContaining('does not answer'),
      });
      expect(store.failure()).toMatchObject({ class: 'over_capacity' });
      other.close();
      await expect.poll(async () => (await store.health()).ok).toBe(true);
      const rows = await store.calls.list({ limit: 10 });
      expect(rows.map(({ reqId }) => reqId)).not.toContain('req_at_once');
      const { chains } = await store.verifyAudit();
      expect(chains.map(({ fault }) => fault)).toEqual([undefined]);
    },
  );
});

describe.runIf(inject('postgresUrl') !== '')('a PostgreSQL server that fails', () => {
  verifies(
    'store:restart-unseen',
    'a restart of the server is not seen by reads, writes and records of calls',
    async () => {
      const server = await ownServer();
      const { home, store } = await setUp('postgres', server);
      await recordCall(store, 'req_before');
      await server.restart();
      // The pool has not noticed yet that its connections are closed.
      const all = Promise.all([
        recordCall(store, 'req_after'),
        store.settings.set('a', 1),
        store.settings.get('a'),
      ]);
      await afterWaiting(home.clock, all);
      expect(await store.calls.list({ limit: 10 })).toHaveLength(2);
      expect(store.failure()).toBeUndefined();
    },
  );

  verifies(
    'store:restart-unseen',
    'backends that are terminated again and again are not seen by reads, writes and records of calls',
    async () => {
      const { home, store } = await setUp('postgres', undefined, { clock: systemClock });
      let isOver = false;
      let number = 0;
      async function work(): Promise<void> {
        while (!isOver) {
          number += 1;
          // The others count on meanwhile. Each attempt has an id of its own, as in a daemon: one with the id of a stored one is
          // not stored again.
          const reqId = `req_${number}`;
          await recordCall(store, reqId);
          await store.settings.set('a', number);
          await store.settings.get('a');
          const second = { ...attemptOf(reqId), attempt: 2 };
          await store.calls.recordUsage([second], [{ ...COST.usage, reqId }]);
        }
      }
      const workers = Array.from({ length: 8 }, () => work());
      const all = Promise.all(workers);
      all.catch(() => undefined);
      for (let times = 0; times < 15; times += 1) {
        const before = number;
        await meddle(
          home,
          'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
        );
        // The work goes on before the next ones.
        await expect.poll(() => number).toBeGreaterThan(before + 8);
      }
      isOver = true;
      await all;
      expect(store.failure()).toBeUndefined();
      await store.health();
      expect(
        new Set((await store.calls.list({ limit: 1_000_000 })).map(({ reqId }) => reqId)).size,
      ).toBe(number);
      const [total] = await store.usage.totals({ fromDay: '2026-01-01', toDay: '2026-01-01' });
      expect(total?.calls).toBe(number);
      const { chains } = await store.verifyAudit();
      expect(chains.map(({ rows, fault }) => ({ rows, fault }))).toEqual([
        { rows: number, fault: undefined },
      ]);
    },
  );

  test('work that begins while the server starts waits for it', async () => {
    const server = await ownServer();
    const { home, store } = await setUp('postgres', server);
    await server.kill();
    const written = store.settings.set('a', 1);
    written.catch(() => undefined);
    await home.clock.untilWaiting();
    await server.start();
    await afterWaiting(home.clock, written);
    expect(await store.settings.get('a')).toBe(1);
  });

  verifies(
    'store:frozen',
    'a server that stands still fails every operation within its limit, and is used again later',
    async () => {
      const server = await ownServer();
      const { store } = await setUp('postgres', server, { statementMs: 300 });
      await recordCall(store, 'req_before');
      server.freeze();
      const operations = [
        recordCall(store, 'req_during'),
        store.settings.get('a'),
        store.settings.set('a', 1),
        store.calls.list({ limit: 1 }),
      ];
      const outcomes = await Promise.allSettled(operations);
      expect(outcomes).toEqual(
        outcomes.map(() => ({
          status: 'rejected',
          reason: expect.objectContaining({ class: 'network' }),
        })),
      );
      expect(store.failure()).toMatchObject({ class: 'network' });
      server.thaw();
      await expect.poll(() => store.health()).toMatchObject({ ok: true });
      expect(store.failure()).toBeUndefined();
      await recordCall(store, 'req_after');
      expect((await store.verifyAudit()).chains).toMatchObject([{ rows: 2 }]);
    },
  );

  test('a server that became read-only is a failure that a retry can cure', async () => {
    const { home, store } = await setUp('postgres');
    await meddle(
      home,
      `alter database ${new URL(home.database).pathname.slice(1)} set default_transaction_read_only = on`,
    );
    await meddle(
      home,
      'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
    );
    await expect(afterWaiting(home.clock, recordCall(store, 'req_1'))).rejects.toMatchObject({
      class: 'network',
      message: expect.stringContaining('is read-only'),
    });
    expect(await store.health()).toMatchObject({ ok: false });
  });

  verifies(
    'store:usage-kept',
    'usage that cannot be stored is stored once when the server is back',
    async () => {
      const server = await ownServer();
      const { home, store } = await setUp('postgres', server);
      await server.kill();
      const failed = Array.from({ length: 3 }, (_, index) => {
        const reqId = `req_${index}`;
        return store.calls.recordUsage([attemptOf(reqId)], [{ ...COST.usage, reqId }]);
      });
      await afterWaiting(home.clock, Promise.all(failed));
      expect(home.log.lines.map(({ event }) => event)).toContain('usage_kept_in_memory');
      await server.start();
      expect(await store.health()).toMatchObject({ ok: true });
      expect(await store.health()).toMatchObject({ ok: true });
      const [total] = await store.usage.totals({ fromDay: '2026-01-01', toDay: '2026-01-01' });
      expect(total).toMatchObject({ calls: 3, input: 30, output: 60, costMicroUsd: 210 });
    },
  );
});
