import { spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, inject, test } from 'vitest';
import { CallError } from '#core/errors/call-error.ts';
import type { Migration } from '#store/migrations/migrate.ts';
import { MIGRATIONS } from '#store/migrations/migrations.ts';
import {
  backUpStore,
  restoreStore,
  storeSchema,
  verifyStoreAudit,
} from '#store/backup/maintenance.ts';
import { openStore } from '#store/open-store.ts';
import { acquireProcessLock } from '#store/sqlite/process-lock.ts';
import { openSqlite } from '#store/sqlite/connection.ts';
import { sqliteFile } from '#store/sqlite/file.ts';
import { afterWaiting } from '../after-waiting.ts';
import { fillStore, readBack, recordCall } from '../fixtures/store-content.ts';
import { killRounds } from '../kill-rounds.ts';
import { meddle, prepareStore } from '../old-store.ts';
import { startPostgres } from '../postgres.ts';
import { KINDS, makeStoreHome, type Kind, type StoreHome } from '../stores.ts';
import { verifies } from '../verifies.ts';

const kinds = KINDS.filter((kind) => kind === 'sqlite' || inject('postgresUrl') !== '');
const homes: StoreHome[] = [];

async function makeHome(kind: Kind): Promise<StoreHome> {
  const made = await makeStoreHome(kind);
  homes.push(made);
  return made;
}

afterEach(async () => {
  for (const made of homes.splice(0)) await made.remove();
});

const open = (home: StoreHome) => openStore({ ...home, writerId: 'writer_a' });

async function filledHome(kind: Kind) {
  const home = await makeHome(kind);
  const store = await open(home);
  await fillStore(store);
  const content = await readBack(store);
  await store.close();
  return { home, content };
}

/** As the second schema had it. */
const OLD_USAGE = `
  insert into usage
    (id, req_id, at, principal, provider, model, input, output, cached, reasoning, cost_micro_usd, estimated)
    values (7, 'req_old', 1, 'ann', 'glm', 'a', 1, 2, 3, 4, 30, 1);
  insert into usage_days
    (principal, day, provider, model, calls, input, output, cached, reasoning, cost_micro_usd)
    values ('bob', '2026-01-01', 'glm', 'a', 9, 1, 2, 3, 4, 4),
      ('ann', '2026-01-01', 'kimi', 'a', 1, 1, 2, 3, 4, 0),
      ('ann', '2026-01-01', 'glm', 'a', 2, 1, 2, 3, 4, 30)`;

