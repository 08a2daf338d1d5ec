import { CallError } from '#core/errors/call-error.ts';
import { OWNER_PRINCIPAL } from '#core/auth/principal.ts';
import type { ProviderId } from '#core/llm/provider.ts';
import type { ProviderFileStore } from '#core/stores/files.ts';
import type { Log } from '#core/telemetry/telemetry.ts';
import { every, type Clock } from '#core/time/clock.ts';
import { pruneTexts } from '#files/uploads/prune-texts.ts';
import type { UploadRun } from '../files/upload-run.ts';
import type { RetentionClock } from './retention-clock.ts';

interface UploadRetentionDeps {
  readonly uploads: UploadRun;
  readonly files: Pick<ProviderFileStore, 'pruneProviderTexts' | 'pruneLocalTexts'>;
  /** Days without a use; 0: uploads are kept forever. Read at each run. */
  readonly days: () => number;
  /** Nothing is deleted while it is not trusted. */
  readonly retentionClock: Pick<RetentionClock, 'time'>;
  readonly clock: Clock;
  readonly log: Log;
}

const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;
/** After so many failures in a row, a provider is left alone until the next run. */
const MAX_FAILURES = 3;

/**
 * Deletes files at providers, and texts of documents here, that no client has used for the configured days, now and every hour. What
 * a provider does not delete is kept and tried again. `stop` cancels a running deletion.
 */
export function startUploadRetention(deps: UploadRetentionDeps): { stop(): Promise<void> } {
  const { uploads, files, days, retentionClock, clock, log } = deps;
  const stopping = new AbortController();
  const { signal } = stopping;

  async function pruneAt(provider: ProviderId, beforeMs: number): Promise<void> {
    let deleted = 0;
    let kept = 0;
    let failures = 0;
    let error: CallError | undefined;
    const fail = (thrown: unknown) => {
      error = CallError.from(thrown);
      failures += 1;
    };
    while (!error && !signal.aborted) {
      const unused = await uploads
        .run(provider, OWNER_PRINCIPAL, (own) => own.unused(provider, beforeMs), signal)
        .catch(fail);
      if (!unused || unused.length === 0) break;
      for (const { fileId, principal } of unused) {
        if (failures === MAX_FAILURES || signal.aborted) break;
        const owner = { provider, principal, scope: 'own' as const };
        await uploads
          .run(provider, principal, (own, context) => own.delete(fileId, owner, context), signal)
          .then(
            () => {
              deleted += 1;
              failures = 0;
            },
            (thrown: unknown) => {
              kept += 1;
              fail(thrown);
            },
          );
      }
    }
    if (deleted > 0) log.info('upload_retention', { provider, deleted });
    if (error && !signal.aborted) {
      log.warn('upload_retention_failed', { provider, kept, class: error.class });
    }
  }

  /** Recognised (OCR) and extracted texts are here alone, so no provider is asked. */
  async function pruneHere(nowMs: number, beforeMs: number | undefined): Promise<void> {
    const deleted = await pruneTexts(files, nowMs, beforeMs).catch((thrown: unknown) => {
      log.warn('text_retention_failed', { class: CallError.from(thrown).class });
      return 0;
    });
    if (deleted > 0) log.info('text_retention', { deleted });
  }

  async function prune(): Promise<void> {
    const nowMs = await retentionClock.time().catch((thrown: unknown) => {
      log.warn('text_retention_failed', { class: CallError.from(thrown).class });
      return undefined;
    });
    if (nowMs === undefined) return;
    const kept = days();
    const beforeMs = kept === 0 ? undefined : nowMs - kept * DAY_MS;
    await pruneHere(nowMs, beforeMs);
    if (beforeMs === undefined) return;
    for (const provider of uploads.providers()) await pruneAt(provider, beforeMs);
  }

  let running = prune();
  const timer = every(clock, HOUR_MS, () => (running = prune()));
  return {
    async stop() {
      timer.stop();
      stopping.abort();
      await running;
    },
  };
}
