import { createHash } from 'node:crypto';
import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { afterEach, describe, expect, inject, test } from 'vitest';
import { openStore } from '#store/open-store.ts';
import { backUpStore, restoreStore } from '#store/backup/maintenance.ts';
import { openSqlite } from '#store/sqlite/connection.ts';
import { sqliteFile } from '#store/sqlite/file.ts';
import { KINDS, makeStoreHome, type Kind, type StoreHome } from '../stores.ts';
import { fillStore, readBack, recordCall } from '../fixtures/store-content.ts';
import { verifies } from '../verifies.ts';

const kinds = KINDS.filter((kind) => kind === 'sqlite' || inject('postgresUrl') !== '');
const homes: StoreHome[] = [];

async function home(kind: Kind): Promise<StoreHome> {
  const made = await makeStoreHome(kind);
  homes.push(made);
  return made;
}

async function filled(
  kind: Kind,
  name: 'backup.jsonl.gz' | 'backup.db' = 'backup.jsonl.gz',
): Promise<{ at: StoreHome; file: string; content: unknown }> {
  const at = await home(kind);
  const store = await openStore({ ...at, writerId: 'writer_a' });
  await fillStore(store);
  const content = await readBack(store);
  await store.close();
  const file = join(at.dataDir, '..', name);
  await backUpStore(at, { file, nowMs: 1 });
  return { at, file, content };
}

afterEach(async () => {
  for (const made of homes.splice(0)) await made.remove();
});

describe.each(kinds)('a backup from %s', (from) => {
  for (const to of kinds) {
    verifies('store:backup', `restores to the same content on ${to}`, async () => {
      const { file, content } = await filled(from);
      const target = await home(to);
      const { rows } = await restoreStore(target, { file, nowMs: 2, existing: 'refuse' });
      expect(rows).toBeGreaterThan(10);
      const store = await openStore({ ...target, writerId: 'writer_a' });
      expect(await readBack(store)).toEqual(content);
      // Ids and chains go on where the backup ended.
      await fillStore(store, 'more');
      expect((await store.verifyAudit()).chains.every(({ fault }) => fault === undefined)).toBe(
        true,
      );
      await store.close();
    });
  }
});

