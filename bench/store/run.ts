/**
 * The store: durable audit rows per second, and whether the millionth turn costs what the
 * thousandth did.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { systemClock, systemRandom } from '#app/system.ts';
import { createIds } from '#core/ids.ts';
import type { Store } from '#core/stores/store.ts';
import { openStore, type StoreOptions } from '#store/open-store.ts';
import { openSqlite } from '#store/sqlite/connection.ts';
import { sqliteFile } from '#store/sqlite/file.ts';
import { startPostgres } from '../../test/postgres.ts';
import { keysInMemory } from '../../test/audit-keys-in-memory.ts';
import { callRecord } from '../../test/fixtures/store-content.ts';
import { createListLog } from '../../test/list-log.ts';
import { median, report, type BenchRow } from '../report.ts';

const SMALL = 1000;
const LARGE = 1_000_000;
const TURNS_PER_THREAD = 200;
const rows: BenchRow[] = [];
const dir = mkdtempSync(join(tmpdir(), 'exai-bench-store-'));
const newId = createIds(systemClock, systemRandom);
const server = await startPostgres();
let databases = 0;

function place(name: string, database = ''): StoreOptions {
  const home = join(dir, name);
  return {
    database,
    dataDir: join(home, 'data'),
    backupDir: join(home, 'backups'),
    writerId: 'writer_bench',
    auditKeys: keysInMemory(),
    clock: systemClock,
    log: createListLog(),
  };
}

async function newDatabase(): Promise<string> {
  const name = `bench_${++databases}`;
  await postgres(server.url, `create database ${name}`);
  return server.url.replace(/\/postgres$/, `/${name}`);
}

async function postgres(url: string, ...sql: string[]): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  for (const each of sql) await client.query(each);
  await client.end();
}

const call = (reqId: string) => callRecord(reqId, systemClock.now());

/** Callers that each wait for their row to be durable before they send the next. */
async function auditRate(store: Store, callers: number, perCaller: number) {
  const cpu = process.cpuUsage();
  const start = systemClock.monotonic();
  await Promise.all(
    Array.from({ length: callers }, async () => {
      for (let n = 0; n < perCaller; n++) await store.calls.record(call(newId('req')));
    }),
  );
  const seconds = (systemClock.monotonic() - start) / 1000;
  const { user, system } = process.cpuUsage(cpu);
  const total = callers * perCaller;
  return { perSecond: total / seconds, cpuMicros: (user + system) / total };
}

async function benchAudit(): Promise<void> {
  const store = await openStore(place('audit'));
  await auditRate(store, 64, 200);
  const runs = [];
  for (let run = 0; run < 9; run++) runs.push(await auditRate(store, 64, 2000));
  const rates = runs.map(({ perSecond }) => perSecond);
  // Whatever else the machine does can only slow a run down: the best tells what the store can, the
  // median how steadily.
  const best = Math.max(...rates);
  rows.push({
    what: `sqlite: durable audit rows from 64 callers, best of ${runs.length} (median ${Math.round(median(rates))})`,
    value: Math.round(best),
    unit: 'rows/s',
    goal: '≥ 50,000',
    ok: best >= 50_000,
  });
  rows.push({
    what: 'sqlite: CPU per durable audit row at 64 callers, both threads',
    value: median(runs.map(({ cpuMicros }) => cpuMicros)),
    unit: 'µs',
  });
  const alone = await auditRate(store, 1, 1000);
  rows.push({
    what: 'sqlite: CPU per durable audit row, one caller',
    value: alone.cpuMicros,
    unit: 'µs',
  });
  await store.close();

  const team = await openStore(place('audit-pg', await newDatabase()));
  await auditRate(team, 64, 50);
  const shared = await auditRate(team, 64, 500);
  rows.push({
    what: 'postgres: durable audit rows from 64 callers',
    value: Math.round(shared.perSecond),
    unit: 'rows/s',
  });
  await team.close();
}

