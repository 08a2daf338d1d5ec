import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { expect } from 'vitest';
import type { Store } from '#core/stores/store.ts';
import { openStore } from '#store/open-store.ts';
import { countRows } from './count-rows.ts';
import type { StoreHome } from './stores.ts';

const KEEP_ALL = {
  auditDays: 0,
  turnsDays: 0,
  attemptsDays: 0,
  usageDays: 0,
  jobsDays: 0,
  responsesDays: 0,
  filesDays: 0,
};
const TWO_HOURS_MS = 7_200_000;
const MANY = 1_000_000;

/**
 * Kills a process that stores files, and checks that every file is whole and that nothing of the
 * others is left after retention.
 */
export async function killFileRounds(home: StoreHome, rounds: number): Promise<number> {
  const stored = new Map<string, string>();
  for (let round = 0; round < rounds; round++) {
    for (const [id, sha256] of await storeUntilKilled(home, `r${round}`, 3 + ((round * 5) % 17)))
      stored.set(id, sha256);
    // By the clock of the killed process, its writes are long ago.
    home.clock.advance(Math.max(Date.now() - home.clock.now(), 0) + TWO_HOURS_MS);
    const store = await openStore({ ...home, writerId: 'writer_load' });
    await store.prune(KEEP_ALL);
    await expectWhole(store, home, stored);
    await store.close();
  }
  return stored.size;
}

async function expectWhole(
  store: Store,
  home: StoreHome,
  stored: ReadonlyMap<string, string>,
): Promise<void> {
  const files = await store.files.list('load', MANY);
  const contents = new Map<string, number>();
  for (const { id, sha256, bytes } of files) {
    const digest = createHash('sha256');
    for await (const chunk of (await store.files.read(id, 'load'))?.chunks ?? [])
      digest.update(chunk);
    expect([id, digest.digest('hex')]).toEqual([id, sha256]);
    contents.set(sha256, Math.ceil(bytes / (1024 * 1024)));
  }
  // Every fourth file of a writer is deleted after it was stored.
  const kept = new Set<string>(files.map(({ id }) => id));
  const lost = [...stored.keys()].filter((id) => !kept.has(id) && Number(id.split('x')[2]) % 4 < 3);
  expect(lost).toEqual([]);
  const parts = [...contents.values()].reduce((sum, count) => sum + count, 0);
  expect(await countRows(home, 'contents')).toBe(contents.size);
  expect(await countRows(home, 'content_parts')).toBe(parts);
}

async function storeUntilKilled(
  { database, dataDir, backupDir }: StoreHome,
  run: string,
  atLeast: number,
): Promise<(readonly [string, string])[]> {
  const options = JSON.stringify({ database, dataDir, backupDir, writerId: 'writer_load' });
  const child = spawn(
    process.execPath,
    ['--import', 'tsx', 'test/fixtures/file-load.ts', options, run],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  let heard = '';
  child.stdout.on('data', (chunk: Buffer) => {
    heard += chunk.toString();
    if (heard.split('\n').length > atLeast) child.kill('SIGKILL');
  });
  await new Promise((resolve) => child.once('close', resolve));
  const lines = heard.split('\n').slice(0, -1);
  return lines.map((line) => {
    const [id = '', sha256 = ''] = line.split(' ');
    return [id, sha256] as const;
  });
}