describe.each(kinds)('on %s', (kind) => {
  const cases = [
    {
      what: 'a changed row',
      sql: `update calls set tool = 'other' where seq = 3`,
      fault: { seq: 3, what: 'row 3 was changed, or row 2 before it was replaced' },
    },
    {
      what: 'a changed first row',
      sql: `update calls set status = 'error' where seq = 1`,
      fault: { seq: 1, what: 'row 1 was changed' },
    },
    {
      what: 'a missing row',
      sql: 'delete from calls where seq = 2',
      fault: { seq: 3, what: 'row 2 is missing' },
    },
    {
      what: 'several missing rows',
      sql: 'delete from calls where seq in (2, 3)',
      fault: { seq: 4, what: 'rows 2 to 3 are missing' },
    },
    {
      what: 'a row slipped in at the end',
      sql: `insert into calls (writer_id, seq, hash, req_id, at, principal, tool, status, detail)
        select writer_id, 6, hash, 'req_x', at, principal, tool, status, detail from calls where seq = 5`,
      fault: { seq: 6, what: 'row 6 was changed, or row 5 before it was replaced' },
    },
    {
      what: 'a row slipped in before the start',
      sql: `insert into calls (writer_id, seq, hash, req_id, at, principal, tool, status, detail)
        select writer_id, 0, hash, 'req_x', at, principal, tool, status, detail from calls where seq = 5`,
      fault: { seq: 0, what: 'row 0 stands before the start of the chain' },
    },
    {
      what: 'a row slipped in below every number',
      sql: `insert into calls (writer_id, seq, hash, req_id, at, principal, tool, status, detail)
        select writer_id, -9223372036854775808, hash, 'req_x', at, principal, tool, status, detail
        from calls where seq = 5`,
      fault: { what: 'row -9223372036854776000 stands before the start of the chain' },
    },
    {
      what: 'an anchor moved over rows that are still there',
      sql: `insert into call_anchors (writer_id, seq, hash, pruned_until) select writer_id, seq, hash, 0 from calls where seq = 3`,
      fault: { seq: 1, what: 'row 1 stands before the start of the chain' },
    },
  ];
  for (const { what, sql, fault } of cases) {
    verifies('audit:verify', `the audit shows ${what}`, async () => {
      const home = await makeHome(kind);
      const store = await open(home);
      for (let n = 0; n < 5; n++) await recordCall(store, `req_${n}`);
      await store.close();
      await meddle(home, sql);
      const again = await open(home);
      expect((await again.verifyAudit()).chains).toMatchObject([{ writerId: 'writer_a', fault }]);
      await again.close();
    });
  }

  verifies(
    'store:migrations',
    'a migration runs once, after a backup of what was there',
    async () => {
      const { home, content } = await filledHome(kind);
      const [known, next] = [MIGRATIONS.length, MIGRATIONS.length + 1];
      const extra: Migration = {
        version: next,
        name: 'extra',
        up: ({ int }) => [`alter table settings add column touched ${int}`],
      };
      await prepareStore(home, [...MIGRATIONS, extra]);
      await prepareStore(home, [...MIGRATIONS, extra]);
      const suffix = kind === 'sqlite' ? 'db' : 'jsonl.gz';
      expect(readdirSync(home.backupDir)).toEqual([`before-schema-${next}-9.${suffix}`]);
      await expect(open(home)).rejects.toMatchObject({
        class: 'conflict',
        message: `The database was written by a newer EX-AI (schema ${next}; this program knows ${known}).`,
      });

      const older = await makeHome(kind);
      const file = join(home.backupDir, `before-schema-${next}-9.${suffix}`);
      await restoreStore(older, { file, nowMs: 10, existing: 'refuse' });
      const restored = await open(older);
      expect(await readBack(restored)).toEqual(content);
      await restored.close();
    },
  );

  verifies(
    'store:migrations',
    'what was used before tools were written down is kept, and its backup restores',
    async () => {
      const home = await makeHome(kind);
      await prepareStore(home, MIGRATIONS.slice(0, 2));
      await meddle(home, OLD_USAGE);
      const [day, tool] = ['2026-01-01', ''];
      const kept = [
        { principal: 'ann', provider: 'glm', model: 'a', calls: 2, costMicroUsd: 30 },
        { principal: 'ann', provider: 'kimi', model: 'a', calls: 1, costMicroUsd: 0 },
        { principal: 'bob', provider: 'glm', model: 'a', calls: 9, costMicroUsd: 4 },
      ].map((row) => ({ ...row, day, tool, unpriced: 0, estimated: 0 }));
      const filter = { fromDay: day, toDay: day };
      const store = await open(home);
      expect(await store.usage.totals(filter)).toMatchObject(kept);
      // Ids of rows that came later follow those that were there.
      await recordCall(store, 'req_later');
      await store.close();

      const [file = ''] = readdirSync(home.backupDir);
      expect(file).toMatch(/^before-schema-3-/);
      for (const to of kinds) {
        const other = await makeHome(to);
        const from = join(home.backupDir, file);
        expect(
          await restoreStore(other, { file: from, nowMs: 3, existing: 'refuse' }),
        ).toMatchObject({ rows: 4 });
        const restored = await open(other);
        expect(await restored.usage.totals(filter)).toMatchObject(kept);
        await recordCall(restored, 'req_later');
        await restored.close();
      }
    },
  );

  verifies(
    'store:migrations',
    'a migration that fails half-way leaves the database as it was',
    async () => {
      const { home, content } = await filledHome(kind);
      const broken: Migration = {
        version: MIGRATIONS.length + 1,
        name: 'broken',
        up: () => ['create table half (a text)', 'create table half (a text)'],
      };
      await expect(prepareStore(home, [...MIGRATIONS, broken])).rejects.toMatchObject({
        name: 'CallError',
      });
      const again = await open(home);
      expect(await readBack(again)).toEqual(content);
      await again.close();
    },
  );

  verifies('store:kill', 'a few kills under load lose nothing that was acknowledged', async () => {
    await killRounds(await makeHome(kind), 2);
  });
});

