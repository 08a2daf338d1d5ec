import type { JobStatus } from '#core/stores/jobs.ts';

/** What becomes of it is decided. */
export function isOver(status: JobStatus): boolean {
  return status === 'done' || status === 'failed' || status === 'cancelled';
}
