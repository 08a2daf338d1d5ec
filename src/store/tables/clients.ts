import { CallError } from '#core/errors/call-error.ts';
import type { Clock } from '#core/time/clock.ts';
import type { Id } from '#core/ids.ts';
import type { Client, ClientStore } from '#core/stores/clients.ts';
import { int, intOrNull, json, text, toJsonText } from './columns.ts';
import { execute, type Database, type Row, type Statement } from '../database.ts';

const KEPT_BY_PRINCIPAL = [
  'conversations',
  'jobs',
  'results',
  'responses',
  'files',
  'usage_days',
] as const;

export function createClientStore(db: Database, clock: Pick<Clock, 'now'>): ClientStore {
  return {
    async add(client) {
      await execute(db, insert(client, clock.now()));
    },
    async hasData(principal) {
      for (const table of KEPT_BY_PRINCIPAL) {
        const sql = `select 1 as found from ${table} where principal = ? limit 1`;
        if ((await db.read(sql, [principal])).length > 0) return true;
      }
      return false;
    },
    async list() {
      return (await db.read('select * from clients order by created_at, id')).map(toClient);
    },
    async byToken(tokenSha256) {
      const [row] = await db.read('select * from clients where token_sha256 = ?', [tokenSha256]);
      return row && toClient(row);
    },
    async expire(id, atMs) {
      await execute(db, expiry(id, atMs));
    },
    async replace(id, next, oldUntilMs) {
      await db.write({ statements: [insert(next, clock.now()), replacement(id, oldUntilMs)] });
    },
  };
}

function insert({ id, name, principal, tokenSha256, scopes }: New, nowMs: number): Statement {
  return {
    sql: `insert into clients (id, name, principal, token_sha256, scopes, created_at, expires_at)
          values (?, ?, ?, ?, ?, ?, null)`,
    params: [id, name, principal, tokenSha256, toJsonText(scopes), nowMs],
  };
}

function expiry(id: string, atMs: number): Statement {
  return {
    sql: 'update clients set expires_at = ? where id = ?',
    params: [atMs, id],
    errorIfNoRows: new CallError('not_found', `There is no client ${id}.`).toJSON(),
  };
}

/** Replaces a token. Of two concurrent replacements only the first succeeds. */
function replacement(id: string, atMs: number): Statement {
  return {
    sql: 'update clients set expires_at = ? where id = ? and expires_at is null',
    params: [atMs, id],
    errorIfNoRows: new CallError(
      'not_found',
      `There is no client ${id} with a token to replace.`,
    ).toJSON(),
  };
}

type New = Parameters<ClientStore['add']>[0];

function toClient(row: Row): Client {
  return {
    id: text(row, 'id') as Id<'client'>,
    name: text(row, 'name'),
    principal: text(row, 'principal'),
    tokenSha256: text(row, 'token_sha256'),
    scopes: json(row, 'scopes'),
    createdAt: int(row, 'created_at'),
    expiresAt: intOrNull(row, 'expires_at'),
  };
}
