import { CallError } from '#core/errors/call-error.ts';
import type { Clock } from '#core/time/clock.ts';
import { commandFix } from '#core/messages/fixes.ts';
import type { Pin, PinStore } from '#core/stores/pins.ts';
import { int, json, text, toJsonText, where } from './columns.ts';
import { execute, type Database, type Row } from '../database.ts';

export function createPinStore(db: Database, clock: Pick<Clock, 'now'>): PinStore {
  return {
    async list(server) {
      const { sql, params } = where({ 'server = ?': server });
      const rows = await db.read(`select * from pins where ${sql} order by server, tool`, params);
      return rows.map(toPin);
    },

    async pin(pins) {
      const now = clock.now();
      await db.write({
        statements: pins.map(({ server, tool, hash, definition }) => ({
          sql: `insert into pins (server, tool, hash, definition, candidate, first_seen_at, changed_at)
            values (?, ?, ?, ?, 'null', ?, ?) on conflict (server, tool) do nothing`,
          params: [server, tool, hash, toJsonText(definition), now, now],
        })),
      });
    },

    async quarantine(server, tool, candidate) {
      await execute(db, {
        sql: 'update pins set candidate = ?, changed_at = ? where server = ? and tool = ?',
        params: [toJsonText(candidate), clock.now(), server, tool],
        errorIfNoRows: noPin(server, tool),
      });
    },

    async approve(server, tool, hash) {
      const [row] = await db.read('select * from pins where server = ? and tool = ?', [
        server,
        tool,
      ]);
      const candidate = row && toPin(row).candidate;
      if (candidate?.hash !== hash) throw CallError.fromJSON(noPin(server, tool));
      await execute(db, {
        // Approves only the candidate that was shown; it may have changed since.
        sql: `update pins set hash = ?, definition = ?, candidate = 'null', changed_at = ?
              where server = ? and tool = ? and candidate = ?`,
        params: [
          hash,
          toJsonText(candidate.definition),
          clock.now(),
          server,
          tool,
          toJsonText(candidate),
        ],
        errorIfNoRows: noPin(server, tool),
      });
    },

    async remove(server) {
      await execute(db, { sql: 'delete from pins where server = ?', params: [server] });
    },
  };
}

function noPin(server: string, tool: string) {
  return new CallError('not_found', `${server} has no such definition of ${tool} to approve.`, {
    fixes: [commandFix('exai pins', 'list what waits')],
  }).toJSON();
}

function toPin(row: Row): Pin {
  return {
    server: text(row, 'server'),
    tool: text(row, 'tool'),
    hash: text(row, 'hash'),
    definition: json(row, 'definition'),
    candidate: json<Pin['candidate']>(row, 'candidate'),
    firstSeenAt: int(row, 'first_seen_at'),
    changedAt: int(row, 'changed_at'),
  };
}
