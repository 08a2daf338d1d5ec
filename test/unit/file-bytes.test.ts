import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { afterEach, describe, expect, inject } from 'vitest';
import { backUpStore, restoreStore } from '#store/backup/maintenance.ts';
import { openStore } from '#store/open-store.ts';
import { killFileRounds } from '../kill-file-rounds.ts';
import { runByteLoad } from '../run-byte-load.ts';
import { KINDS, makeStoreHome, type Kind, type StoreHome } from '../stores.ts';
import { verifies } from '../verifies.ts';

const MIB = 1024 * 1024;
const kinds = KINDS.filter((kind) => kind === 'sqlite' || inject('postgresUrl') !== '');
const homes: StoreHome[] = [];
const file = { id: 'file_1', principal: 'ann', name: 'a', mime: 'm' } as const;

async function makeHome(kind: Kind): Promise<StoreHome> {
  const home = await makeStoreHome(kind);
  homes.push(home);
  return home;
}

afterEach(async () => {
  for (const home of homes.splice(0)) await home.remove();
});

/** A backup of a store with one file. */
async function backUpFile(kind: Kind, bytes: Buffer): Promise<string> {
  const home = await makeHome(kind);
  const store = await openStore({ ...home, writerId: 'writer_a' });
  await store.files.write(file, [bytes]);
  await store.close();
  const backup = join(home.dataDir, '..', 'backup.jsonl.gz');
  await backUpStore(home, { file: backup, nowMs: 1 });
  return backup;
}

describe.each(kinds)('on %s', (kind) => {
  verifies('files:flat-memory', 'writing and reading 32 MiB holds a few parts', async () => {
    const load = await runByteLoad(await makeHome(kind), 32, 'collect');
    expect(load.buffersMib).toBeLessThan(20);
    expect(load.otherWrites).toBeGreaterThan(0);
  });

  verifies('files:whole', 'a kill in the middle leaves whole files or none', async () => {
    expect(await killFileRounds(await makeHome(kind), 2)).toBeGreaterThan(3);
  });

  for (const to of kinds) {
    verifies('files:backup', `a backup restores every byte on ${to}`, async () => {
      const bytes = Buffer.from(Uint8Array.from({ length: MIB + 3 }, (_, at) => (at * 7) % 256));
      const backup = await backUpFile(kind, bytes);
      const home = await makeHome(to);
      await restoreStore(home, { file: backup, nowMs: 2, existing: 'refuse' });
      const store = await openStore({ ...home, writerId: 'writer_a' });
      const content = await store.files.read(file.id, 'ann');
      const chunks: Uint8Array[] = [];
      for await (const chunk of content?.chunks ?? []) chunks.push(chunk);
      expect(Buffer.concat(chunks).equals(bytes)).toBe(true);
      await store.files.delete(file.id, 'ann');
      await store.close();
    });
  }
});

verifies('files:backup', 'bytes that are not base64 are refused before a restore', async () => {
  const backup = await backUpFile('sqlite', Buffer.from('secret bytes'));
  const good = Buffer.from('secret bytes').toString('base64');
  const lines = gunzipSync(readFileSync(backup)).toString().trimEnd().split('\n').slice(0, -1);
  for (const bad of ['!!!!', 'abc', '====', 'ab=c', ' c2Vj', '世']) {
    const spoilt = lines.map((line) => `${line.replace(good, bad)}\n`).join('');
    const sha256 = createHash('sha256').update(spoilt).digest('hex');
    const rows = lines.filter((line) => line.startsWith('[')).length;
    writeFileSync(backup, gzipSync(`${spoilt}${JSON.stringify({ end: true, rows, sha256 })}\n`));
    const home = await makeHome('sqlite');
    const work = restoreStore(home, { file: backup, nowMs: 2, existing: 'refuse' });
    await expect(work).rejects.toMatchObject({ class: 'validation' });
  }
});
