import type { Upstream } from '#core/hub/upstream.ts';

/** The tools of a server that wait for a decision of the owner. */
export function countWaiting(upstream: Pick<Upstream, 'review'>): number {
  const { quarantined = [] } = upstream.review?.() ?? {};
  return quarantined.filter(({ decision }) => decision === 'waiting').length;
}
