import { CallError } from '#core/errors/call-error.ts';
import { int } from './columns.ts';
import type { Database, Statement } from '../database.ts';

/**
 * The size of a part that is written; older ones have 256 KiB. A commit of one blocks the writer
 * thread for a few milliseconds, and other writes are committed between parts.
 */
export const PART_BYTES = 1024 * 1024;
/** More is read by a thread, so that the disk does not delay calls. */
const MAX_QUICK_BYTES = 256 * 1024;
/** A content without a digest that was not touched for so long is not being written any more. */
export const ABANDONED_MS = 3_600_000;
/** The parts that are deleted together, so that other writes do not wait long. */
const PARTS_PER_DELETE = 4;

/** The rows of one part. Fails if retention took the content for abandoned. */
export function insertPart(
  id: string,
  at: number,
  bytes: Uint8Array,
  nowMs: number,
): readonly Statement[] {
  return [
    {
      sql: 'update contents set touched_at = ? where id = ? and sha256 is null and touched_at > 0',
      params: [nowMs, id],
      errorIfNoRows: new CallError(
        'conflict',
        'The file took too long to arrive; nothing of it is stored.',
      ).toJSON(),
    },
    {
      sql: 'insert into content_parts (content_id, at, bytes) values (?, ?, ?)',
      params: [id, at, bytes],
    },
  ];
}

/**
 * Gives up a content that no file has. Its row is locked by a statement of its own first: the next
 * one then sees every file that was added meanwhile.
 */
export function dropUnused(id: string): readonly Statement[] {
  return [
    { sql: 'update contents set touched_at = touched_at where id = ?', params: [id] },
    {
      sql: `update contents set sha256 = null, touched_at = 0
            where id = ? and sha256 is not null and not exists (select 1 from files where content_id = contents.id)`,
      params: [id],
    },
  ];
}

/** Removes the parts of given-up contents, a few in each write, then the contents. */
export async function removeDropped(db: Database, id: string): Promise<number> {
  let removed = 0;
  for (;;) {
    const [parts = []] = await db.write({
      statements: [
        {
          sql: `delete from content_parts where content_id = ? and at in (
                  select at from content_parts
                  where content_id = (select id from contents where id = ? and touched_at = 0)
                  limit ${PARTS_PER_DELETE})
                returning at`,
          params: [id, id],
        },
      ],
    });
    removed += parts.length;
    if (parts.length < PARTS_PER_DELETE) break;
  }
  await db.write({
    statements: [
      {
        sql: `delete from contents where id = ? and touched_at = 0
              and not exists (select 1 from content_parts where content_id = contents.id)`,
        params: [id],
      },
    ],
  });
  return removed;
}

/** The bytes of a content from `offset` to `end`, one part in memory. */
export async function* readParts(
  db: Database,
  id: string,
  offset: number,
  end: number,
): AsyncGenerator<Uint8Array, void, undefined> {
  const query = end - offset > MAX_QUICK_BYTES ? db.scan : db.read;
  for (let from = offset; from < end;) {
    const [row] = await query(
      'select at, bytes from content_parts where content_id = ? and at <= ? order by at desc limit 1',
      [id, from],
    );
    const bytes = row?.['bytes'];
    if (!row || !(bytes instanceof Uint8Array) || int(row, 'at') + bytes.length <= from) {
      throw new CallError('not_found', 'The file was deleted while it was read.');
    }
    const at = int(row, 'at');
    const chunk = bytes.subarray(from - at, end - at);
    from += chunk.length;
    yield chunk;
  }
}
