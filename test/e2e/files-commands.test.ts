import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { verifies } from '../verifies.ts';
import { createHome } from './exai.ts';

verifies('files:commands', 'a file is stored, listed, read back, pruned and deleted', async () => {
  const { exai, path: inHome, serve } = createHome();
  const folder = mkdtempSync(join(tmpdir(), 'exai-files-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const path = (name: string) => join(folder, name);
  await serve();
  const content = Buffer.from(Array.from({ length: 3_000_000 }, (_, at) => at % 251));
  writeFileSync(path('odd "name".bin'), content);
  writeFileSync(path('note.txt'), 'Hello.\n');

  const added = await exai(['files', 'add', path('odd "name".bin'), '--json']);
  const { id, bytes } = JSON.parse(added.stdout) as { id: string; bytes: number };
  expect(bytes).toBe(content.length);
  const note = await exai(['files', 'add', path('note.txt')]);
  expect(note.stdout).toMatch(/^file_\w{22} {2}note\.txt, 7 bytes\n$/);

  const list = await exai(['files', 'list']);
  expect(list.stdout).toContain('note.txt');
  expect(list.stdout).toMatch(new RegExp(`${id} {2}3 MB .* odd "name"\\.bin`));
  const show = await exai(['files', 'show', id]);
  expect(show.stdout).toContain(`exai://files/${id}`);
  expect(show.stdout).toMatch(/At providers +no copy/);

  const get = await exai(['files', 'get', id, '--to', path('copy.bin')]);
  expect([get.code, get.stderr]).toEqual([0, '']);
  expect(readFileSync(path('copy.bin')).equals(content)).toBe(true);
  const again = await exai(['files', 'get', id, '--to', path('copy.bin')]);
  expect(again.stderr).toContain('is there already');
  expect(readFileSync(path('copy.bin')).equals(content)).toBe(true);
  const forced = await exai(['files', 'get', id, '--to', path('copy.bin'), '--force']);
  expect([forced.code, existsSync(path('copy.bin.part'))]).toEqual([0, false]);

  expect((await exai(['files', 'delete', id])).stderr).toContain('--yes');
  expect((await exai(['files', 'delete', id, '--yes'])).stdout).toContain('is deleted.');
  expect((await exai(['files', 'show', id])).stderr).toContain('There is no file');

  const preview = await exai(['files', 'prune', '--older-than', '0d', '--preview']);
  expect(preview.stdout).toContain('1 file, 7 bytes in all.');
  expect((await exai(['files', 'prune', '--older-than', '7d'])).stdout).toContain(
    'No file is that old.',
  );
  expect((await exai(['files', 'prune', '--older-than', '0d'])).stderr).toContain('--yes');
  expect((await exai(['files', 'prune', '--older-than', '0d', '--yes'])).stdout).toContain(
    'Deleted: 1 file.',
  );
  expect((await exai(['files', 'list'])).stdout).toContain('You have no stored files');
  expect((await exai(['files', 'prune'])).stderr).toContain('--older-than must be 0 to');
  expect((await exai(['files', 'add', folder])).stderr).toContain('not a regular file');
  writeFileSync(inHome('note.txt'), 'private');
  expect((await exai(['files', 'add', inHome('note.txt')])).stderr).toContain('may be read');
});