describe('a backup by the engine', () => {
  for (const to of kinds) {
    verifies('store:backup-engine', `restores to the same content on ${to}`, async () => {
      const { file, content } = await filled('sqlite', 'backup.db');
      expect(readFileSync(file).subarray(0, 15).toString()).toBe('SQLite format 3');
      expect(statSync(file).mode & 0o777).toBe(0o600);
      const target = await home(to);
      const { rows, createdAt } = await restoreStore(target, {
        file,
        nowMs: 2,
        existing: 'refuse',
      });
      expect(rows).toBeGreaterThan(10);
      expect(createdAt).toBe('1970-01-01T00:00:00.001Z');
      const store = await openStore({ ...target, writerId: 'writer_a' });
      expect(await readBack(store)).toEqual(content);
      await fillStore(store, 'more');
      await store.close();
      expect(readdirSync(join(target.dataDir, '..')).toSorted()).not.toContain('restoring');
    });
  }

  verifies('store:backup-engine', 'carries the keys of the audit only when told to', async () => {
    const { at } = await filled('sqlite', 'backup.db');
    const auditKeys = [{ writerId: 'writer_a', fromSeq: 1, key: new Uint8Array(32).fill(7) }];
    const file = join(at.dataDir, '..', 'keyed.db');
    await backUpStore(at, { file, nowMs: 1, auditKeys });
    const restored = await restoreStore(await home('sqlite'), {
      file,
      nowMs: 2,
      existing: 'refuse',
    });
    expect(restored.auditKeys.map(({ key }) => [...key])).toEqual([
      [...new Uint8Array(32).fill(7)],
    ]);
  });

  test.each([0o444, 0o644])(
    'with the mode %o restores to a database that is private and can be written',
    async (mode) => {
      const { at, file } = await filled('sqlite', 'backup.db');
      chmodSync(file, mode);
      await restoreStore(at, { file, nowMs: 5, existing: 'refuse' });
      expect(statSync(sqliteFile(at.dataDir)).mode & 0o777).toBe(0o600);
    },
  );

  test('a database that a restore put aside is a backup as well', async () => {
    const { at, file, content } = await filled('sqlite', 'backup.db');
    const { replaced = '' } = await restoreStore(at, { file, nowMs: 5, existing: 'refuse' });
    await restoreStore(at, { file: replaced, nowMs: 6, existing: 'refuse' });
    const store = await openStore({ ...at, writerId: 'writer_a' });
    expect(await readBack(store)).toEqual(content);
    await store.close();
  });

  const spoiled: readonly { what: string; spoil: (file: string) => void; why: string }[] = [
    {
      what: 'cut in the middle',
      spoil: (file) => truncateSync(file, 4096 * 6),
      why: 'it is damaged or cut off',
    },
    {
      what: 'with a destroyed page',
      spoil: (file) => {
        const bytes = readFileSync(file);
        bytes.fill(0x5a, 4096 * 3, 4096 * 12);
        writeFileSync(file, bytes);
      },
      why: 'it is damaged or cut off',
    },
    {
      what: 'with a trigger',
      spoil: (file) =>
        runSql(file, 'create trigger t after insert on calls begin delete from settings; end'),
      why: 'its tables are not those of its schema',
    },
    {
      what: 'with another column',
      spoil: (file) => runSql(file, 'alter table settings add column more text'),
      why: 'its tables are not those of its schema',
    },
    {
      what: 'of another program',
      spoil: (file) => runSql(file, 'drop table schema_versions'),
      why: 'it belongs to another program',
    },
  ];
  test.each(spoiled)('a backup $what is refused and changes nothing', async ({ spoil, why }) => {
    const { at, file, content } = await filled('sqlite', 'backup.db');
    spoil(file);
    await expect(restoreStore(at, { file, nowMs: 2, existing: 'refuse' })).rejects.toMatchObject({
      class: 'validation',
      message: expect.stringContaining(why),
    });
    const store = await openStore({ ...at, writerId: 'writer_a' });
    expect(await readBack(store)).toEqual(content);
    await store.close();
  });

  verifies(
    'store:backup-engine',
    'a backup never overwrites and leaves no part behind',
    async () => {
      const { at, file } = await filled('sqlite', 'backup.db');
      const before = readFileSync(file);
      await expect(backUpStore(at, { file, nowMs: 1 })).rejects.toMatchObject({
        class: 'conflict',
      });
      expect(readFileSync(file).equals(before)).toBe(true);
      const nowhere = join(at.dataDir, 'no', 'such', 'folder.db');
      await expect(backUpStore(at, { file: nowhere, nowMs: 1 })).rejects.toMatchObject({
        message: `The backup ${nowhere} cannot be written: No such file or folder.`,
      });
      expect(readdirSync(join(at.dataDir, '..')).filter((name) => name.includes('.part'))).toEqual(
        [],
      );
    },
  );

  verifies('store:backup-engine', 'writes go on while a backup is made', async () => {
    const { at } = await filled('sqlite', 'backup.db');
    const store = await openStore({ ...at, writerId: 'writer_a' });
    const file = join(at.dataDir, '..', 'beside.db');
    const saved = backUpStore(at, { file, nowMs: 1 });
    for (let n = 0; n < 50; n++) await recordCall(store, `req_beside_${n}`);
    await saved;
    await store.close();
    const target = await home('sqlite');
    await restoreStore(target, { file, nowMs: 2, existing: 'refuse' });
    const restored = await openStore({ ...target, writerId: 'writer_a' });
    expect((await restored.verifyAudit()).chains).toMatchObject([{ writerId: 'writer_a' }]);
    expect((await restored.verifyAudit()).chains[0]?.fault).toBeUndefined();
    await restored.close();
  });
});

