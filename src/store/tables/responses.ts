import type { ResponseStore, StoredResponse } from '#core/stores/responses.ts';
import type { Clock } from '#core/time/clock.ts';
import { int, text, textOrNull } from './columns.ts';
import { execute, type Database, type Row } from '../database.ts';

/** Longer than any conversation that a model could still read. */
const MAX_LINKS = 1000;
/** More than any context window holds. */
const MAX_CHARS = 16_000_000;
/** A larger chain is read apart from the calls. */
const QUICK_CHARS = 262_144;

const CHAIN = `
  with recursive chain (id, previous_id, chars, depth) as (
    select id, previous_id, chars, 1 from responses where id = ? and principal = ?
    union all
    select older.id, older.previous_id, older.chars, chain.depth + 1
    from responses older join chain on older.id = chain.previous_id
    where older.principal = ? and chain.depth <= ?)`;

export function createResponseStore(db: Database, clock: Pick<Clock, 'now'>): ResponseStore {
  return {
    async save({ id, principal, previousId, input, response }) {
      await execute(db, {
        // A response whose predecessor was deleted meanwhile begins a chain.
        sql: `insert into responses (id, principal, chain_id, previous_id, created_at, chars, input, response)
          values (?, ?, coalesce((select chain_id from responses where id = ? and principal = ?), ?), ?, ?, ?, ?, ?)`,
        params: [
          id,
          principal,
          previousId ?? '',
          principal,
          id,
          previousId,
          clock.now(),
          input.length + response.length,
          input,
          response,
        ],
      });
    },

    async get(id, principal) {
      const [row] = await db.read('select * from responses where id = ? and principal = ?', [
        id,
        principal,
      ]);
      return row && toResponse(row);
    },

    async chain(id, principal) {
      const start = [id, principal, principal, MAX_LINKS];
      const links = await db.read(
        `${CHAIN} select id, previous_id, chars from chain order by depth`,
        start,
      );
      const chars = links.reduce((sum, link) => sum + int(link, 'chars'), 0);
      if (links.length > MAX_LINKS || chars > MAX_CHARS) return 'too_long';
      const oldest = links.at(-1);
      if (!oldest) return 'missing';
      if (textOrNull(oldest, 'previous_id') !== null) return 'broken';
      const ask = chars > QUICK_CHARS ? db.scan : db.read;
      const rows = await ask(
        `${CHAIN} select responses.* from chain join responses on responses.id = chain.id
          order by chain.depth desc`,
        start,
      );
      // Retention or a client removed one between the two reads.
      return rows.length < links.length ? 'broken' : rows.map(toResponse);
    },

    async delete(id, principal) {
      const rows = await execute(db, {
        sql: 'delete from responses where id = ? and principal = ? returning id',
        params: [id, principal],
      });
      return rows.length > 0;
    },
  };
}

function toResponse(row: Row): StoredResponse {
  return {
    id: text(row, 'id'),
    principal: text(row, 'principal'),
    previousId: textOrNull(row, 'previous_id'),
    input: text(row, 'input'),
    response: text(row, 'response'),
    createdAt: int(row, 'created_at'),
  };
}
