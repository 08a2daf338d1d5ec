import { CallError } from '#core/call-error.ts';
import type { Clock } from '#core/clock.ts';
import type { Id } from '#core/ids.ts';
import { fix } from '#core/messages/fixes.ts';
import type { ResultRecord, ResultStore } from '#core/stores/results.ts';
import { int, text } from './columns.ts';
import type { Database, Row } from './database.ts';
import { cutParts, insertParts, PART_CHARS, wholeFrom, wholeUntil } from './result-parts.ts';

/** The longest character: a page of less could never get past it. */
const LEAST_CHARS = 2;
/** More than a client takes at once: a whole text of megabytes must not hold up calls. */
const QUICK_CHARS = 262_144;

export function createResults(db: Database, clock: Pick<Clock, 'now'>): ResultStore {
  async function find(id: string): Promise<Row | undefined> {
    const [row] = await db.read('select * from results where id = ?', [id]);
    return row;
  }

  async function mine(id: string, principal: string): Promise<ResultRecord | undefined> {
    const row = await find(id);
    return row && text(row, 'principal') === principal ? toResult(row) : undefined;
  }

  return {
    async keep({ id, principal, tool, reqId, text: whole }) {
      const begin = {
        sql: `insert into results (id, principal, tool, req_id, chars, created_at) values (?, ?, ?, ?, ?, ?)`,
        params: [id, principal, tool, reqId, whole.length, clock.now()],
      };
      try {
        await db.write({ statements: [begin, ...insertParts(id, cutParts(whole))] });
      } catch (thrown) {
        // Kept before: parts of another text between those that are there would spoil both.
        if (CallError.from(thrown).class !== 'conflict' || !(await find(id))) throw thrown;
      }
    },

    async read(id, principal, offset, maxChars) {
      const result = await mine(id, principal);
      if (!result) return undefined;
      const most = Math.max(maxChars, LEAST_CHARS);
      const from = Math.min(Math.max(offset, 0), result.chars);
      // One more than asked for shows whether the end is in the middle of a character.
      const until = Math.min(from + most + 1, result.chars);
      if (from === result.chars) return { ...result, offset: from, text: '' };
      const ask = until - from > QUICK_CHARS ? db.scan : db.read;
      const parts = await ask(
        'select at, text from result_parts where result_id = ? and at > ? and at < ? order by at',
        [id, from - PART_CHARS, until],
      );
      const [first] = parts;
      const joined = parts.map((part) => text(part, 'text')).join('');
      const at = first ? int(first, 'at') : from;
      // Retention takes a long text away part by part.
      if (at > from || at + joined.length < until) return undefined;
      const start = wholeFrom(joined, from - at);
      const end = wholeUntil(joined, start + most);
      return { ...result, offset: at + start, text: joined.slice(start, end) };
    },

    async list(principal, limit, before) {
      const last = before === undefined ? undefined : await mine(before, principal);
      if (before !== undefined && !last) throw noResult(before);
      const rows = await db.read(
        `select * from results where principal = ?
          ${last ? 'and created_at <= ? and (created_at, id) < (?, ?)' : ''}
          order by created_at desc, id desc limit ?`,
        [principal, ...(last ? [last.createdAt, last.createdAt, last.id] : []), limit],
      );
      return rows.map(toResult);
    },
  };
}

function noResult(id: string): CallError {
  return new CallError('not_found', `There is no result ${id}.`, {
    field: 'before',
    fixes: [fix('omit_argument', { argument: 'before' })],
  });
}

function toResult(row: Row): ResultRecord {
  return {
    id: text(row, 'id') as Id<'res'>,
    principal: text(row, 'principal'),
    tool: text(row, 'tool'),
    reqId: text(row, 'req_id'),
    chars: int(row, 'chars'),
    createdAt: int(row, 'created_at'),
  };
}
