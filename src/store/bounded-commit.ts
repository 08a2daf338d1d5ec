import type { CallError } from '#core/errors/call-error.ts';
import type { Clock } from '#core/time/clock.ts';

/** How long a commit may take before the disk counts as one that does not answer. */
const COMMIT_MS = 8000;

/** For an answer that came while this process was held, as by SIGSTOP, and all timers were due at once. */
const HELD_MS = 100;

/**
 * Limits how long each commit takes. While one has no answer in time, its outcome is unknown, and later ones are refused at
 * once; the late answer ends that. Commits run one at a time.
 */
export function boundCommit<Batch, Outcome>(
  commit: (batch: Batch) => Promise<Outcome>,
  options: {
    readonly clock: Pick<Clock, 'after'>;
    /** Default: 8 seconds. */
    readonly commitMs?: number | undefined;
    readonly silent: () => CallError;
  },
): (batch: Batch) => Promise<Outcome> {
  const { clock, commitMs = COMMIT_MS, silent } = options;
  let state: 'answers' | 'silent' = 'answers';

  return async (batch) => {
    if (state === 'silent') throw silent();
    const answer = commit(batch);
    return await new Promise<Outcome>((resolve, reject) => {
      let limit = clock.after(commitMs, () => {
        limit = clock.after(HELD_MS, () => {
          state = 'silent';
          reject(silent());
        });
      });
      const answered = () => {
        limit.stop();
        state = 'answers';
      };
      answer.finally(answered).then(resolve, reject);
    });
  };
}
