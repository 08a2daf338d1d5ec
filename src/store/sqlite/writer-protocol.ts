import type { UsageRows, Value, Write } from '../database.ts';
import type { CommitOutcome } from '../group-commit.ts';

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

/** A write without statements: its audit, attempt and usage rows. */
type RowsOfWrite = readonly [Rows, Rows, Rows];

export function toRequest(writes: readonly Write[]): BatchRequest {
  const rows: RowsOfWrite[] = [];
  for (const { statements, audit = NO_ROWS, usageRows = NO_USAGE } of writes) {
    if (statements.length > 0) return { writes };
    rows.push([audit, usageRows.attempts, usageRows.usage]);
  }
  return JSON.stringify(rows);
}

export function fromRequest(request: BatchRequest): readonly Write[] {
  if (typeof request !== 'string') return request.writes;
  const batch = JSON.parse(request) as readonly RowsOfWrite[];
  return batch.map(([audit, attempts, usage]) => ({
    statements: [],
    audit,
    usageRows: { attempts, usage },
  }));
}

export function toReply(outcomes: readonly CommitOutcome[]): WriterReply {
  return outcomes.every((outcome) => 'rows' in outcome && outcome.rows.length === 0)
    ? 'all stored'
    : outcomes;
}

export function fromReply(reply: WriterReply, writes: number): readonly CommitOutcome[] {
  return reply === 'all stored' ? Array.from({ length: writes }, () => ({ rows: [] })) : reply;
}
