import type { Clock } from '#core/time/clock.ts';
import type { SettingStore } from '#core/stores/settings.ts';
import { json, toJsonText } from './columns.ts';
import { execute, type Database } from '../database.ts';

export function createSettingStore(db: Database, clock: Pick<Clock, 'now'>): SettingStore {
  return {
    async get(name) {
      const [row] = await db.read('select value from settings where name = ?', [name]);
      return row && json(row, 'value');
    },
    async set(name, value) {
      await execute(db, {
        sql: `insert into settings (name, value, updated_at) values (?, ?, ?)
              on conflict (name) do update set value = excluded.value, updated_at = excluded.updated_at`,
        params: [name, toJsonText(value), clock.now()],
      });
    },
    async keep(name, value) {
      await execute(db, {
        sql: `insert into settings (name, value, updated_at) values (?, ?, ?)
              on conflict (name) do nothing`,
        params: [name, toJsonText(value), clock.now()],
      });
      return (await this.get(name)) ?? value;
    },
    async delete(name) {
      await execute(db, { sql: 'delete from settings where name = ?', params: [name] });
    },
  };
}
