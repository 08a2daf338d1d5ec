import { CallError } from '#core/errors/call-error.ts';
import { fix } from '#core/messages/fixes.ts';
import type { Clock } from '#core/time/clock.ts';
import type { Id } from '#core/ids.ts';
import type { FileStore, StoredFile } from '#core/stores/files.ts';
import { int, text, textOrNull } from './columns.ts';
import { dropUnused, readParts, removeDropped } from './content-parts.ts';
import { execute, placeholders, type Database, type Row } from '../database.ts';
import { createProviderFiles, dropLocalText } from './provider-files.ts';
import { createFileWriter } from './write-file.ts';

/** A use is recorded once in this time. */
const USE_MS = 3_600_000;
const IDS_PER_TOUCH = 100;

export function createFileStore(db: Database, clock: Pick<Clock, 'now'>): FileStore {
  async function find(id: string, principal: string): Promise<Row | undefined> {
    const [row] = await db.read('select * from files where id = ? and principal = ?', [
      id,
      principal,
    ]);
    return row;
  }

  async function touch(ids: readonly string[], principal: string): Promise<void> {
    const nowMs = clock.now();
    for (let from = 0; from < ids.length; from += IDS_PER_TOUCH) {
      const some = ids.slice(from, from + IDS_PER_TOUCH);
      await execute(db, {
        sql: `update files set used_at = ? where principal = ? and used_at <= ?
              and id in ${placeholders(some.length)}`,
        params: [nowMs, principal, nowMs - USE_MS, ...some],
      });
    }
  }

  return {
    write: createFileWriter(db, clock),

    async get(id, principal) {
      const row = await find(id, principal);
      return row && toFile(row);
    },

    async read(id, principal, range = {}) {
      const row = await find(id, principal);
      const contentId = row && textOrNull(row, 'content_id');
      if (!row || contentId === null || contentId === undefined) return undefined;
      const file = toFile(row);
      const { offset, end } = cutRange(range, file.bytes);
      if (file.usedAt <= clock.now() - USE_MS) await touch([id], principal);
      return { file, chunks: readParts(db, contentId, offset, end) };
    },

    touch,

    async list(principal, limit, before, { order = 'newest_first', purpose } = {}) {
      const last = before === undefined ? undefined : await find(before, principal);
      if (before !== undefined && !last) throw noPage(before);
      const at = last && int(last, 'created_at');
      const [than, direction] = order === 'newest_first' ? ['<', 'desc'] : ['>', 'asc'];
      const rows = await db.read(
        `select * from files where principal = ?
          ${last ? `and created_at ${than}= ? and (created_at, id) ${than} (?, ?)` : ''}
          ${purpose === undefined ? '' : 'and purpose = ?'}
          order by created_at ${direction}, id ${direction} limit ?`,
        [
          principal,
          ...(last && at !== undefined ? [at, at, text(last, 'id')] : []),
          ...(purpose === undefined ? [] : [purpose]),
          limit,
        ],
      );
      return rows.map(toFile);
    },

    async delete(id, principal) {
      const missing = new CallError('not_found', `There is no file ${id}.`);
      const row = await find(id, principal);
      if (!row) throw missing;
      const contentId = textOrNull(row, 'content_id');
      const [lock, drop] = contentId === null ? [] : dropUnused(contentId);
      await db.write({
        statements: [
          ...(lock ? [lock] : []),
          {
            sql: 'delete from files where id = ? and principal = ?',
            params: [id, principal],
            errorIfNoRows: missing.toJSON(),
          },
          ...(drop ? [drop] : []),
          dropLocalText(text(row, 'sha256')),
        ],
      });
      if (contentId !== null) await removeDropped(db, contentId);
    },

    ...createProviderFiles(db, clock),
  };
}

/** A range within a content; what lies behind its end is left out. */
function cutRange(
  { offset = 0, length = Number.MAX_SAFE_INTEGER }: { offset?: number; length?: number },
  bytes: number,
): { offset: number; end: number } {
  for (const [field, value] of Object.entries({ offset, length })) {
    if (Number.isSafeInteger(value) && value >= 0) continue;
    throw new CallError('validation', `\`${field}\` must be a whole number of bytes, 0 or more.`, {
      field,
    });
  }
  return { offset: Math.min(offset, bytes), end: Math.min(offset + length, bytes) };
}

function noPage(id: string): CallError {
  return new CallError('not_found', `There is no file ${id}.`, {
    field: 'before',
    fixes: [fix('omit_argument', { argument: 'before' })],
  });
}

function toFile(row: Row): StoredFile {
  const purpose = textOrNull(row, 'purpose');
  return {
    id: text(row, 'id') as Id<'file'>,
    principal: text(row, 'principal'),
    sha256: text(row, 'sha256'),
    name: text(row, 'name'),
    mime: text(row, 'mime'),
    bytes: int(row, 'bytes'),
    createdAt: int(row, 'created_at'),
    usedAt: int(row, 'used_at'),
    ...(purpose !== null && { purpose }),
  };
}
