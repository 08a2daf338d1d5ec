import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { loadConfig } from '#config/load/load.ts';
import type { CheckContext } from './check.ts';
import { checkNetwork } from './network-check.ts';

function createFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'exai-doctor-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

async function examine(env: Record<string, string>) {
  const loaded = loadConfig({ env: { EXAI_HOME: '/nowhere', ...env } });
  // The check uses nothing else of the context.
  return checkNetwork({ loaded } as CheckContext);
}

test('default network settings give no check', async () => {
  expect(await examine({})).toEqual([]);
});

test('proxies are reported by host only', async () => {
  const env = { HTTPS_PROXY: 'http://me:hunter2@proxy.example:3128', HTTP_PROXY: 'other:81' };
  expect(await examine(env)).toMatchObject([
    { status: 'ok', detail: 'https through proxy.example:3128, http through other:81' },
  ]);
});

test('unreadable or invalid certificates fail with the fix', async () => {
  const file = join(createFolder(), 'ca.pem');
  const missing = await examine({ EXAI_CA_FILE: file });
  expect(missing).toMatchObject([{ status: 'fail' }]);
  expect(missing[0]?.fix).toContain('EXAI_CA_FILE');
  writeFileSync(file, 'no certificate');
  expect(await examine({ EXAI_CA_FILE: file })).toMatchObject([{ status: 'fail' }]);
});

test('recording and replay give warnings, and fail where they cannot work', async () => {
  const folder = createFolder();
  const [replay] = await examine({ EXAI_REPLAY: folder, EXAI_RECORD: folder });
  expect(replay).toMatchObject({ status: 'warn' });
  expect(replay?.detail).toContain('answers come from the recordings');
  expect(replay?.fix).toContain('EXAI_REPLAY');
  expect(await examine({ EXAI_RECORD: folder })).toMatchObject([{ status: 'warn' }]);
  const nowhere = join(folder, 'missing', 'tapes');
  expect(await examine({ EXAI_REPLAY: nowhere })).toMatchObject([{ status: 'fail' }]);
  expect(await examine({ EXAI_RECORD: nowhere })).toMatchObject([{ status: 'fail' }]);
});
