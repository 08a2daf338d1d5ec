import { PROVIDERS, type LimitedProviderId } from '#core/providers/list.ts';
import type { Lane } from '#core/tool.ts';

/** Calls at once: of all, of one session, and of each provider with a limit of its own. */
export type CallLimits = Readonly<
  Record<'global' | 'session', number> & Partial<Record<LimitedProviderId, number>>
>;

const SESSION = 'session:';
const LIMITED = new Set<string>(PROVIDERS.flatMap(({ id, limit }) => (limit ? [id] : [])));

/** Where a call needs a free place. */
export function poolsOf(lane: Lane, session: string): readonly string[] {
  const common = ['global', `${SESSION}${session}`];
  return lane === 'provider' ? common : [...common, lane];
}

export function capacityOf(pool: string, limits: CallLimits): number {
  if (pool === 'global') return limits.global;
  if (pool.startsWith(SESSION)) return limits.session;
  return LIMITED.has(pool) ? (limits[pool as LimitedProviderId] ?? 0) : 0;
}
