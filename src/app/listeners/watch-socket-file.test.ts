import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createFakeClock } from '../../../test/fake-clock.ts';
import { watchSocketFile } from './watch-socket-file.ts';

test('a socket file is made again where it was removed, by the daemon with the lock only', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'exai-socket-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, 'daemon.sock');
  writeFileSync(path, '');
  const clock = createFakeClock();
  let isLockIntact = false;
  let opened = 0;
  const watch = watchSocketFile({
    path,
    clock,
    isLockIntact: () => isLockIntact,
    async reopen() {
      opened += 1;
      writeFileSync(path, '');
    },
  });
  const pass = async () => {
    clock.advance(5000);
    await new Promise(setImmediate);
    return opened;
  };
  expect(await pass()).toBe(0);
  rmSync(path);
  expect(await pass()).toBe(0);
  isLockIntact = true;
  expect(await pass()).toBe(1);
  expect(await pass()).toBe(1);
  watch.stop();
  rmSync(path);
  expect(await pass()).toBe(1);
});
