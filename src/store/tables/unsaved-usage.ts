import { CallError } from '#core/errors/call-error.ts';
import type { AttemptRecord, UsageRecord } from '#core/stores/calls.ts';
import type { Log } from '#core/telemetry/telemetry.ts';
import { isStatementError } from '../group-commit.ts';

/** A few minutes of a busy daemon. */
const MAX_BATCHES = 20_000;

interface Batch {
  readonly attempts: readonly AttemptRecord[];
  readonly usage: readonly UsageRecord[];
}

export interface UnsavedUsageOptions {
  readonly save: (batch: Batch) => Promise<void>;
  /** Whether the attempt is stored: a commit may have succeeded although its answer was lost. */
  readonly isStored: (attempt: AttemptRecord) => Promise<boolean>;
  readonly log: Log;
}

/**
 * Usage that could not be stored. It is kept in memory and saved when the store works again, so that sums and budgets are right.
 */
export function createUnsavedUsage({ save, isStored, log }: UnsavedUsageOptions) {
  let kept: Batch[] = [];
  let saving: Promise<void> | undefined;

  async function saveKept(): Promise<void> {
    const batches = kept;
    kept = [];
    let saved = 0;
    for (const [index, batch] of batches.entries()) {
      try {
        const [first] = batch.attempts;
        if (!first || !(await isStored(first))) await save(batch);
        saved += 1;
      } catch (thrown) {
        const error = CallError.from(thrown);
        if (isStatementError(error)) log.error('usage_not_stored', { error: error.toJSON() });
        else {
          kept = [...batches.slice(index), ...kept];
          break;
        }
      }
    }
    if (saved > 0) log.info('kept_usage_stored', { calls: saved, left: kept.length });
  }

  return {
    /** Keeps what a failed write held; throws the error where it cannot. */
    keep(batch: Batch, error: CallError): void {
      if (isStatementError(error) || kept.length >= MAX_BATCHES) throw error;
      if (kept.length === 0) log.warn('usage_kept_in_memory', { error: error.toJSON() });
      kept.push(batch);
    },
    /** Saves what is kept; never rejects. */
    async save(): Promise<void> {
      if (kept.length === 0) return;
      saving ??= saveKept().finally(() => (saving = undefined));
      await saving;
    },
    /** Reports what the end of the process loses. */
    report(): void {
      if (kept.length > 0) log.error('usage_not_stored', { calls: kept.length });
    },
  };
}
