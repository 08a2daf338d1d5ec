import { AUDIT_COLUMNS } from './audit-chain.ts';
import type { Spent, Value, Write } from './database.ts';
import type { Outcome } from './group-commit.ts';
import { ATTEMPT_WIDTH, USAGE_WIDTH } from './spent-rows.ts';

/**
 * What goes between the threads. Most writes are an audit row and what was spent; a batch of those travels as one text and
 * comes back as one word: copying one long text costs a fraction of copying as many objects.
 */
export type WriterRequest = string | { readonly writes: readonly Write[] } | typeof CLOSE;

/** The last request: everything before it is committed. */
export const CLOSE = null;
export type WriterReply = 'all stored' | readonly Outcome[];

type Rows = readonly (readonly Value[])[];
const NO_ROWS: Rows = [];
const NOTHING_SPENT: Spent = { attempts: NO_ROWS, usage: NO_ROWS };

/** No text of a row holds one: the store's guard has replaced them. */
const BETWEEN = '\0';
const NULL = 'n';
const NUMBER = 'i';
const TEXT = 't';

export function toRequest(writes: readonly Write[]): Exclude<WriterRequest, typeof CLOSE> {
  let text = '';
  for (const { statements, audit = NO_ROWS, spent = NOTHING_SPENT } of writes) {
    if (statements.length > 0) return { writes };
    const { attempts, usage } = spent;
    text += audit.length + BETWEEN + attempts.length + BETWEEN + usage.length + BETWEEN;
    text += encodeRows(audit) + encodeRows(attempts) + encodeRows(usage);
  }
  return text;
}

function encodeRows(rows: Rows): string {
  let text = '';
  for (const row of rows) for (const value of row) text += encode(value) + BETWEEN;
  return text;
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
  let at = 0;
  const take = (count: number, width: number): Rows =>
    Array.from({ length: count }, () => {
      const row = values.slice(at, at + width).map(decode);
      at += width;
      return row;
    });
  const writes: Write[] = [];
  while (at < values.length) {
    const [audits = 0, attempts = 0, usages = 0] = values.slice(at, at + 3).map(Number);
    at += 3;
    const audit = take(audits, AUDIT_COLUMNS.length);
    const spent = { attempts: take(attempts, ATTEMPT_WIDTH), usage: take(usages, USAGE_WIDTH) };
    writes.push({
      statements: [],
      ...(audits > 0 && { audit }),
      ...(attempts + usages > 0 && { spent }),
    });
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
