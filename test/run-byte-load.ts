import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { expect } from 'vitest';
import type { ByteLoad } from './fixtures/byte-load.ts';
import type { StoreHome } from './stores.ts';

/** Writes and reads one file in a process, and returns what that took. */
export async function runByteLoad(
  { database, dataDir, backupDir }: StoreHome,
  sizeMib: number,
  mode: 'collect' | 'as is',
): Promise<ByteLoad> {
  const options = JSON.stringify({ database, dataDir, backupDir, writerId: 'writer_a' });
  const child = spawn(
    process.execPath,
    [
      '--expose-gc',
      '--import',
      'tsx',
      'test/fixtures/byte-load.ts',
      options,
      String(sizeMib),
      mode,
    ],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  const load = JSON.parse(await text(child.stdout)) as ByteLoad;
  expect(load).toMatchObject({ bytes: sizeMib * 1024 * 1024, isEqual: true });
  return load;
}
