import type { Query, Row } from '../database.ts';
import { int, text } from './columns.ts';

/** Each writer of the table of calls, found by steps through the index, as there are few of them and many rows. */
const WRITERS = `
  with recursive writers (writer_id) as (
    select min(writer_id) from calls
    union all
    select (select min(writer_id) from calls where writer_id > writers.writer_id)
      from writers where writers.writer_id is not null)
  select writer_id from writers where writer_id is not null`;

export async function callWriters(query: Query): Promise<string[]> {
  return (await query(WRITERS)).map((row) => text(row, 'writer_id'));
}

/**
 * Calls of several writers, the newest first. The calls of one writer are in the order in which it stored them, also where its
 * clock went back; those of several are in order of their times, as far as that leaves it so.
 */
export function newestCallsFirst(rows: readonly Row[], limit: number): Row[] {
  const placed: { row: Row; writer: string; seq: number; atMs: number }[] = [];
  for (const row of rows) {
    placed.push({
      row,
      writer: text(row, 'writer_id'),
      seq: int(row, 'seq'),
      atMs: int(row, 'at'),
    });
  }
  placed.sort((a, b) => b.seq - a.seq);
  const latest = new Map<string, number>();
  for (const each of placed) {
    // What was stored before is not later, whatever the clock said then.
    each.atMs = Math.min(each.atMs, latest.get(each.writer) ?? each.atMs);
    latest.set(each.writer, each.atMs);
  }
  placed.sort(
    (a, b) =>
      b.atMs - a.atMs || (a.writer < b.writer ? -1 : a.writer > b.writer ? 1 : b.seq - a.seq),
  );
  return placed.slice(0, limit).map(({ row }) => row);
}
