import type { QuarantinedTool, Upstream } from '#core/hub/upstream.ts';

/** The tools of a server that wait for a decision of the owner. */
export function waitingTools(upstream: Pick<Upstream, 'review'>): readonly QuarantinedTool[] {
  const { quarantined = [] } = upstream.review?.() ?? {};
  return quarantined.filter(({ decision }) => decision === 'waiting');
}
