import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { afterEach, describe, expect, inject, test } from 'vitest';
import { openStore } from '#store/open.ts';
import { backUpStore, restoreStore } from '#store/maintenance.ts';
import { KINDS, makeStoreHome, type Kind, type StoreHome } from '../stores.ts';
import { fillStore, readBack } from '../fixtures/store-content.ts';
import { verifies } from '../verifies.ts';

const kinds = KINDS.filter((kind) => kind === 'sqlite' || inject('postgresUrl') !== '');
const homes: StoreHome[] = [];

async function home(kind: Kind): Promise<StoreHome> {
  const made = await makeStoreHome(kind);
  homes.push(made);
  return made;
}

async function filled(kind: Kind): Promise<{ at: StoreHome; file: string; content: unknown }> {
  const at = await home(kind);
  const store = await openStore({ ...at, writerId: 'writer_a' });
  await fillStore(store);
  const content = await readBack(store);
  await store.close();
  const file = join(at.dataDir, '..', 'backup.jsonl.gz');
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

test('a backup that names a foreign table or column is refused before any SQL sees the name', async () => {
  const { at, file } = await filled('sqlite');
  for (const line of [
    { table: 'sqlite_master', columns: ['name'] },
    { table: 'settings', columns: ['name) values (1);--'] },
  ]) {
    const header = { exai_backup: 1, schema: 1, created_at: 'x' };
    writeFileSync(file, gzipSync(withEnd([header, line])));
    await expect(restoreStore(at, { file, nowMs: 2, existing: 'refuse' })).rejects.toMatchObject({
      message: expect.stringContaining('unknown tables'),
    });
  }
});

function withEnd(lines: object[]): string {
  const text = lines.map((line) => `${JSON.stringify(line)}\n`).join('');
  const { createHash } = process.getBuiltinModule('node:crypto');
  const sha256 = createHash('sha256').update(text).digest('hex');
  return `${text}${JSON.stringify({ end: true, rows: 0, sha256 })}\n`;
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