test.each([
  {
    what: 'overwritten at the start',
    harm: (file: string) => writeFileSync(file, Buffer.alloc(8192, 7)),
  },
  { what: 'cut short', harm: (file: string) => truncateSync(file, 20_000) },
  { what: 'scribbled over in the middle', harm: scribble },
])('a database $what is refused with the command that restores it', async ({ harm }) => {
  const home = await makeHome('sqlite');
  const store = await open(home);
  await fillStore(store);
  await store.close();
  harm(sqliteFile(home.dataDir));
  await expect(open(home)).rejects.toMatchObject({
    class: 'internal',
    message: expect.stringContaining('is damaged'),
    reason: { code: 'damaged_database' },
    fixes: [
      { kind: 'advice' },
      { kind: 'restore_backup', params: {} },
      { kind: 'run_command', params: { command: expect.stringMatching(/^mv /) } },
    ],
  });
});

test('a database of another program is left alone', async () => {
  const home = await makeHome('sqlite');
  mkdirSync(home.dataDir, { recursive: true });
  const foreign = openSqlite(sqliteFile(home.dataDir), 'write');
  foreign.exec('create table theirs (a text)');
  foreign.close();
  await expect(open(home)).rejects.toMatchObject({
    class: 'conflict',
    message: expect.stringContaining('belongs to another program'),
  });
});

test('an empty file is taken for a new database', async () => {
  const home = await makeHome('sqlite');
  mkdirSync(home.dataDir, { recursive: true });
  writeFileSync(sqliteFile(home.dataDir), '');
  const store = await open(home);
  expect(await store.health()).toMatchObject({ ok: true });
  await store.close();
});

function scribble(file: string): void {
  const bytes = readFileSync(file);
  bytes.fill(0x5a, 4096 * 3, 4096 * 12);
  writeFileSync(file, bytes);
}

verifies(
  'store:disk-full',
  'on a full disk a write fails with a clear class, and what was acknowledged stays',
  async () => {
    const home = await makeHome('sqlite');
    const disk = join(home.dataDir, '..', 'disk');
    mkdirSync(disk);
    // A mount of its own in a namespace of its own: no other process sees it, and it goes with the
    // last one inside.
    const unshare = process.getuid?.() === 0 ? ['-m'] : ['-rm'];
    const script = `mount -t tmpfs -o size=3m tmpfs "${disk}" && exec "${process.execPath}" --import tsx test/fixtures/full-disk.ts "${disk}"`;
    const run = spawnSync('unshare', [...unshare, 'sh', '-c', script], { encoding: 'utf8' });
    expect(run.stderr).toBe('');
    expect(JSON.parse(run.stdout)).toEqual({
      refused: 'over_capacity',
      lost: [],
      writableAgain: true,
      faults: [],
    });
  },
);

verifies(
  'store:corrupt',
  'with a backup, the refusal names it; so does whoever looks',
  async () => {
    const { home } = await filledHome('sqlite');
    mkdirSync(home.backupDir, { recursive: true });
    const file = join(home.backupDir, 'mine.jsonl.gz');
    await backUpStore(home, { file, nowMs: 1 });
    writeFileSync(join(home.backupDir, 'zz-empty.jsonl.gz'), '');
    scribble(sqliteFile(home.dataDir));
    const fixes = [{ kind: 'restore_backup', params: { file } }];
    await expect(open(home)).rejects.toMatchObject({ class: 'internal', fixes });
    await expect(verifyStoreAudit(home, { keys: [] })).rejects.toMatchObject({
      class: 'internal',
      fixes,
    });
    await expect(storeSchema(home)).rejects.toMatchObject({ class: 'internal', fixes });
  },
);

