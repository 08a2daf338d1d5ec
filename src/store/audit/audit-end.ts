import { CallError } from '#core/errors/call-error.ts';
import type { AuditLoss } from '#core/stores/store.ts';
import type { SettingStore } from '#core/stores/settings.ts';
import type { Log } from '#core/telemetry/telemetry.ts';
import { every, type Clock } from '#core/time/clock.ts';
import { hasRestoredMark } from '../backup/restored.ts';
import type { Query } from '../database.ts';
import { readChainHead, type ChainHead, type ChainWriter } from './chain.ts';
import { laterHead, openHeadFile, readHeadFile, resetHeadFile } from './head-file.ts';
import { newestKey, type AuditKeys } from './keys.ts';
import { findLoss, readLosses, storeLoss } from './loss.ts';

/** A power cut loses at most this much of the record; the end of the process loses nothing. */
const SYNC_MS = 1000;

interface AuditEndOptions {
  readonly writerId: string;
  readonly auditKeys?: AuditKeys | undefined;
  readonly auditHeadFile?: string | undefined;
  readonly clock: Clock;
  readonly log: Log;
}

/** The end of this daemon's chain, within and outside of the database. */
export interface AuditEnd {
  readonly writer: ChainWriter;
  readonly losses: () => readonly AuditLoss[];
  /** Stores a loss that this start has found, in the store that has it. */
  report(settings: Pick<SettingStore, 'get' | 'set'>): Promise<void>;
  close(): Promise<void>;
}

/**
 * Compares the chain in the database with its recorded end. The daemon starts also when rows are
 * gone: the chain then continues after the recorded end, so that every verification shows the gap.
 */
export async function openAuditEnd(
  { writerId, auditKeys, auditHeadFile, clock, log }: AuditEndOptions,
  snapshot: <T>(work: (query: Query) => Promise<T>) => Promise<T>,
): Promise<AuditEnd> {
  const stored = auditHeadFile === undefined ? undefined : readHeadFile(auditHeadFile);
  if (stored && stored.writerId !== writerId)
    log.warn('audit_head_of_other_chain', { file: auditHeadFile, chain: stored.writerId });
  const recorded = stored?.writerId === writerId ? stored : undefined;
  const known = auditKeys && newestKey(auditKeys.list(), writerId);
  const { head, found, isRestored } = await snapshot(async (query) => {
    const end = await readChainHead(query, writerId);
    // A restore moved the chain back.
    if (await hasRestoredMark(query)) return { head: end, isRestored: true };
    const untilSeq = known?.untilSeq;
    return { head: end, found: await findLoss(query, writerId, { head: end, recorded, untilSeq }) };
  });
  const reached = isRestored ? head : laterHead(head, recorded);
  const key = (known ?? auditKeys?.make(writerId, reached.seq + 1))?.key;
  auditKeys?.recordHead(writerId, reached.seq);
  const loss: AuditLoss | undefined = found && { writerId, ...found, foundAt: clock.now() };
  let losses: readonly AuditLoss[] = loss ? [loss] : [];
  if (loss) log.error('audit_rows_lost', { ...loss });
  const file =
    auditHeadFile === undefined ? undefined : startFile(auditHeadFile, writerId, reached);
  const timer = file && every(clock, SYNC_MS, () => file.sync());

  return {
    writer: {
      writerId,
      key,
      after: reached.seq > head.seq ? reached : undefined,
      headFile: auditHeadFile,
    },
    losses: () => losses,
    async report(settings) {
      try {
        losses = loss ? await storeLoss(settings, loss) : await readLosses(settings);
      } catch (thrown) {
        // The store may be full. The loss is logged, and the next start finds it again.
        log.warn('audit_loss_not_stored', { error: CallError.from(thrown).toJSON() });
      }
    },
    async close() {
      timer?.stop();
      await file?.sync();
      file?.close();
    },
  };
}

function startFile(path: string, writerId: string, head: ChainHead) {
  resetHeadFile(path, { writerId, ...head });
  return openHeadFile(path, writerId);
}
