import { hash } from 'node:crypto';
import { OWNER } from '#auth/authenticator.ts';
import type { Home } from '#config/home/home.ts';
import { createMetadata, type DaemonLocation } from '#calls/request-metadata.ts';
import { notice, type Notice } from '#core/messages/notices.ts';
import { baseRenderer } from '#core/messages/render.ts';
import type { NewId } from '#core/ids.ts';
import type { AuditLoss, Store } from '#core/stores/store.ts';
import { backupsIn } from '#store/sqlite/file.ts';
import type { System } from '../system.ts';
import type { Clock } from '#core/time/clock.ts';
import { unfinishedRestoreNotices } from './unfinished-restore.ts';

const DAY_MS = 86_400_000;
/** The owner has read it by then; `audit verify` reports the gap as long as the rows around it are there. */
const SHOWN_MS = 30 * DAY_MS;

/** What the owner should know about the store. */
export function storeNotices(
  store: Pick<Store, 'auditLosses' | 'damage'>,
  clock: Pick<Clock, 'now'>,
  home: Pick<Home, 'backupDir' | 'restoreFile'>,
): readonly Notice[] {
  const damage = store.damage();
  const backup = damage && backupsIn(home.backupDir).at(-1);
  const damaged = damage
    ? [notice('store_damaged', { tables: damage.tables, ...(backup !== undefined && { backup }) })]
    : [];
  const lost = store
    .auditLosses()
    .filter(({ foundAt }) => clock.now() - foundAt < SHOWN_MS)
    .map(({ fromSeq, toSeq, foundAt, what }) =>
      notice('audit_rows_lost', { fromSeq, toSeq, found: new Date(foundAt).toISOString(), what }),
    );
  return [...damaged, ...lost, ...unfinishedRestoreNotices(home, clock.now())];
}

/**
 * Tells the owner what this start has found, and leaves an audit row for a loss. It is the first row
 * after the gap, so the chain shows the gap from now on.
 */
export async function reportLosses(
  store: Pick<Store, 'auditLosses' | 'damage' | 'calls'>,
  startedAtMs: number,
  options: { config: DaemonLocation; home: Home; system: System; newId: NewId },
): Promise<void> {
  const { config, home, system, newId } = options;
  const { clock } = system;
  for (const each of storeNotices(store, clock, home)) system.warn(baseRenderer.notice(each));
  const isNew = ({ foundAt }: AuditLoss) => foundAt >= startedAtMs;
  const metadata = createMetadata(config, clock);
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
