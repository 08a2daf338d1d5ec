import { openStore } from '#store/open-store.ts';
import { openSqlite } from '#store/sqlite/connection.ts';
import { sqliteFile } from '#store/sqlite/file.ts';
import { createFakeClock } from '../../fake-clock.ts';
import { createHome } from '../../e2e/exai.ts';
import { recordCall } from '../../fixtures/store-content.ts';
import { createListLog } from '../../list-log.ts';
import { queryOnce } from '../../query-once.ts';

export type MaintainedHome = Awaited<ReturnType<typeof openMaintainedHome>>;

const TEXT_CHARS = 1_000_000;

/** A home, its database and what to look for in it. */
export async function openMaintainedHome(databaseUrl = '') {
  const home = createHome();
  const env = { EXAI_DATABASE_URL: databaseUrl, EXAI_AUTOSTART: 'off' };
  const dataDir = home.path('data');
  const first = await home.serve([], { env });
  first.kill('SIGTERM');
  await first.ended;

  async function query(sql: string): Promise<readonly Readonly<Record<string, unknown>>[]> {
    if (databaseUrl !== '') return queryOnce(databaseUrl, sql);
    const db = openSqlite(sqliteFile(dataDir), 'read');
    try {
      return db.all(sql);
    } finally {
      db.close();
    }
  }

  /** Adds texts of a megabyte and calls, by another daemon; `atMs`: when. */
  async function fill(tag: string, texts: number, atMs = Date.now()): Promise<void> {
    const options = { database: databaseUrl, dataDir, backupDir: home.path('backups') };
    const clock = createFakeClock(atMs);
    const log = createListLog();
    const store = await openStore({ ...options, writerId: 'writer_fill', clock, log });
    for (let n = 0; n < texts; n += 1) {
      const id = `res_${tag}${n}` as const;
      const text = `${tag} ${n} ${'The tide turns. '.repeat(TEXT_CHARS / 16)}`;
      await store.results.keep({ id, principal: 'local', tool: 'chat', reqId: 'req_1', text });
      await recordCall(store, `req_${tag}${n}`);
    }
    await store.close();
  }

  return {
    ...home,
    env,
    query,
    fill,
    async texts(): Promise<number> {
      return Number((await query('select count(*) as n from results'))[0]?.['n']);
    },
    /** Starts a daemon, and returns what it says of itself; then stops it. */
    async startOnce(): Promise<readonly string[]> {
      const daemon = await home.serve([], { env });
      const { stdout } = await home.exai(['status', '--json'], { env });
      const { notices = [] } = JSON.parse(stdout) as { notices?: { code: string }[] };
      daemon.kill('SIGTERM');
      await daemon.ended;
      return notices.map(({ code }) => code);
    },
    async isAuditWhole(): Promise<boolean> {
      return (await home.exai(['audit', 'verify'], { env })).code === 0;
    },
  };
}
