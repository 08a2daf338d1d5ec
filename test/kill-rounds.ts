import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { expect } from 'vitest';
import { openStore } from '#store/open-store.ts';
import type { StoreHome } from './stores.ts';

/**
 * Starts a write load, kills it without warning after some acknowledgements, and checks that none
 * was a lie.
 */
export async function killRounds(
  home: StoreHome,
  rounds: number,
): Promise<{ acknowledged: number }> {
  const acknowledged: string[] = [];
  for (let round = 0; round < rounds; round++) {
    acknowledged.push(...(await loadUntilKilled(home, 20 + ((round * 37) % 400))));
    await expectKept(home, acknowledged);
  }
  return { acknowledged: acknowledged.length };
}

async function expectKept(home: StoreHome, acknowledged: readonly string[]): Promise<void> {
  const store = await openStore({
    ...home,
    writerId: 'writer_load',
    auditHeadFile: headFileOf(home),
  });
  // A kill leaves the record at the database, or behind it.
  expect(store.auditLosses()).toEqual([]);
  const rows = await store.calls.list({ limit: acknowledged.length * 2 + 100_000 });
  const stored = new Set(rows.map(({ reqId }) => reqId));
  expect(acknowledged.filter((reqId) => !stored.has(reqId))).toEqual([]);
  for (const { id, turns } of await store.conversations.list('load', 1000)) {
    const kept = (await store.conversations.turns(id, 'load', turns + 1)).map(
      ({ content }) => content,
    );
    expect(kept).toHaveLength(turns);
    const mine = acknowledged.filter((reqId) => reqId.startsWith(`${id.replace('conv', 'req')}_`));
    expect(mine.filter((reqId) => !kept.includes(reqId))).toEqual([]);
  }
  const { chains } = await store.verifyAudit();
  expect(chains.map(({ fault }) => fault)).toEqual(chains.map(() => undefined));
  await store.close();
}

function headFileOf({ dataDir }: StoreHome): string {
  return join(dataDir, '..', 'audit-head');
}

function loadUntilKilled(home: StoreHome, atLeast: number): Promise<string[]> {
  const { database, dataDir, backupDir } = home;
  const options = JSON.stringify({
    database,
    dataDir,
    backupDir,
    writerId: 'writer_load',
    auditHeadFile: headFileOf(home),
  });
  const child = spawn(
    process.execPath,
    ['--import', 'tsx', 'test/fixtures/write-load.ts', options, '16'],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  let heard = '';
  child.stdout.on('data', (chunk: Buffer) => {
    heard += chunk.toString();
    if (heard.split('\n').length > atLeast) child.kill('SIGKILL');
  });
  return new Promise((resolve) => {
    // 'close' comes after the last byte of the pipe; what follows the last newline was never said
    // whole.
    child.once('close', () => resolve(heard.split('\n').slice(0, -1)));
  });
}