function runSql(file: string, sql: string): void {
  const db = openSqlite(file, 'copy');
  db.exec(sql);
  db.close();
}

test.each([
  {
    what: 'cut in the middle',
    spoil: (bytes: Buffer) => bytes.subarray(0, bytes.length / 2),
    why: 'cut off',
  },
  {
    what: 'altered in one row',
    spoil: (bytes: Buffer) => gzipSync(gunzipSync(bytes).toString().replace('hello', 'hullo')),
    why: 'content was changed',
  },
  {
    what: 'without its last line',
    spoil: (bytes: Buffer) =>
      gzipSync(
        gunzipSync(bytes)
          .toString()
          .replace(/\{"end".*\n$/, ''),
      ),
    why: 'its end is missing',
  },
  {
    what: 'not a backup at all',
    spoil: () => Buffer.from('{"hello": 1}'),
    why: 'cut off or not a backup',
  },
])('a backup $what is refused and changes nothing', async ({ spoil, why }) => {
  const { at, file, content } = await filled('sqlite');
  writeFileSync(file, spoil(readFileSync(file)));
  await expect(restoreStore(at, { file, nowMs: 2, existing: 'refuse' })).rejects.toMatchObject({
    class: 'validation',
    message: expect.stringContaining(why),
  });
  const store = await openStore({ ...at, writerId: 'writer_a' });
  expect(await readBack(store)).toEqual(content);
  await store.close();
});

const HEADER = { exai_backup: 1, schema: 1, created_at: '2026-01-01T00:00:00.000Z' };
const SETTINGS = { table: 'settings', columns: ['name', 'value', 'updated_at'] };

test.each([
  { what: 'names a foreign table', lines: [HEADER, { table: 'sqlite_master', columns: ['name'] }] },
  {
    what: 'names SQL as a column',
    lines: [HEADER, { ...SETTINGS, columns: ['name) values (1);--'] }],
  },
  { what: 'lacks a column', lines: [HEADER, { ...SETTINGS, columns: ['name', 'value'] }] },
  {
    what: 'names a column twice',
    lines: [HEADER, { ...SETTINGS, columns: ['name', 'name', 'value'] }],
  },
  { what: 'has a table twice', lines: [HEADER, SETTINGS, ['a', '1', 1], SETTINGS] },
  { what: 'has a row before any table', lines: [HEADER, ['a', '1', 1]] },
  { what: 'has a row that is too short', lines: [HEADER, SETTINGS, ['a', '1']] },
  { what: 'has a row that is too long', lines: [HEADER, SETTINGS, ['a', '1', 1, 1]] },
  { what: 'has a truth value', lines: [HEADER, SETTINGS, ['a', '1', true]] },
  { what: 'has a list for a value', lines: [HEADER, SETTINGS, ['a', ['1'], 1]] },
  { what: 'nests lists without end', lines: [HEADER, SETTINGS, [[[[[[[[]]]]]]]]] },
  { what: 'has text for a number', lines: [HEADER, SETTINGS, ['a', '1', 'now']] },
  { what: 'has broken JSON in a JSON column', lines: [HEADER, SETTINGS, ['a', '{', 1]] },
  { what: 'has nothing where something must be', lines: [HEADER, SETTINGS, [null, '1', 1]] },
  { what: 'is of another format', lines: [{ ...HEADER, exai_backup: 2 }] },
  { what: 'has no header', lines: [SETTINGS] },
  { what: 'has two headers', lines: [HEADER, HEADER] },
  { what: 'has an odd date', lines: [{ ...HEADER, created_at: {} }] },
  { what: 'is empty', lines: [] },
])('a backup that $what is refused and changes nothing', async ({ lines }) => {
  const at = await home('sqlite');
  const file = join(at.dataDir, '..', 'crafted.jsonl.gz');
  mkdirSync(at.dataDir, { recursive: true });
  writeFileSync(file, gzipSync(withEnd(lines)));
  await expect(restoreStore(at, { file, nowMs: 2, existing: 'refuse' })).rejects.toMatchObject({
    class: 'validation',
  });
  expect(readdirSync(at.dataDir)).toEqual([]);
});

verifies('store:backup', 'a backup never overwrites a file and leaves no part behind', async () => {
  const { at, file } = await filled('sqlite');
  const before = readFileSync(file);
  await expect(backUpStore(at, { file, nowMs: 1 })).rejects.toMatchObject({ class: 'conflict' });
  expect(readFileSync(file).equals(before)).toBe(true);
  const nowhere = join(at.dataDir, 'no', 'such', 'folder.gz');
  await expect(backUpStore(at, { file: nowhere, nowMs: 1 })).rejects.toMatchObject({
    message: `The backup ${nowhere} cannot be written: No such file or folder.`,
  });
  expect(readdirSync(join(at.dataDir, '..')).filter((name) => name.includes('.part'))).toEqual([]);
});

verifies('store:backup', 'what a restore replaces is kept whole under another name', async () => {
  const { at, file, content } = await filled('sqlite');
  const { replaced } = await restoreStore(at, { file, nowMs: 77, existing: 'refuse' });
  expect(replaced).toBe(join(at.dataDir, 'exai.db.replaced-77'));
  for (const name of readdirSync(at.dataDir).filter((each) => each.includes('.replaced-77'))) {
    renameSync(join(at.dataDir, name), join(at.dataDir, name.replace('.replaced-77', '')));
  }
  const store = await openStore({ ...at, writerId: 'writer_a' });
  expect(await readBack(store)).toEqual(content);
  await store.close();
});

function withEnd(lines: readonly unknown[]): string {
  const text = lines.map((line) => `${JSON.stringify(line)}\n`).join('');
  const sha256 = createHash('sha256').update(text).digest('hex');
  const rows = lines.filter((line) => Array.isArray(line)).length;
  return `${text}${JSON.stringify({ end: true, rows, sha256 })}\n`;
}

test.runIf(inject('postgresUrl') !== '')(
  'PostgreSQL that holds data is replaced only when told to',
  async () => {
    const { at, file, content } = await filled('postgres');
    const restore = (existing: 'refuse' | 'replace') =>
      restoreStore(at, { file, nowMs: 2, existing });
    await expect(restore('refuse')).rejects.toMatchObject({ class: 'conflict' });
    await restore('replace');
    const store = await openStore({ ...at, writerId: 'writer_a' });
    expect(await readBack(store)).toEqual(content);
    await store.close();
  },
);

describe.runIf(inject('postgresUrl') !== '')('a restore into PostgreSQL', () => {
  verifies('store:backup', 'is refused while a daemon is connected, wherever it runs', async () => {
    const { at, file } = await filled('postgres');
    const daemon = await openStore({ ...at, writerId: 'writer_live' });
    // As the daemon's readiness watch does all the time.
    await daemon.health();
    await expect(restoreStore(at, { file, nowMs: 2, existing: 'replace' })).rejects.toMatchObject({
      class: 'conflict',
      fix: expect.stringContaining('Stop every daemon'),
    });
    await daemon.close();
  });

  verifies('store:backup', 'keeps what it replaces as a backup', async () => {
    const { at, file, content } = await filled('postgres');
    const { replaced } = await restoreStore(at, { file, nowMs: 2, existing: 'replace' });
    await restoreStore(at, { file: replaced ?? '', nowMs: 3, existing: 'replace' });
    const store = await openStore({ ...at, writerId: 'writer_a' });
    expect(await readBack(store)).toEqual(content);
    await store.close();
  });
});
