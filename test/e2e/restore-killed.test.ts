import { existsSync, linkSync, readdirSync, renameSync, writeFileSync } from 'node:fs';
import { expect } from 'vitest';
import { restoreStore } from '#store/backup/maintenance.ts';
import { openSqlite } from '#store/sqlite/connection.ts';
import { sqliteFile } from '#store/sqlite/file.ts';
import { storeTurn } from '../store-file-rounds.ts';
import { verifies } from '../verifies.ts';
import { createHome } from './exai.ts';

type Home = ReturnType<typeof createHome>;

function count(home: Home, sql: string): number {
  const db = openSqlite(sqliteFile(home.path('data')), 'read');
  try {
    return Number(db.all(`select count(*) as n from ${sql}`)[0]?.['n']);
  } finally {
    db.close();
  }
}

/** A home with one turn in a backup, and two in its database. */
async function homeWithBackup(end: NodeJS.Signals): Promise<{ home: Home; backup: string }> {
  const home = createHome();
  const daemon = await home.serve();
  expect((await storeTurn(home, 'saved')).code).toBe(0);
  const backup = home.path('saved.db');
  expect((await home.exai(['backup', backup])).code).toBe(0);
  expect((await storeTurn(home, 'later')).code).toBe(0);
  daemon.kill(end);
  await daemon.ended;
  return { home, backup };
}

async function noticesOf(home: Home): Promise<readonly { readonly code: string }[]> {
  const { stdout } = await home.exai(['status', '--json']);
  const { notices = [] } = JSON.parse(stdout) as { notices?: readonly { code: string }[] };
  return notices;
}

verifies(
  'store:killed-restore',
  'a restore that is killed after it replaced the data is completed by the next start',
  async () => {
    const { home, backup } = await homeWithBackup('SIGTERM');
    // What the command does until it is killed.
    const place = { database: '', dataDir: home.path('data'), backupDir: home.path('backups') };
    await restoreStore(place, { file: backup, nowMs: 9, existing: 'refuse' });
    const daemon = await home.serve();
    expect(await noticesOf(home)).toEqual([]);
    expect(await home.exai(['audit', 'verify'])).toMatchObject({ code: 0 });
    expect(count(home, `calls where tool = 'store_restore'`)).toBe(1);
    expect(count(home, 'conversations')).toBe(1);
    daemon.kill('SIGTERM');
    await daemon.ended;
    (await home.serve()).kill('SIGTERM');
    expect(count(home, `calls where tool = 'store_restore'`)).toBe(1);
  },
);

verifies(
  'store:killed-restore',
  'a restore that is killed before it replaced the data loses nothing, and the next start says what to do',
  async () => {
    const { home, backup } = await homeWithBackup('SIGKILL');
    const file = sqliteFile(home.path('data'));
    // It had put the database and its log aside, as those of a damaged database.
    linkSync(file, `${file}.replaced-9`);
    renameSync(`${file}-wal`, `${file}.replaced-9-wal`);
    writeFileSync(`${file}.restoring-9`, '');
    const begun = Date.now();
    writeFileSync(home.path('restore.json'), JSON.stringify({ backup, begun }));
    const daemon = await home.serve();
    expect(await noticesOf(home)).toMatchObject([{ code: 'restore_not_finished' }]);
    const { stdout } = await home.exai(['doctor', '--json']);
    expect(stdout).toContain(`exai restore ${backup}`);
    expect(count(home, 'conversations')).toBe(2);
    expect(readdirSync(home.path('data')).filter((name) => /\.re[a-z]+-9/.test(name))).toEqual([]);
    expect(await home.exai(['audit', 'verify'])).toMatchObject({ code: 0 });
    daemon.kill('SIGTERM');
    await daemon.ended;
    expect(await home.exai(['restore', backup])).toMatchObject({ code: 0 });
    expect(existsSync(home.path('restore.json'))).toBe(false);
    await home.serve();
    expect(await noticesOf(home)).toEqual([]);
    expect(count(home, 'conversations')).toBe(1);
  },
);
