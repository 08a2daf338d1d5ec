import type { Clock } from '#core/clock.ts';
import type { Jobs } from '#core/jobs.ts';
import type { Results } from '#core/results.ts';

/** What the tools for jobs and long results work with. */
export interface JobToolDeps {
  readonly jobs: Jobs;
  readonly results: Results;
  readonly clock: Pick<Clock, 'monotonic'>;
  /** How long jobs that are over are kept; 0, or nothing: nobody says for how long. */
  readonly jobsKeptDays?: number;
  /** What a client takes in one answer. */
  readonly maxTokens?: number;
}
