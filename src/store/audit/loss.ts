import type { AuditLoss } from '#core/stores/store.ts';
import type { SettingStore } from '#core/stores/settings.ts';
import type { Query } from '../database.ts';
import { text } from '../tables/columns.ts';
import type { ChainHead } from './chain.ts';
import type { RecordedHead } from './head-file.ts';

/** The store's setting with the losses that were found. */
const SETTING = 'audit_losses';
const MAX_LOSSES = 20;

type Found = Pick<AuditLoss, 'fromSeq' | 'toSeq' | 'what'>;

/**
 * What a chain lost since its end was recorded. After a crash the database may end after the
 * recorded head, never before it.
 */
export async function findLoss(
  query: Query,
  writerId: string,
  {
    head,
    recorded,
    untilSeq = 0,
  }: { head: ChainHead; recorded?: RecordedHead | undefined; untilSeq?: number | undefined },
): Promise<Found | undefined> {
  const reached = Math.max(recorded?.seq ?? 0, untilSeq);
  if (reached > head.seq) return { fromSeq: head.seq + 1, toSeq: reached, what: 'missing' };
  if (!recorded || recorded.seq === 0) return undefined;
  const [row] = await query('select hash from calls where writer_id = ? and seq = ?', [
    writerId,
    recorded.seq,
  ]);
  // Retention removes the oldest rows.
  if (!row || text(row, 'hash') === recorded.hash) return undefined;
  return { fromSeq: recorded.seq, toSeq: recorded.seq, what: 'replaced' };
}

export async function readLosses(
  settings: Pick<SettingStore, 'get'>,
): Promise<readonly AuditLoss[]> {
  const stored = await settings.get(SETTING);
  return Array.isArray(stored) ? stored.filter(isLoss) : [];
}

/** Stores a loss with those found earlier, and returns all. */
export async function storeLoss(
  settings: Pick<SettingStore, 'get' | 'set'>,
  loss: AuditLoss,
): Promise<readonly AuditLoss[]> {
  const earlier = (await readLosses(settings)).filter(
    ({ writerId, toSeq }) => writerId !== loss.writerId || toSeq < loss.fromSeq,
  );
  const all = [...earlier, loss].slice(-MAX_LOSSES);
  await settings.set(
    SETTING,
    all.map((each) => ({ ...each })),
  );
  return all;
}

function isLoss(value: unknown): value is AuditLoss {
  if (typeof value !== 'object' || value === null) return false;
  const { writerId, fromSeq, toSeq, foundAt, what } = value as Partial<
    Record<keyof AuditLoss, unknown>
  >;
  return (
    typeof writerId === 'string' &&
    [fromSeq, toSeq, foundAt].every((number) => Number.isSafeInteger(number)) &&
    (what === 'missing' || what === 'replaced')
  );
}
