import type { Lane } from '#core/tool.ts';

export interface CallLimits {
  readonly global: number;
  readonly kimi: number;
  readonly glm: number;
  readonly session: number;
}

const SESSION = 'session:';

/** Where a call needs a free place. */
export function poolsOf(lane: Lane, session: string): readonly string[] {
  const common = ['global', `${SESSION}${session}`];
  return lane === 'provider' ? common : [...common, lane];
}

export function capacityOf(pool: string, limits: CallLimits): number {
  if (pool === 'global' || pool === 'kimi' || pool === 'glm') return limits[pool];
  return pool.startsWith(SESSION) ? limits.session : 0;
}
