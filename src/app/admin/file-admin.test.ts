import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { ProviderCopies } from '#core/files/file-admin.ts';
import { createIds } from '#core/ids.ts';
import { openThreads, type OpenedThreads } from '../../../test/open-threads.ts';
import { verifies } from '../../../test/verifies.ts';
import { openOwnFile } from '../files/open-own-file.ts';
import { createFileAdmin, type FileAdmin } from './file-admin.ts';

const DAY_MS = 86_400_000;

let opened: OpenedThreads;
let folder: string;
let admin: FileAdmin;
let deletedCopies: string[];

beforeEach(async () => {
  opened = await openThreads();
  folder = mkdtempSync(join(tmpdir(), 'exai-own-'));
  deletedCopies = [];
  const copies: ProviderCopies = {
    list: async () =>
      new Map([[SHA256, [{ provider: 'kimi', fileId: 'f1', purpose: 'file-extract' }]]]),
    async delete(sha256) {
      deletedCopies.push(sha256);
      return { deleted: 1, shared: 0, failed: [] };
    },
  };
  let seed = 0;
  admin = createFileAdmin({
    files: opened.store.files,
    newId: createIds(opened.clock, (bytes) => new Uint8Array(bytes).fill(++seed)),
    retentionDays: 30,
    copies,
    open: (path) => openOwnFile(path, join(folder, 'home')),
  });
});
afterEach(async () => {
  await opened.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Of `hello`. */
const SHA256 = '2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824';

function write(name: string, content: string | Uint8Array = 'hello'): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

verifies('files:commands', 'a file is added, listed, read in pieces and deleted', async () => {
  const content = Buffer.alloc(2_500_000, 'abc');
  const { id } = await admin.add(write('big.bin', content));
  const added = await admin.add(write('note.txt'));
  expect(added).toMatchObject({ name: 'note.txt', mime: 'text/plain', bytes: 5, sha256: SHA256 });
  expect(added.copies).toEqual([{ provider: 'kimi', fileId: 'f1', purpose: 'file-extract' }]);
  const first = await admin.list({ limit: 1 });
  const second = await admin.list({
    limit: 1,
    ...(first.next !== undefined && { before: first.next }),
  });
  expect([...first.files, ...second.files].map(({ name }) => name).toSorted()).toEqual([
    'big.bin',
    'note.txt',
  ]);
  expect(second.next).toBeUndefined();

  const pieces: Buffer[] = [];
  for (let at = 0; at < content.length;) {
    const piece = Buffer.from((await admin.content(id, at)).base64, 'base64');
    pieces.push(piece);
    at += piece.length;
  }
  expect(Buffer.concat(pieces).equals(content)).toBe(true);

  await admin.delete(`exai://files/${id}`);
  await expect(admin.show(id)).rejects.toMatchObject({ class: 'not_found' });
});

verifies('files:commands', 'copies at providers go with the last file of a content', async () => {
  const one = await admin.add(write('a.txt'));
  const two = await admin.add(write('b.txt'));
  expect((await admin.delete(one.id)).copies.deleted).toBe(0);
  expect((await admin.delete(two.id)).copies.deleted).toBe(1);
  expect(deletedCopies).toEqual([SHA256]);
});

verifies('files:commands', 'pruning shows first, and deletes what was not used since', async () => {
  const { id: old } = await admin.add(write('old.txt'));
  opened.clock.advance(10 * DAY_MS);
  const { id: young } = await admin.add(write('young.txt', 'young'));
  const beforeMs = opened.clock.now() - 7 * DAY_MS;
  const preview = await admin.prune(beforeMs, 'preview');
  expect(preview).toMatchObject({ count: 1, bytes: 5, files: [{ id: old }] });
  expect(await admin.show(old)).toMatchObject({ id: old });
  expect(await admin.prune(beforeMs, 'delete')).toMatchObject({ count: 1, copies: { deleted: 1 } });
  await expect(admin.show(old)).rejects.toMatchObject({ class: 'not_found' });
  expect(await admin.show(young)).toMatchObject({ id: young });
});

verifies(
  'files:resource',
  'the file of another principal is not found by the commands',
  async () => {
    const newId = createIds(opened.clock, (bytes) => new Uint8Array(bytes).fill(99));
    const file = { id: newId('file'), principal: 'alice', name: 'a.txt', mime: 'text/plain' };
    const { id } = await opened.store.files.write(file, [Buffer.from('secret')]);
    const missing = { class: 'not_found', field: 'id' };
    await expect(admin.show(id)).rejects.toMatchObject(missing);
    await expect(admin.content(id, 0)).rejects.toMatchObject(missing);
    await expect(admin.delete(id)).rejects.toMatchObject(missing);
    expect(await admin.prune(opened.clock.now() + 1, 'delete')).toMatchObject({ count: 0 });
    expect((await admin.list({})).files).toEqual([]);
    expect(await opened.store.files.get(id, 'alice')).toMatchObject({ name: 'a.txt' });
  },
);

test('only regular files outside the home of the daemon are added', async () => {
  await expect(admin.add(join(folder, 'none'))).rejects.toMatchObject({ class: 'not_found' });
  await expect(admin.add('relative.txt')).rejects.toMatchObject({ class: 'validation' });
  await expect(admin.add(folder)).rejects.toMatchObject({ class: 'validation' });
  await expect(admin.add('/dev/zero')).rejects.toMatchObject({ class: 'validation' });
  await expect(admin.add('/proc/self/environ')).rejects.toMatchObject({ class: 'permission' });
  symlinkSync(write('real.png', Buffer.from('89504e470d0a1a0a0000', 'hex')), join(folder, 'link'));
  expect(await admin.add(join(folder, 'link'))).toMatchObject({ name: 'link', mime: 'image/png' });
});
