import { AUDIT_COLUMNS } from '../audit/chain.ts';
import type { UsageRows, Value, Write } from '../database.ts';
import type { CommitOutcome } from '../group-commit.ts';
import { ATTEMPT_WIDTH, USAGE_WIDTH } from '../tables/usage-rows.ts';

/**
 * The messages between main and writer thread. Most writes are audit and usage rows; a batch of
 * those is sent as one text and answered with one word, because copying one long text costs a
 * fraction of copying many objects.
 */
export type WriterRequest = BatchRequest | typeof CHECKPOINTED | typeof CLOSE;
type BatchRequest = string | { readonly writes: readonly Write[] };

/** The log was copied into the database after bulk writes; it has no reply. */
export const CHECKPOINTED = 0;

/** The last request; all earlier ones are committed. */
export const CLOSE = null;
export type WriterReply = 'all stored' | readonly CommitOutcome[];

type Rows = readonly (readonly Value[])[];
const NO_ROWS: Rows = [];
const NO_USAGE: UsageRows = { attempts: NO_ROWS, usage: NO_ROWS };

/** Separator. No text of a row contains it, because `validateValues` has replaced them. */
const BETWEEN = '\0';
const NULL = 'n';
const NUMBER = 'i';
const TEXT = 't';

export function toRequest(writes: readonly Write[]): BatchRequest {
  let text = '';
  for (const { statements, audit = NO_ROWS, usageRows = NO_USAGE } of writes) {
    if (statements.length > 0) return { writes };
    const { attempts, usage } = usageRows;
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

export function fromRequest(request: BatchRequest): readonly Write[] {
  if (typeof request !== 'string') return request.writes;
  const values = request.split(BETWEEN);
  // The text after the last separator is empty.
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
    const usageRows = { attempts: take(attempts, ATTEMPT_WIDTH), usage: take(usages, USAGE_WIDTH) };
    writes.push({
      statements: [],
      ...(audits > 0 && { audit }),
      ...(attempts + usages > 0 && { usageRows }),
    });
  }
  return writes;
}

function decode(text: string): Value {
  if (text.startsWith(TEXT)) return text.slice(TEXT.length);
  return text === NULL ? null : Number(text.slice(NUMBER.length));
}

export function toReply(outcomes: readonly CommitOutcome[]): WriterReply {
  return outcomes.every((outcome) => 'rows' in outcome && outcome.rows.length === 0)
    ? 'all stored'
    : outcomes;
}

export function fromReply(reply: WriterReply, writes: number): readonly CommitOutcome[] {
  return reply === 'all stored' ? Array.from({ length: writes }, () => ({ rows: [] })) : reply;
}
