import { createHash } from 'node:crypto';
import type { JsonObject } from '#core/json.ts';
import type { KimiSettings } from './kimi-settings.ts';

export interface CacheMembers {
  readonly members: JsonObject;
  readonly headers: Readonly<Record<string, string>>;
}

const MAX_ID_CHARS = 128;
/** As long as such a cache may live at all. */
const RESET_TTL_S = 3600;

/** Kimi caches by itself, and a key helps it; where the retired API is on, the id of one of its caches names that cache. */
export function cacheMembers(
  key: string | undefined,
  explicitCache: KimiSettings['explicitCache'],
): CacheMembers {
  if (key === undefined || key === '') return { members: {}, headers: {} };
  if (explicitCache === 'off' || !isCacheId(key))
    return { members: { prompt_cache_key: shortened(key) }, headers: {} };
  const headers = {
    'x-msh-context-cache': key,
    'x-msh-context-cache-reset-ttl': String(RESET_TTL_S),
  };
  return { members: {}, headers };
}

export function isCacheId(text: string): boolean {
  return /^cache-[\w-]{1,120}$/.test(text);
}

/** Ids of any length as one that every field takes. */
export function shortened(id: string): string {
  const text = id.toWellFormed();
  return text.length <= MAX_ID_CHARS ? text : createHash('sha256').update(text).digest('hex');
}
