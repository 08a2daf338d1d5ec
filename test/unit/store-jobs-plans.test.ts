import { afterAll, beforeAll, expect, test } from 'vitest';
import { createJobStore } from '#store/tables/jobs.ts';
import type { Database, Cell } from '#store/database.ts';
import { openStore } from '#store/open-store.ts';
import { createResultStore } from '#store/tables/results.ts';
import { openSqlite, type SqliteConnection } from '#store/sqlite/connection.ts';
import { sqliteFile } from '#store/sqlite/file.ts';
import { answering } from '../cases/jobs-case.ts';
import { makeStoreHome, type StoreHome } from '../stores.ts';
import { verifies } from '../verifies.ts';

let home: StoreHome;
let db: SqliteConnection;

beforeAll(async () => {
  home = await makeStoreHome('sqlite');
  await (await openStore({ ...home, writerId: 'writer_a' })).close();
  db = openSqlite(sqliteFile(home.dataDir), 'write');
});
afterAll(async () => {
  db.close();
  await home.remove();
});

/** The engine on this thread, and how it went about each statement. */
function watched() {
  const plans: string[] = [];
  const run = (sql: string, params: readonly Cell[] = []) => {
    const steps = db.all(`explain query plan ${sql}`, params);
    plans.push(...steps.map(({ detail }) => String(detail)));
    return db.all(sql, params);
  };
  const database: Database = {
    dialect: 'sqlite',
    read: async (sql, params) => run(sql, params),
    scan: async (sql, params) => run(sql, params),
    write: async ({ statements }) => statements.map(({ sql, params }) => run(sql, params)),
    writeLazily: () => undefined,
    snapshot: (work) => work(async (sql, params) => run(sql, params)),
    health: async () => ({ ok: true }),
    failure: () => undefined,
    damage: () => undefined,
    checkPages: async () => undefined,
    close: async () => undefined,
  };
  return { database, plans };
}

/** Rows are found by an index and come in its order; the few that are not over may be walked. */
function isFlat(plan: string): boolean {
  if (plan.startsWith('SEARCH')) return / USING (COVERING )?INDEX /.test(plan);
  if (plan.startsWith('SCAN')) return /INDEX jobs_(to_do|open)\b|CONSTANT ROWS/.test(plan);
  return plan.startsWith('SCALAR SUBQUERY');
}

verifies(
  'jobs:flat',
  'no statement about a job walks through the jobs that are over or puts them in order',
  async () => {
    const { database, plans } = watched();
    const jobs = createJobStore(database, home.clock);
    const job = { id: 'job_1', principal: 'ann', tool: 't', input: 1 } as const;
    await jobs.enqueue(job);
    const claimed = await jobs.claim('a', 1000);
    const lease = { jobId: job.id, fence: claimed?.fence ?? 0 };
    await jobs.heartbeat(lease, 1000, { note: 'n', progress: 1, checkpoint: 1 });
    await jobs.release(lease);
    await jobs.orphan('b');
    const next = await jobs.adopt({ ...job, id: 'job_2' }, 'a', 1000);
    await jobs.ask(next, 1);
    await jobs.answer('job_2', 'ann', answering(1, 2, 'queued'));
    await jobs.finish(next, { status: 'done', result: 1 });
    await jobs.cancel('job_2', 'ann');
    await jobs.get('job_1', 'ann');
    for (const before of [{}, { before: 'job_2' }]) {
      await jobs.list('ann', 10, before);
      await jobs.list('ann', 10, { ...before, open: true });
    }
    expect(plans.length).toBeGreaterThan(10);
    expect(plans.filter((plan) => !isFlat(plan))).toEqual([]);
  },
);

verifies('jobs:flat', 'the open jobs are listed without looking at any that is over', async () => {
  const { database, plans } = watched();
  const jobs = createJobStore(database, home.clock);
  await jobs.enqueue({ id: 'job_3', principal: 'ann', tool: 't', input: 1 });
  plans.length = 0;
  await jobs.list('ann', 10, { open: true });
  await jobs.list('ann', 10, { open: true, before: 'job_3' });
  const [first, , second] = plans;
  expect([first, second]).toEqual(Array(2).fill('SEARCH jobs USING INDEX jobs_open (principal=?)'));
});

verifies('jobs:flat', 'a list reads nothing of a job that may be large', async () => {
  const { database } = watched();
  const asked: string[] = [];
  const jobs = createJobStore(
    { ...database, read: (sql, params) => (asked.push(sql), database.read(sql, params)) },
    home.clock,
  );
  await jobs.list('ann', 10);
  expect(asked.join()).not.toMatch(/\*|\b(input|result|progress|checkpoint|asks)\b/);
  // SQLite reads a row from its start: what a list needs stands before all that is large.
  const columns = db
    .all(`select name from pragma_table_info('jobs')`)
    .map(({ name }) => String(name));
  expect(columns.slice(-5).toSorted()).toEqual([
    'asks',
    'checkpoint',
    'input',
    'progress',
    'result',
  ]);
});

verifies('jobs:flat', 'no statement about a result walks through others', async () => {
  const { database, plans } = watched();
  const results = createResultStore(database, home.clock);
  await results.keep({
    id: 'res_1',
    principal: 'ann',
    tool: 't',
    reqId: 'req_1',
    text: 'x'.repeat(100_000),
  });
  await results.read('res_1', 'ann', 50_000, 20_000);
  await results.list('ann', 10);
  await results.list('ann', 10, 'res_1');
  expect(plans.filter((plan) => !isFlat(plan))).toEqual([]);
});

test('a text that retention is taking away is not there, rather than in pieces', async () => {
  const { database } = watched();
  const results = createResultStore(database, home.clock);
  const result = { id: 'res_2', principal: 'ann', tool: 't', reqId: 'req_1' } as const;
  await results.keep({ ...result, text: 'x'.repeat(100_000) });
  db.run(`delete from result_parts where result_id = 'res_2' and at < 20000`);
  expect(await results.read('res_2', 'ann', 0, 10)).toBeUndefined();
  expect(await results.read('res_2', 'ann', 30_000, 50_000)).toBeUndefined();
  expect(await results.read('res_2', 'ann', 50_000, 10)).toMatchObject({ text: 'x'.repeat(10) });
});