/** Threads of equal length, made by the database itself: filling is not what is measured. */
function fillSql(kind: 'sqlite' | 'postgres', turns: number): string[] {
  const threads = Math.ceil(turns / TURNS_PER_THREAD);
  const series =
    kind === 'sqlite'
      ? (to: number) =>
          `with recursive s(n) as (select 1 union all select n + 1 from s where n < ${to})`
      : (to: number) => `with s as (select n from generate_series(1, ${to}) as n)`;
  const words = `'word' || (n % 5000) || ' and some more text that makes up a turn of ordinary length, say a paragraph'`;
  const thread = `'conv_' || ((n - 1) / ${TURNS_PER_THREAD})`;
  return [
    `insert into conversations (id, principal, title, model, state, parent_id, turns, created_at, updated_at)
      ${series(threads)} select 'conv_' || (n - 1), 'ann', 't', null, 'null', null, ${TURNS_PER_THREAD}, n, n from s`,
    `insert into turns (conversation_id, seq, role, tool, provider, model, content, files, usage, created_at)
      ${series(turns)} select ${thread}, ((n - 1) % ${TURNS_PER_THREAD}) + 1, 'user', 'chat', null, null,
      ${words}, '[]', 'null', n from s`,
    kind === 'sqlite'
      ? 'insert into turn_words (rowid, words) select id, lower(content) from turns'
      : `insert into turn_words (turn_id, part, words) select id, 0, to_tsvector('simple', content) from turns`,
  ];
}

interface Costs {
  readonly open: number;
  readonly append: number;
  readonly last50: number;
}

async function costs(options: StoreOptions, turns: number): Promise<Costs> {
  const opened: number[] = [];
  for (let run = 0; run < 21; run++) {
    const start = systemClock.monotonic();
    const store = await openStore(options);
    opened.push(systemClock.monotonic() - start);
    await store.close();
  }
  const store = await openStore(options);
  const threads = Math.ceil(turns / TURNS_PER_THREAD);
  const pick = (n: number) => `conv_${(n * 7919) % threads}`;
  const append = await each(400, (n) =>
    store.conversations.append(pick(n), 'ann', [
      { role: 'user', tool: 'chat', content: `appended words ${n}` },
    ]),
  );
  const last50 = await each(400, (n) => store.conversations.turns(pick(n), 'ann', 50));
  await store.close();
  return { open: median(opened), append, last50 };
}

async function each(times: number, work: (n: number) => Promise<unknown>): Promise<number> {
  const taken: number[] = [];
  for (let n = 0; n < times; n++) {
    const start = systemClock.monotonic();
    await work(n);
    taken.push(systemClock.monotonic() - start);
  }
  return median(taken);
}

async function benchGrowth(kind: 'sqlite' | 'postgres'): Promise<void> {
  const measured: Costs[] = [];
  for (const turns of [SMALL, LARGE]) {
    const options = place(`${kind}-${turns}`, kind === 'sqlite' ? '' : await newDatabase());
    await (await openStore(options)).close();
    if (kind === 'sqlite') {
      const db = openSqlite(sqliteFile(options.dataDir), 'write');
      for (const sql of fillSql(kind, turns)) db.exec(sql);
      db.exec('pragma wal_checkpoint(truncate)');
      db.close();
    } else {
      await postgres(options.database, ...fillSql(kind, turns), 'vacuum analyze', 'checkpoint');
    }
    measured.push(await costs(options, turns));
  }
  const [small, large] = measured as [Costs, Costs];
  for (const what of ['open', 'append', 'last50'] as const) {
    const ratio = large[what] / small[what];
    rows.push({
      what: `${kind}: ${what} at 1,000,000 turns (at 1,000: ${small[what].toFixed(3)} ms)`,
      value: large[what],
      unit: 'ms',
      ratio,
      goal: '≤ 1.5 × of 1,000',
      ok: ratio <= 1.5,
    });
  }
}

await benchAudit();
await benchGrowth('sqlite');
await benchGrowth('postgres');
await server.stop();
rmSync(dir, { recursive: true, force: true });
report('store', rows);
