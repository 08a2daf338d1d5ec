import {
  LOCAL_TEXTS,
  type OwnedProviderFile,
  type ProviderFileKey,
  type ProviderFileStore,
} from '#core/stores/files.ts';
import type { Clock } from '#core/time/clock.ts';
import { execute, type Database, type Row, type Statement } from '../database.ts';
import { int, text, textOrNull } from './columns.ts';

const SAME_KEY = 'sha256 = ? and provider = ? and account = ? and purpose = ?';
/** `o` are the owners, `f` the files. */
const JOINED =
  'f.sha256 = o.sha256 and f.provider = o.provider and f.account = o.account and f.purpose = o.purpose';

/** What was uploaded to providers: one row per content, provider, account and purpose. */
export function createProviderFiles(db: Database, clock: Pick<Clock, 'now'>): ProviderFileStore {
  return {
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

    async ownProviderFile(key, { principal, name, mime, bytes }) {
      const nowMs = clock.now();
      await execute(db, {
        sql: `insert into provider_file_owners
              (sha256, provider, account, purpose, principal, name, mime, bytes, created_at, used_at)
              values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
              on conflict (sha256, provider, account, purpose, principal) do update set
                used_at = excluded.used_at`,
        params: [...toParams(key), principal, name, mime, bytes, nowMs, nowMs],
      });
    },

    async ownedProviderFiles(
      { provider, account },
      { principal, providerFileId, unusedSince, limit },
    ) {
      const rows = await db.read(
        `select o.*, f.provider_file_id, f.content, f.verified_at
          from provider_file_owners o join provider_files f on ${JOINED}
          where o.provider = ? and o.account = ?
            ${principal === undefined ? '' : 'and o.principal = ?'}
            ${providerFileId === undefined ? '' : 'and f.provider_file_id = ?'}
            ${unusedSince === undefined ? '' : `and o.used_at < ? and f.provider_file_id <> ''`}
          order by o.created_at desc, o.sha256 limit ?`,
        [
          provider,
          account,
          ...(principal === undefined ? [] : [principal]),
          ...(providerFileId === undefined ? [] : [providerFileId]),
          ...(unusedSince === undefined ? [] : [unusedSince]),
          limit,
        ],
      );
      return rows.map(toOwned);
    },

    async disownProviderFile(key, principal) {
      await db.write({
        statements: [
          {
            sql: `delete from provider_file_owners where ${SAME_KEY} and principal = ?`,
            params: [...toParams(key), principal],
          },
        ],
      });
      const rows = await db.read(
        `select principal from provider_file_owners where ${SAME_KEY} limit 1`,
        toParams(key),
      );
      return rows.length === 0 ? 'last' : 'shared';
    },

    async pruneProviderTexts(purpose, beforeMs) {
      const [, removed = []] = await db.write({
        statements: [
          {
            sql: `delete from provider_file_owners as o where o.purpose = ? and o.used_at < ?
                  and exists (select 1 from provider_files f
                    where ${JOINED} and f.provider_file_id = '')`,
            params: [purpose, beforeMs],
          },
          {
            sql: `delete from provider_files as f where f.purpose = ? and f.verified_at < ?
                  and f.provider_file_id = ''
                  and not exists (select 1 from provider_file_owners o where ${JOINED})
                  returning sha256`,
            params: [purpose, beforeMs],
          },
        ],
      });
      return removed.length;
    },

    async pruneLocalTexts(beforeMs) {
      const [removed = []] = await db.write({
        statements: [
          {
            sql: 'delete from provider_files where provider = ? and verified_at < ? returning sha256',
            params: [LOCAL_TEXTS, beforeMs],
          },
        ],
      });
      return removed.length;
    },
  };
}

/** Removes the text that was extracted here from a content that no file has. */
export function dropLocalText(sha256: string): Statement {
  return {
    sql: `delete from provider_files where provider = ? and sha256 = ?
          and not exists (select 1 from files where sha256 = ?)`,
    params: [LOCAL_TEXTS, sha256, sha256],
  };
}

function toParams({ sha256, provider, account, purpose }: ProviderFileKey): string[] {
  return [sha256, provider, account, purpose];
}

function toOwned(row: Row): OwnedProviderFile {
  return {
    sha256: text(row, 'sha256'),
    provider: text(row, 'provider'),
    account: text(row, 'account'),
    purpose: text(row, 'purpose'),
    principal: text(row, 'principal'),
    name: text(row, 'name'),
    mime: text(row, 'mime'),
    bytes: int(row, 'bytes'),
    createdAt: int(row, 'created_at'),
    usedAt: int(row, 'used_at'),
    providerFileId: text(row, 'provider_file_id'),
    text: textOrNull(row, 'content'),
    verifiedAt: int(row, 'verified_at'),
  };
}
