import { rmSync } from 'node:fs';
import { MIGRATIONS } from '#store/migrations/migrations.ts';
import { sqliteFile } from '#store/sqlite/file.ts';
import { createFakeClock } from '../../fake-clock.ts';
import { createListLog } from '../../list-log.ts';
import { meddle, prepareStore } from '../../old-store.ts';
import type { MaintainedHome } from './filled-home.ts';

const OLD_SCHEMA = 12;
const PART_CHARS = 500_000;

/** Puts a database of an older version in the place of the one of a home, with so many texts of a megabyte. */
export async function putOlderStore(home: MaintainedHome, texts: number): Promise<void> {
  const database = home.env.EXAI_DATABASE_URL;
  const place = {
    database,
    dataDir: home.path('data'),
    backupDir: home.path('backups'),
    clock: createFakeClock(),
    log: createListLog(),
    remove: async () => undefined,
  };
  if (database === '') {
    for (const suffix of ['', '-wal', '-shm'])
      rmSync(sqliteFile(place.dataDir) + suffix, { force: true });
  } else {
    await meddle(place, 'drop schema public cascade');
    await meddle(place, 'create schema public');
  }
  // Another database, so the recorded end of the audit is not its own.
  rmSync(home.path('audit-head'), { force: true });
  rmSync(home.path('data', 'audit-keys.json'), { force: true });
  await prepareStore(place, MIGRATIONS.slice(0, OLD_SCHEMA));
  const part = 'The tide turns. '.repeat(PART_CHARS / 16);
  for (let n = 0; n < texts; n += 1) {
    const id = `res_old${n}`;
    await meddle(
      place,
      `insert into results (id, principal, tool, req_id, chars, created_at)
        values ('${id}', 'local', 'chat', 'req_1', ${2 * PART_CHARS}, ${Date.now()})`,
    );
    for (const at of [0, PART_CHARS])
      await meddle(
        place,
        `insert into result_parts (result_id, at, text) values ('${id}', ${at}, '${part}')`,
      );
  }
}