describe.runIf(inject('postgresUrl') !== '')('with PostgreSQL', () => {
  test('a database whose tables are gone is not healthy', async () => {
    const home = await makeHome('postgres');
    const store = await open(home);
    await meddle(home, 'drop table schema_versions');
    expect(await store.health()).toMatchObject({ ok: false });
    await store.close();
  });

  verifies('store:postgres-down', 'a server that is down at start is named', async () => {
    const home = await makeHome('sqlite');
    const database = 'postgres://exai:secret-word@127.0.0.1:9/none';
    const attempt = openStore({ ...home, database, writerId: 'writer_a' });
    await expect(attempt).rejects.toMatchObject({
      class: 'network',
      message: 'PostgreSQL at 127.0.0.1:9/none cannot be reached (ECONNREFUSED).',
    });
    await expect(attempt).rejects.not.toMatchObject({
      message: expect.stringContaining('secret-word'),
    });
  });

  test.each([
    {
      what: 'a server without TLS',
      url: (server: string) => `${server}?sslmode=require`,
      expected: { class: 'validation', words: /does not speak TLS/ },
    },
    {
      what: 'a database that is not there',
      url: (server: string) => server.replace(/postgres$/, 'nowhere'),
      expected: {
        class: 'not_found',
        words:
          /has no such database\. Create it with: createdb -h 127\.0\.0\.1 -p \d+ -U exai nowhere$/,
      },
    },
    {
      what: 'a user that is not there',
      url: (server: string) => server.replace('exai@', 'nobody:hidden-word@'),
      expected: { class: 'auth', words: /^(?!.*hidden-word).*refuses the user/ },
    },
  ])('$what is told apart', async ({ url, expected }) => {
    const home = await makeHome('sqlite');
    const database = url(inject('postgresUrl'));
    const error = await openStore({ ...home, database, writerId: 'writer_a' }).catch(
      (thrown: unknown) => CallError.from(thrown),
    );
    expect(error).toMatchObject({ class: expected.class });
    expect(error).toSatisfy(({ message, fix }: CallError) =>
      expected.words.test(`${message} ${fix}`),
    );
  });

  verifies(
    'store:postgres-down',
    'a server that goes away fails writes with words and is used again when it is back',
    async () => {
      const server = await startPostgres();
      const home = await makeStoreHome('postgres', server.url);
      const store = await open(home);
      await recordCall(store, 'req_before');
      await server.kill();
      const during = afterWaiting(home.clock, recordCall(store, 'req_during'));
      await expect(during).rejects.toMatchObject({ class: 'network' });
      await expect(store.settings.set('a', 1)).rejects.toMatchObject({ class: 'network' });
      expect(await store.health()).toMatchObject({ ok: false });
      await server.start();
      await recordCall(store, 'req_after');
      expect(await store.health()).toMatchObject({ ok: true });
      expect(await store.calls.list({ limit: 10 })).toHaveLength(2);
      expect((await store.verifyAudit()).chains).toMatchObject([{ rows: 2 }]);
      await store.close();
      await home.remove();
      await server.stop();
    },
  );
});

test('a database that is deleted under a running store is noticed', async () => {
  const home = await makeHome('sqlite');
  const store = await open(home);
  rmSync(sqliteFile(home.dataDir));
  expect(await store.health()).toMatchObject({
    ok: false,
    detail: expect.stringContaining('was deleted, moved or replaced'),
  });
  await store.close();
});

test('a process lock is held once and free again after its release', async () => {
  const home = await makeHome('sqlite');
  mkdirSync(home.dataDir, { recursive: true });
  const path = join(home.dataDir, 'a.lock');
  const lock = acquireProcessLock(path);
  expect(lock).toBeDefined();
  expect(acquireProcessLock(path)).toBeUndefined();
  lock?.release();
  const next = acquireProcessLock(path);
  expect(next).toBeDefined();
  next?.release();
  expect(existsSync(path)).toBe(true);
});
