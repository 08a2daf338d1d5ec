import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { CallError } from '#core/call-error.ts';
import { watchSqlite } from './sqlite-watch.ts';

function tempFile(): string {
  const dir = mkdtempSync(join(tmpdir(), 'exai-watch-'));
  onTestFinished(() => rmSync(dir, { recursive: true }));
  const file = join(dir, 'a.db');
  writeFileSync(file, '');
  return file;
}

const full = () => Promise.reject(new CallError('over_capacity', 'The disk is full.'));

test('after a failed commit it is unhealthy until a write succeeds again', async () => {
  let probe: () => Promise<never[]> = full;
  const watch = watchSqlite(tempFile(), () => probe());
  await expect(watch.writing(full())).rejects.toMatchObject({ class: 'over_capacity' });
  expect(await watch.health()).toEqual({ ok: false, detail: 'The disk is full.' });
  probe = () => Promise.resolve([]);
  expect(await watch.health()).toEqual({ ok: true });
});

test('a write that asks for something impossible says nothing about the disk', async () => {
  const watch = watchSqlite(tempFile(), full);
  const refused = Promise.reject(new CallError('not_found', 'No such conversation.'));
  await expect(watch.writing(refused)).rejects.toMatchObject({ class: 'not_found' });
  expect(await watch.health()).toEqual({ ok: true });
});
