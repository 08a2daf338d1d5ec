import { AUDIT_COLUMNS } from './audit-chain.ts';
import type { Value, Write } from './database.ts';
import type { Outcome } from './group-commit.ts';

/**
 * What goes between the threads. Most writes are a lone audit row; a batch of those travels as one text and comes back as
 * one word: copying one long text costs a fraction of copying as many objects.
 */
export type WriterRequest = string | { readonly writes: readonly Write[] } | typeof CLOSE;

/** The last request: everything before it is committed. */
export const CLOSE = null;
export type WriterReply = 'all stored' | readonly Outcome[];

/** No text of a row holds one: the store's guard has replaced them. */
const BETWEEN = '\0';
const NULL = 'n';
const NUMBER = 'i';
const TEXT = 't';

export function toRequest(writes: readonly Write[]): Exclude<WriterRequest, typeof CLOSE> {
  let rows = '';
  for (const { statements, audit = [] } of writes) {
    const [row, ...more] = audit;
    if (statements.length > 0 || row === undefined || more.length > 0) return { writes };
    for (const value of row) rows += encode(value) + BETWEEN;
  }
  return rows;
}

function encode(value: Value): string {
  if (typeof value === 'string') return TEXT + value;
  return value === null ? NULL : NUMBER + value;
}

export function fromRequest(request: Exclude<WriterRequest, typeof CLOSE>): readonly Write[] {
  if (typeof request !== 'string') return request.writes;
  const values = request.split(BETWEEN);
  // What follows the last separator is no value.
  values.pop();
  const writes: Write[] = [];
  for (let at = 0; at < values.length; at += AUDIT_COLUMNS.length) {
    const row = values.slice(at, at + AUDIT_COLUMNS.length).map(decode);
    writes.push({ statements: [], audit: [row] });
  }
  return writes;
}

function decode(text: string): Value {
  if (text.startsWith(TEXT)) return text.slice(TEXT.length);
  return text === NULL ? null : Number(text.slice(NUMBER.length));
}

export function toReply(outcomes: readonly Outcome[]): WriterReply {
  return outcomes.every((outcome) => 'rows' in outcome && outcome.rows.length === 0)
    ? 'all stored'
    : outcomes;
}

export function fromReply(reply: WriterReply, writes: number): readonly Outcome[] {
  return reply === 'all stored' ? Array.from({ length: writes }, () => ({ rows: [] })) : reply;
}
