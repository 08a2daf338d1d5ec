import { PROVIDERS, type LimitedProviderId } from '#core/providers/list.ts';
import type { CallPool } from '#core/tools/tool.ts';

/** Limits of concurrent calls: global, per session, and per provider with its own limit. */
export type CallLimits = Readonly<
  Record<'global' | 'session', number> & Partial<Record<LimitedProviderId, number>>
>;

const SESSION = 'session:';
const LIMITED = new Set<string>(PROVIDERS.flatMap(({ id, limit }) => (limit ? [id] : [])));

/** The pools in which a call needs a permit. */
export function poolsOf(pool: CallPool, session: string): readonly string[] {
  const common = ['global', `${SESSION}${session}`];
  return pool === 'provider' ? common : [...common, pool];
}

export function capacityOf(pool: string, limits: CallLimits): number {
  if (pool === 'global') return limits.global;
  if (pool.startsWith(SESSION)) return limits.session;
  return LIMITED.has(pool) ? (limits[pool as LimitedProviderId] ?? 0) : 0;
}
