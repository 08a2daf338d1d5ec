import { chmodSync } from 'node:fs';
import { expect, onTestFinished, test } from 'vitest';
import { openSqlite } from '#store/sqlite/connection.ts';
import { sqliteFile } from '#store/sqlite/file.ts';
import { startEmulator, type Emulator } from '../../emulator/start.ts';
import { createHome, type RunningDaemon } from '../e2e/exai.ts';
import { retried } from '../eventually.ts';
import { get } from '../http-get.ts';
import { findPostgres } from '../../scripts/system-programs.ts';
import { startPostgres, type PostgresServer } from '../postgres.ts';
import { queryOnce } from '../query-once.ts';
import { canMountDisks, mountSmallDisk, type SmallDisk } from '../small-disk.ts';
import { reportSoak } from '../soak-table.ts';
import { compare, settledJobs } from './store-faults/compare.ts';
import { failuresOf, startLoad, watchVendors } from './store-faults/load.ts';
import { pause, vendorEnv } from './store-faults/world.ts';

const CLIENTS = 8;
const FULL_MS = 12_000;

type Query = Parameters<typeof settledJobs>[0];

/** A daemon whose store is on a small disk. */
interface Subject {
  readonly daemon: RunningDaemon;
  readonly disk: SmallDisk;
  readonly query: Query;
}

const STORES: Readonly<Record<string, (emulator: Emulator) => Promise<Subject>>> = {
  async SQLite(emulator) {
    const home = createHome();
    const disk = mountSmallDisk(home.root, 48);
    chmodSync(home.root, 0o700);
    const daemon = await home.serve([], { env: vendorEnv(emulator) });
    return {
      daemon,
      disk,
      async query(sql) {
        const db = openSqlite(sqliteFile(home.path('data')), 'read');
        try {
          return db.all(sql, []);
        } finally {
          db.close();
        }
      },
    };
  },
  async PostgreSQL(emulator) {
    let disk: SmallDisk | undefined;
    let server: PostgresServer | undefined;
    // Before the disk is mounted, so that it is removed after the disk.
    onTestFinished(() => server?.stop());
    // Its log stays on another disk: PostgreSQL ends itself where that is full.
    const { url } = (server = await startPostgres(findPostgres(), 'on disk', (data) => {
      disk = mountSmallDisk(data, 96);
    }));
    const env = { ...vendorEnv(emulator), EXAI_DATABASE_URL: url };
    const daemon = await createHome().serve([], { env });
    if (!disk) throw new Error('No disk was mounted');
    return { daemon, disk, query: (sql) => queryOnce(url, sql) };
  },
};

test.each(Object.keys(STORES))(
  'a full disk under %s: calls are refused as retryable, nothing acknowledged is lost, and it works again with space',
  async (name) => {
    const title = `full disk for 12 seconds under load, ${name}`;
    const open = STORES[name];
    if (!open || !canMountDisks) {
      const note = 'only root of Linux can mount a small disk';
      return reportSoak({ test: title, amount: 'not run', lost: 0, hung: 0, wrong: 0, note });
    }
    const emulator = await startEmulator();
    onTestFinished(() => emulator.close());
    const { daemon, disk, query } = await open(emulator);
    const vendors = watchVendors(emulator);
    const load = startLoad(() => daemon.url, CLIENTS);
    const readyz = async () => (await get(`${daemon.url}/readyz`)).status;
    await pause(2000);
    disk.fill();
    await retried(async () => expect(await readyz()).toBe(503));
    const answered = load.ends.filter(({ is }) => is === 'acknowledged').length;
    const asked = vendors.whole();
    await pause(FULL_MS);
    const askedWhileFull = vendors.whole() - asked;
    const statusWhileFull = await readyz();
    disk.free();
    await retried(async () => expect(await readyz()).toBe(200));
    await pause(2000);
    const ends = await load.stop();
    await settledJobs(query);
    daemon.kill('SIGTERM');
    const { code } = await daemon.ended;
    const { whole } = vendors.stop();
    const figures = await compare(query, ends);
    const failures = failuresOf(ends);
    reportSoak({
      test: title,
      amount: `${ends.length} requests, ${figures.acknowledged} acknowledged`,
      lost: figures.lost.length,
      hung: 0,
      wrong: figures.wrong.length + Math.abs(whole - figures.usage),
      note: `vendors answered ${whole}, ${askedWhileFull} of them once it was known to be full; usage rows ${figures.usage}; failed ${JSON.stringify(failures)}; longest ${Math.round(Math.max(...ends.map(({ ms }) => ms)))} ms`,
    });
    const { lost, wrong, usage, acknowledged } = figures;
    expect({ code, lost, wrong, usage, statusWhileFull }).toEqual({
      code: 0,
      lost: [],
      wrong: [],
      usage: whole,
      statusWhileFull: 503,
    });
    expect(Object.keys(failures).length).toBeGreaterThan(0);
    expect(acknowledged).toBeGreaterThan(answered);
  },
);
