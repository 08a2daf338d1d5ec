import { join } from 'node:path';
import { expect } from 'vitest';
import { restoreStore, salvageStore } from '#store/backup/maintenance.ts';
import { openStore } from '#store/open-store.ts';
import { openSqlite } from '#store/sqlite/connection.ts';
import { sqliteFile } from '#store/sqlite/file.ts';
import { afterWaiting } from './after-waiting.ts';
import { damageTable, type DamagedPlace } from './damage.ts';
import { fillStore } from './fixtures/store-content.ts';
import { makeStoreHome } from './stores.ts';

/** More than the 16 MiB that a start checks. */
const TEXT_CHARS = 3000;

/**
 * Damages one page of a database that is too large for the check at the start: the daemon starts, the
 * background check finds it, and all but what the page had is saved and restored.
 */
export async function damageRound(
  table: 'turns' | 'calls',
  place: DamagedPlace,
  rows = 6000,
): Promise<{ lost: number }> {
  const home = await makeStoreHome('sqlite');
  try {
    const first = await openStore({ ...home, writerId: 'writer_a' });
    await fillStore(first);
    await first.close();
    enlarge(sqliteFile(home.dataDir), rows);
    const whole = await openStore({ ...home, writerId: 'writer_a' });
    expect(await afterWaiting(home.clock, whole.checkPages())).toBeUndefined();
    await whole.close();

    damageTable(home, table, place);
    const store = await openStore({ ...home, writerId: 'writer_a' });
    expect(store.damage()).toBeUndefined();
    expect(await afterWaiting(home.clock, store.checkPages())).toMatchObject({
      tables: expect.arrayContaining([table]) as string[],
    });
    expect(await store.health()).toMatchObject({ damage: { tables: [table] } });
    expect(home.log.lines).toContainEqual(expect.objectContaining({ event: 'store_damaged' }));
    await store.close();

    const file = join(home.dataDir, '..', 'salvaged.jsonl.gz');
    const saved = await salvageStore(home, { file, nowMs: 1 });
    expect(saved.damaged.map((each) => each.table)).toContain(table);
    await restoreStore(home, { file, nowMs: 2, existing: 'refuse' });
    const again = await openStore({ ...home, writerId: 'writer_a' });
    expect(await afterWaiting(home.clock, again.checkPages())).toBeUndefined();
    await again.close();
    const db = openSqlite(sqliteFile(home.dataDir), 'read');
    const [left = {}] = db.all(`select count(*) as n from ${table} where ${OURS[table]}`);
    db.close();
    return { lost: rows - Number(left['n']) };
  } finally {
    await home.remove();
  }
}

const OURS = {
  turns: `conversation_id = 'conv_large'`,
  calls: `writer_id = 'writer_large'`,
} as const;

function enlarge(file: string, rows: number): void {
  const db = openSqlite(file, 'write');
  const numbers = `(with recursive g(n) as (select 1 union all select n + 1 from g where n < ${rows}) select n from g)`;
  const insert = (table: string, from: string, changed: Readonly<Record<string, string>>) => {
    const columns = db
      .all(`select name from pragma_table_info('${table}')`)
      .map((row) => String(row['name']));
    const values = columns.map((column) => changed[column] ?? column);
    db.exec(`insert into ${table} (${columns.join()}) select ${values.join()} from ${from}`);
  };
  db.exec('begin');
  insert('conversations', `(select * from conversations limit 1)`, { id: `'conv_large'` });
  insert('turns', `(select * from turns limit 1), ${numbers}`, {
    id: '1000 + n',
    conversation_id: `'conv_large'`,
    seq: 'n',
    content: `n || hex(randomblob(${TEXT_CHARS / 2}))`,
  });
  insert('calls', `(select * from calls limit 1), ${numbers}`, {
    writer_id: `'writer_large'`,
    seq: 'n',
    req_id: `'req_large' || n`,
  });
  db.exec('commit');
  db.close();
}
