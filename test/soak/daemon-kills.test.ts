import { expect, test } from 'vitest';
import { openSqlite } from '#store/sqlite/connection.ts';
import { sqliteFile } from '#store/sqlite/file.ts';
import { createHome } from '../e2e/exai.ts';
import { reportSoak } from '../soak-table.ts';
import { compare, settledJobs } from './store-faults/compare.ts';
import { failuresOf, startLoad } from './store-faults/load.ts';
import { openWorld, vendorEnv, type World } from './store-faults/world.ts';

/** EXAI_SOAK_KILLS makes it shorter. */
const KILLS = Number(process.env['EXAI_SOAK_KILLS'] ?? 100);
const CLIENTS = 8;
/** Vendors answer in milliseconds, and a daemon starts in seconds. */
const HUNG_MS = 30_000;

test.each(['SQLite', 'PostgreSQL'] as const)(
  'a daemon that is killed under mixed load again and again loses nothing that was acknowledged on %s',
  async (store) => {
    const world = await openWorld();
    const home = createHome();
    const databaseUrl = store === 'SQLite' ? '' : world.server.url;
    const env = {
      ...vendorEnv(world.emulator),
      EXAI_DATABASE_URL: databaseUrl,
      EXAI_LIMITS_KIMI: '32',
      EXAI_LIMITS_GLM: '32',
    };
    const query = store === 'SQLite' ? queryOf(home.path('data')) : world.query;
    let daemon = await home.serve([], { env });
    const load = startLoad(() => daemon.url, CLIENTS);
    const acknowledged = () => load.ends.filter(({ is }) => is === 'acknowledged').length;
    for (let kill = 0; kill < KILLS; kill += 1) {
      const enough = acknowledged() + 5 + ((kill * 7) % 23);
      await expect.poll(acknowledged).toBeGreaterThan(enough);
      daemon.kill('SIGKILL');
      await daemon.ended;
      daemon = await home.serve([], { env });
    }
    const ends = await load.stop();
    await settledJobs(query);
    const figures = await compare(query, ends);
    const hung = ends.filter(({ ms }) => ms > HUNG_MS).length;
    const chats = ends.filter(({ conversationId }) => conversationId !== undefined).length;
    daemon.kill('SIGTERM');
    const { code } = await daemon.ended;
    const audit = await home.exai(['audit', 'verify'], { env });
    reportSoak({
      test: `kill -9 under mixed load, ${store}`,
      amount: `${KILLS} kills, ${ends.length} requests, ${figures.acknowledged} acknowledged`,
      lost: figures.lost.length,
      hung,
      wrong: figures.wrong.length + (audit.code === 0 ? 0 : 1),
      note: `${chats} conversations; longest ${Math.round(Math.max(...ends.map(({ ms }) => ms)))} ms; usage rows ${figures.usage}; failed ${JSON.stringify(failuresOf(ends))}; audit verify: exit ${audit.code}`,
    });
    expect({ code, hung, lost: figures.lost, wrong: figures.wrong, audit: audit.code }).toEqual({
      code: 0,
      hung: 0,
      lost: [],
      wrong: [],
      audit: 0,
    });
  },
);

function queryOf(dataDir: string): World['query'] {
  return async (sql) => {
    const db = openSqlite(sqliteFile(dataDir), 'read');
    try {
      return db.all(sql);
    } finally {
      db.close();
    }
  };
}
