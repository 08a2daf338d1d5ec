import { AUDIT_COLUMNS } from './audit-chain.ts';
import type { Value, Write } from './database.ts';
import type { Outcome } from './group-commit.ts';

/**
 * What goes between the threads. Most writes are a lone audit row; a batch of those travels as one flat list and comes
 * back as one word, which costs a third of copying the objects.
 */
export type WriterRequest =
  | { readonly rows: readonly Value[] }
  | { readonly writes: readonly Write[] };
export type WriterReply = 'all stored' | readonly Outcome[];

export function toRequest(writes: readonly Write[]): WriterRequest {
  const rows: Value[] = [];
  for (const { statements, audit = [] } of writes) {
    const [row, ...more] = audit;
    if (statements.length > 0 || row === undefined || more.length > 0) return { writes };
    rows.push(...row);
  }
  return { rows };
}

export function fromRequest(request: WriterRequest): readonly Write[] {
  if ('writes' in request) return request.writes;
  const width = AUDIT_COLUMNS.length;
  return Array.from({ length: request.rows.length / width }, (_, row) => ({
    statements: [],
    audit: [request.rows.slice(row * width, (row + 1) * width)],
  }));
}

export function toReply(outcomes: readonly Outcome[]): WriterReply {
  return outcomes.every((outcome) => 'rows' in outcome && outcome.rows.length === 0)
    ? 'all stored'
    : outcomes;
}

export function fromReply(reply: WriterReply, writes: number): readonly Outcome[] {
  return reply === 'all stored' ? Array.from({ length: writes }, () => ({ rows: [] })) : reply;
}
