import { CallError } from '#core/call-error.ts';
import type { ChatMessage, ChatTool } from '#core/chat.ts';
import type { ProviderContext } from '#core/provider.ts';
import { asCount, asObject, asText } from '../wire/json-read.ts';
import type { Wire } from '../wire/wire.ts';
import { writeTools } from '../wire/write-messages.ts';
import { isCacheId } from './cache-key.ts';
import { writeKimiMessages } from './kimi-messages.ts';
import { toMoonshotSchema } from './schema/moonshot-schema.ts';

export interface ContextCache {
  /** As `ChatRequest.cacheKey` it has a request use this cache. */
  readonly id: string;
  readonly state: 'pending' | 'ready' | 'failed' | 'expired';
  readonly tokens: number;
  readonly expiresAtMs: number;
}

export interface CacheToCreate {
  /** Requests that use it must begin with exactly these. */
  readonly messages: readonly ChatMessage[];
  readonly tools?: readonly ChatTool[];
  /** An hour at most. */
  readonly ttlSeconds: number;
}

/**
 * Kimi's explicit caches, which it has retired: they exist only where a server still has them, and only for the family that the
 * API calls `moonshot-v1`. A request that names one and misses it is answered at the normal price.
 */
export interface ContextCaches {
  create(cache: CacheToCreate, context: ProviderContext): Promise<ContextCache>;
  get(id: string, context: ProviderContext): Promise<ContextCache>;
  remove(id: string, context: ProviderContext): Promise<'deleted' | 'absent'>;
}

const FAMILY = 'moonshot-v1';

export function createContextCaches(wire: Wire): ContextCaches {
  return {
    async create({ messages, tools = [], ttlSeconds }, context) {
      const body = {
        model: FAMILY,
        messages: writeKimiMessages({ messages }, { mode: 'off', keep: 'tool_turns' }),
        ...(tools.length > 0 && { tools: writeTools(tools, toMoonshotSchema) }),
        ttl: Math.min(Math.max(Math.trunc(ttlSeconds), 1), 3600),
      };
      const call = { operation: 'context_cache', method: 'POST', path: '/caching', body } as const;
      return readCache((await wire.call(call, context)).json);
    },
    async get(id, context) {
      const call = { operation: 'context_cache', method: 'GET', path: pathOf(id) } as const;
      return readCache((await wire.call(call, context)).json);
    },
    async remove(id, context) {
      const call = { operation: 'context_cache', method: 'DELETE', path: pathOf(id) } as const;
      try {
        await wire.call(call, context);
        return 'deleted';
      } catch (thrown) {
        if (CallError.from(thrown).class === 'not_found') return 'absent';
        throw thrown;
      }
    },
  };
}

function pathOf(id: string): string {
  if (isCacheId(id)) return `/caching/${id}`;
  throw new CallError('validation', 'This is no id of a cache.', {
    provider: 'kimi',
    field: 'id',
    fix: 'Use the id that creating it gave; it begins with cache-.',
  });
}

const STATES = new Map<string, ContextCache['state']>([
  ['pending', 'pending'],
  ['ready', 'ready'],
  ['inactive', 'expired'],
  ['error', 'failed'],
]);

function readCache(value: unknown): ContextCache {
  const cache = asObject(value);
  const id = asText(cache?.['id']);
  if (!cache || id === undefined)
    throw new CallError('bad_response', 'Kimi gave no id of a cache.', { provider: 'kimi' });
  return {
    id,
    state: STATES.get(asText(cache['status']) ?? '') ?? 'pending',
    tokens: asCount(cache['tokens']) ?? 0,
    expiresAtMs: (asCount(cache['expired_at']) ?? 0) * 1000,
  };
}
