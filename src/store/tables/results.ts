import { CallError } from '#core/errors/call-error.ts';
import type { Id } from '#core/ids.ts';
import { fix } from '#core/messages/fixes.ts';
import type { ResultRecord, ResultStore } from '#core/stores/results.ts';
import type { Clock } from '#core/time/clock.ts';
import { int, text } from './columns.ts';
import { placeholders, type Database, type Row, type Statement, type Value } from '../database.ts';

/** Units of the longest character: a smaller page could never pass it. */
const LEAST_CHARS = 2;
/** The largest page, so that reading megabytes does not block calls. */
const QUICK_CHARS = 262_144;

export function createResultStore(db: Database, clock: Pick<Clock, 'now'>): ResultStore {
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
        // Already stored: mixing parts of two texts would corrupt both.
        if (CallError.from(thrown).class !== 'conflict' || !(await find(id))) throw thrown;
      }
    },

    async read(id, principal, offset, maxChars) {
      const result = await mine(id, principal);
      if (!result) return undefined;
      const most = Math.max(maxChars, LEAST_CHARS);
      const from = Math.min(Math.max(offset, 0), result.chars);
      // One more unit than requested shows whether the end is inside a character.
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
      // Retention removes a long text part by part.
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

/** The size of a part in UTF-16 units, small enough that a page reads little more than itself. */
const PART_CHARS = 16_384;

// Few sizes, so that each is a cached prepared statement, and small enough not to block the writer.
const PARTS_PER_INSERT = [16, 4, 1] as const;
const INSERTS = new Map(
  PARTS_PER_INSERT.map((parts) => [
    parts,
    `insert into result_parts (result_id, at, text) values ${placeholders(3, parts)}`,
  ]),
);

interface Part {
  readonly at: number;
  readonly text: string;
}

/** Splits a text into parts that never end inside a character. */
function cutParts(whole: string): Part[] {
  const parts: Part[] = [];
  for (let at = 0; at < whole.length;) {
    const end = wholeUntil(whole, at + PART_CHARS);
    parts.push({ at, text: whole.slice(at, end) });
    at = end;
  }
  return parts;
}

function insertParts(resultId: string, parts: readonly Part[]): Statement[] {
  const statements: Statement[] = [];
  for (let from = 0; from < parts.length;) {
    const left = parts.length - from;
    const count = PARTS_PER_INSERT.find((size) => size <= left) ?? 1;
    const params: Value[] = [];
    for (const { at, text } of parts.slice(from, from + count)) params.push(resultId, at, text);
    statements.push({ sql: INSERTS.get(count) ?? '', params });
    from += count;
  }
  return statements;
}

/** Where a part may begin: at `index`, or one earlier to keep a character whole. */
function wholeFrom(text: string, index: number): number {
  return isInside(text, index) ? index - 1 : index;
}

/**
 * Where a part may end: at `index` or the end of the text, or one earlier to keep a character
 * whole.
 */
function wholeUntil(text: string, index: number): number {
  const end = Math.min(index, text.length);
  return isInside(text, end) ? end - 1 : end;
}

function isInside(text: string, index: number): boolean {
  if (index <= 0 || index >= text.length) return false;
  return isHigh(text.charCodeAt(index - 1)) && isLow(text.charCodeAt(index));
}

function isHigh(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}

function isLow(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff;
}
