import { OWNER } from '#auth/authenticator.ts';
import { hash } from 'node:crypto';
import { notice, type Notice } from '#core/messages/notices.ts';
import type { RequestMetadata } from '#core/calls/request-metadata.schema.ts';
import type { NewId } from '#core/ids.ts';
import type { AuditLoss, Store } from '#core/stores/store.ts';
import type { Clock } from '#core/time/clock.ts';

const DAY_MS = 86_400_000;
/** The owner has read it by then; `audit verify` reports the gap as long as the rows around it are there. */
const SHOWN_MS = 30 * DAY_MS;

/** What the owner should know about the store. */
export function storeNotices(
  store: Pick<Store, 'auditLosses'>,
  clock: Pick<Clock, 'now'>,
): readonly Notice[] {
  return store
    .auditLosses()
    .filter(({ foundAt }) => clock.now() - foundAt < SHOWN_MS)
    .map(({ fromSeq, toSeq, foundAt, what }) =>
      notice('audit_rows_lost', { fromSeq, toSeq, found: new Date(foundAt).toISOString(), what }),
    );
}

/**
 * Leaves an audit row for a loss that this start has found. It is the first row after the gap, so the
 * chain shows the gap from now on.
 */
export async function recordLoss(
  store: Pick<Store, 'auditLosses' | 'calls'>,
  startedAtMs: number,
  { clock, newId, metadata }: { clock: Clock; newId: NewId; metadata: () => RequestMetadata },
): Promise<void> {
  const isNew = ({ foundAt }: AuditLoss) => foundAt >= startedAtMs;
  for (const { fromSeq, toSeq, what } of store.auditLosses().filter(isNew)) {
    await store.calls.recordLazily({
      reqId: newId('req'),
      at: clock.now(),
      principal: OWNER.principal,
      agent: null,
      door: 'unix',
      tool: `audit_rows_${what}:${fromSeq}-${toSeq}`,
      status: 'error',
      errorClass: 'internal',
      argsSha256: hash('sha256', `${fromSeq}-${toSeq}`),
      elapsedMs: 0,
      metadata: metadata(),
    });
  }
}
