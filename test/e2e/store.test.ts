import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { expect, inject, onTestFinished } from 'vitest';
import { systemClock } from '#app/system.ts';
import { openStore } from '#store/open-store.ts';
import { openSqlite } from '#store/sqlite/connection.ts';
import { fillStore, readBack } from '../fixtures/store-content.ts';
import { startPostgres } from '../postgres.ts';
import { createListLog } from '../list-log.ts';
import { makeStoreHome } from '../stores.ts';
import { verifies } from '../verifies.ts';
import { createHome } from './exai.ts';
import { get } from '../http-get.ts';

const openAt = (dataDir: string, database = '') =>
  openStore({
    database,
    dataDir,
    backupDir: `${dataDir}/../backups`,
    writerId: 'writer_test',
    clock: systemClock,
    log: createListLog(),
  });

async function filledHome() {
  const home = createHome();
  const store = await openAt(home.path('data'));
  await fillStore(store);
  const content = await readBack(store);
  await store.close();
  return { ...home, content };
}

verifies(
  'store:backup',
  'a backup made beside a running daemon brings a lost database back',
  async () => {
    const { path, exai, serve, content } = await filledHome();
    const daemon = await serve();
    const backup = await exai(['backup', '--json']);
    expect(backup.code).toBe(0);
    const { file, rows } = JSON.parse(backup.stdout) as { file: string; rows: number };
    expect(rows).toBeGreaterThan(10);

    const tooEarly = await exai(['restore', file]);
    expect(tooEarly.code).toBe(7);
    expect(tooEarly.stderr).toContain('exai stop');
    daemon.kill('SIGTERM');
    await daemon.ended;

    writeFileSync(
      path('data', 'exai.db'),
      'not a database at all, but long enough to be looked at'.repeat(99),
    );
    const refused = await exai(['serve', '--port', '0']);
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain('is damaged');
    expect(refused.stderr).toContain('exai restore');

    const restored = await exai(['restore', file]);
    expect(restored).toMatchObject({ code: 0, stderr: '' });
    expect(restored.stdout).toContain(`Restored ${rows} rows`);
    expect(readdirSync(path('data')).some((name) => name.startsWith('exai.db.replaced-'))).toBe(
      true,
    );
    const store = await openAt(path('data'));
    const { calls, audit, ...rest } = await readBack(store);
    const { calls: savedCalls, audit: savedAudit, ...saved } = content;
    expect(rest).toEqual(saved);
    // The restore leaves an audit row, in the chain of this home.
    expect(calls.filter(({ tool }) => tool !== 'store_restore')).toEqual(savedCalls);
    expect(calls).toHaveLength(savedCalls.length + 1);
    expect(audit.chains).toEqual(expect.arrayContaining([...savedAudit.chains]));
    await store.close();
    const verified = await exai(['audit', 'verify', '--json']);
    expect(JSON.parse(verified.stdout)).toMatchObject({ ok: true });
  },
);

verifies('store:backup', 'a restore of something else is refused and changes nothing', async () => {
  const { path, exai } = await filledHome();
  const before = readFileSync(path('data', 'exai.db'));
  writeFileSync(path('other'), 'hello');
  const refused = await exai(['restore', path('other'), '--json']);
  expect(refused.code).toBe(3);
  expect(JSON.parse(refused.stdout)).toMatchObject({ error: { class: 'validation' } });
  expect((await exai(['restore', path('nowhere')])).code).toBe(6);
  expect((await exai(['restore'])).code).not.toBe(0);
  expect(readFileSync(path('data', 'exai.db')).equals(before)).toBe(true);
});

verifies(
  'audit:verify',
  'exai audit verify tells a whole audit from one that was meddled with',
  async () => {
    const { path, exai } = await filledHome();
    const whole = await exai(['audit', 'verify']);
    expect(whole.code).toBe(0);
    expect(whole.stdout).toMatch(
      /^writer_test: 5 rows, up to 5; checked by links alone, as its key is not in this home [0-9a-f]{64}\nNo fault found: 5 rows checked in 1 chain; 1 chain not proven by a key of this home\.\n$/,
    );

    const db = openSqlite(path('data', 'exai.db'), 'write');
    db.exec(`update calls set principal = 'somebody else' where seq = 2`);
    db.close();
    const broken = await exai(['audit', 'verify']);
    expect(broken.code).toBe(1);
    expect(broken.stdout).toContain('Broken: writer_test: row 2 was changed');
    const json = await exai(['audit', 'verify', '--json']);
    expect(JSON.parse(json.stdout)).toMatchObject({ ok: false, chains: [{ fault: { seq: 2 } }] });
  },
);

verifies(
  'audit:verify',
  'without a database there is nothing to verify or to back up',
  async () => {
    const { path, exai } = createHome();
    expect((await exai(['audit', 'verify'])).code).toBe(6);
    const none = await exai(['backup']);
    expect(none.code).toBe(6);
    expect(none.stderr).toContain('There is no database yet.');
    expect(existsSync(path('data', 'exai.db'))).toBe(false);
  },
);

verifies(
  'store:disk-full',
  'a home whose data folder is a file is refused with words',
  async () => {
    const { path, exai } = createHome();
    mkdirSync(path('logs'));
    writeFileSync(path('data'), '');
    const refused = await exai(['serve', '--port', '0']);
    expect(refused.code).not.toBe(0);
    expect(refused.stderr).toContain(path('data'));
  },
);

if (inject('postgresUrl') !== '') {
  verifies(
    'store:postgres-down',
    'a daemon whose PostgreSQL goes away says so and recovers',
    async () => {
      const server = await startPostgres();
      onTestFinished(() => server.stop());
      const store = await makeStoreHome('postgres', server.url);
      const { exai, serve } = createHome();
      const env = { EXAI_DATABASE_URL: store.database };
      const daemon = await serve([], { env });
      expect((await get(`${daemon.url}/readyz`)).status).toBe(200);

      await server.kill();
      const down = await get(`${daemon.url}/readyz`);
      expect(down.status).toBe(503);
      expect(down.body).toContain('PostgreSQL');
      expect((await get(`${daemon.url}/healthz`)).status).toBe(200);

      await server.start();
      expect((await get(`${daemon.url}/readyz`)).status).toBe(200);
      const doctor = await exai(['doctor'], { env });
      expect(doctor.stdout).toContain('postgres');
      daemon.kill('SIGTERM');
      expect((await daemon.ended).code).toBe(0);
    },
  );

  verifies(
    'store:backup',
    'a backup of another store than the running daemon keeps is refused',
    async () => {
      const store = await makeStoreHome('postgres');
      onTestFinished(() => store.remove());
      const { exai, serve } = await filledHome();
      const daemon = await serve([], { env: { EXAI_DATABASE_URL: store.database } });
      for (const command of [['backup'], ['audit', 'verify']]) {
        const refused = await exai(command);
        expect(refused.code).toBe(7);
        expect(refused.stderr).toMatch(
          /keeps its data in PostgreSQL at .*; the settings here name SQLite/,
        );
      }
      daemon.kill('SIGTERM');
      await daemon.ended;
    },
  );

  verifies('store:postgres-down', 'a daemon whose PostgreSQL is down does not start', async () => {
    const { exai } = createHome();
    const env = { EXAI_DATABASE_URL: 'postgres://me:hidden-word@127.0.0.1:9/x' };
    const refused = await exai(['serve', '--port', '0'], { env });
    expect(refused.code).toBe(16);
    expect(refused.stderr).toContain('PostgreSQL at 127.0.0.1:9/x cannot be reached');
    expect(refused.stderr + refused.stdout).not.toContain('hidden-word');
  });
}
