import { CallError } from '#core/errors/call-error.ts';
import type { Clock } from '#core/time/clock.ts';
import type { Id } from '#core/ids.ts';
import type { FileStore, ProviderFileKey, StoredFile } from '#core/stores/files.ts';
import { int, text, textOrNull } from './columns.ts';
import { execute, type Database, type Row } from '../database.ts';

const SAME_KEY = 'sha256 = ? and provider = ? and account = ? and purpose = ?';

export function createFileStore(db: Database, clock: Pick<Clock, 'now'>): FileStore {
  return {
    async add({ id, principal, sha256, name, mime, bytes }) {
      await execute(db, {
        sql: `insert into files (id, principal, sha256, name, mime, bytes, created_at)
              values (?, ?, ?, ?, ?, ?, ?)`,
        params: [id, principal, sha256, name, mime, bytes, clock.now()],
      });
    },

    async get(id, principal) {
      const [row] = await db.read('select * from files where id = ? and principal = ?', [
        id,
        principal,
      ]);
      return row && toFile(row);
    },

    async list(principal, limit) {
      const rows = await db.read(
        'select * from files where principal = ? order by created_at desc, id desc limit ?',
        [principal, limit],
      );
      return rows.map(toFile);
    },

    async delete(id, principal) {
      await execute(db, {
        sql: 'delete from files where id = ? and principal = ?',
        params: [id, principal],
        errorIfNoRows: new CallError('not_found', `There is no file ${id}.`).toJSON(),
      });
    },

    async providerFile(key) {
      const [row] = await db.read(`select * from provider_files where ${SAME_KEY}`, toParams(key));
      return (
        row && {
          ...key,
          providerFileId: text(row, 'provider_file_id'),
          text: textOrNull(row, 'content'),
          verifiedAt: int(row, 'verified_at'),
        }
      );
    },

    async saveProviderFile({ providerFileId, text: content, ...key }) {
      await execute(db, {
        sql: `insert into provider_files
              (sha256, provider, account, purpose, provider_file_id, content, verified_at)
              values (?, ?, ?, ?, ?, ?, ?)
              on conflict (sha256, provider, account, purpose) do update set
                provider_file_id = excluded.provider_file_id,
                content = excluded.content,
                verified_at = excluded.verified_at`,
        params: [...toParams(key), providerFileId, content, clock.now()],
      });
    },

    async dropProviderFile(key) {
      await db.write({
        statements: [
          { sql: `delete from provider_files where ${SAME_KEY}`, params: toParams(key) },
        ],
      });
    },
  };
}

function toParams({ sha256, provider, account, purpose }: ProviderFileKey): string[] {
  return [sha256, provider, account, purpose];
}

function toFile(row: Row): StoredFile {
  return {
    id: text(row, 'id') as Id<'file'>,
    principal: text(row, 'principal'),
    sha256: text(row, 'sha256'),
    name: text(row, 'name'),
    mime: text(row, 'mime'),
    bytes: int(row, 'bytes'),
    createdAt: int(row, 'created_at'),
  };
}
