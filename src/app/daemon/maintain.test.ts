import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { loadConfig } from '#config/load/load.ts';
import { openStore } from '#store/open-store.ts';
import { createListLog } from '../../../test/list-log.ts';
import { systemClock } from '../system.ts';
import { backUpHome } from './maintain.ts';

test('backups of the same moment get different names', async () => {
  const root = mkdtempSync(join(tmpdir(), 'exai-backups-'));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const loaded = loadConfig({ env: { EXAI_HOME: root } });
  const { dataDir, backupDir } = loaded.home;
  const store = await openStore({
    database: '',
    dataDir,
    backupDir,
    writerId: 'writer_test',
    clock: systemClock,
    log: createListLog(),
  });
  await store.close();
  const nowMs = Date.UTC(2026, 10, 20, 1, 2, 3, 45);
  const clock = { ...systemClock, now: () => nowMs };
  const names: string[] = [];
  for (const format of [undefined, undefined, 'portable', 'portable'] as const) {
    const { file } = await backUpHome(loaded, clock, {
      auditKeys: 'leave_out',
      ...(format && { format }),
    });
    names.push(basename(file));
  }
  expect(names).toEqual([
    'exai-2026-11-20T01-02-03-045.db',
    'exai-2026-11-20T01-02-03-045-2.db',
    'exai-2026-11-20T01-02-03-045.jsonl.gz',
    'exai-2026-11-20T01-02-03-045-2.jsonl.gz',
  ]);
});
