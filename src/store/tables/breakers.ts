import type { Clock } from '#core/time/clock.ts';
import type { BreakerStore } from '#core/stores/breakers.ts';
import { int, json, text, toJsonText } from './columns.ts';
import { execute, type Database, type Query } from '../database.ts';

export function createBreakerStore(db: Database, clock: Pick<Clock, 'now'>): BreakerStore {
  return {
    async save(key, state) {
      await execute(db, {
        sql: `insert into breakers (name, state, updated_at) values (?, ?, ?)
              on conflict (name) do update set state = excluded.state, updated_at = excluded.updated_at`,
        params: [key, toJsonText(state), clock.now()],
      });
    },
    all: () => readBreakers((sql) => db.read(sql)),
  };
}

/** All saved states, by key. */
export async function readBreakers(query: Query): ReturnType<BreakerStore['all']> {
  const rows = await query('select * from breakers order by name');
  return rows.map((row) => ({
    key: text(row, 'name'),
    state: json(row, 'state'),
    updatedAt: int(row, 'updated_at'),
  }));
}
