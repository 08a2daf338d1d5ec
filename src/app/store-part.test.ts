import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { prepareHome } from '#config/home/home.ts';
import { loadConfig } from '#config/load/load.ts';
import { createIds, isId } from '#core/ids.ts';
import { createListLog } from '../../test/list-log.ts';
import { systemClock, systemRandom } from './system.ts';
import { storePart } from './store-part.ts';
import { writerId } from './writer-id.ts';

const newId = createIds(systemClock, systemRandom);

test('a home gets one permanent writer id, readable only by its owner', () => {
  const file = join(tempDir(), 'writer-id');
  const made = writerId(file, newId);
  expect(isId(made, 'writer')).toBe(true);
  expect(writerId(file, newId)).toBe(made);
  expect(statSync(file).mode & 0o777).toBe(0o600);
});

test('a damaged writer id is replaced: a new audit chain begins', () => {
  const file = join(tempDir(), 'writer-id');
  writeFileSync(file, 'half a wri');
  const made = writerId(file, newId);
  expect(readFileSync(file, 'utf8')).toBe(`${made}\n`);
});

test('the store opens also where its progress cannot be written', async () => {
  const loaded = loadConfig({ env: { EXAI_HOME: tempDir() } });
  prepareHome(loaded.home);
  mkdirSync(join(loaded.home.startProgressFile, 'something'), { recursive: true });
  const log = createListLog();
  const part = storePart(loaded, { clock: systemClock, newId, random: systemRandom, log });
  const store = await part.start();
  expect((await store.health()).ok).toBe(true);
  expect(log.lines.map(({ event }) => event)).toContain('start_progress_not_written');
  await part.stop(store);
});

function tempDir(): string {
  const dir = mkdtempSync(join(tmpdir(), 'exai-writer-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  return dir;
}
