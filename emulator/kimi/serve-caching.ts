import { isObject, type Dictionary } from '../is-object.ts';
import type { Ask } from '../vendor.ts';
import type { Account } from './account.ts';
import { invalid, noPath } from './errors.ts';
import {
  countCache,
  MAX_CACHE_TOKENS,
  MAX_TTL_MS,
  noCache,
  statusOf,
  type CacheEntry,
  type CacheTag,
} from './legacy-cache.ts';
import type { KimiState } from './state.ts';

const MAX_ENTRIES = 10_000;

/** The retired `/caching` API, for who turns the switch. Gives the body of the answer. */
export function serveCaching(ask: Ask, account: Account, state: KimiState): object {
  if (!state.switches.legacyCache) throw noPath();
  const [, , id, kind, tag, detail] = ask.path.split('/');
  if (id === 'refs' && kind === 'tags') return serveTags(ask, account, state, tag, detail);
  if (id === undefined || id === '') {
    if (ask.method === 'POST') return create(ask, account, state);
    if (ask.method === 'GET') return list(ask, account, state);
    throw noPath();
  }
  const entry = find(id, account, state);
  switch (ask.method) {
    case 'GET':
      return show(entry, ask.now());
    case 'PUT': {
      const requested = isObject(ask.json) ? ask.json : {};
      entry.metadata = readMetadata(requested) ?? entry.metadata;
      if (requested['ttl'] !== undefined || requested['expired_at'] !== undefined)
        entry.expiresMs = readExpiry(requested, ask.now());
      return show(entry, ask.now());
    }
    case 'DELETE':
      state.caches.entries.delete(id);
      return { deleted: true, id, object: 'context_cache_object.deleted' };
    default:
      throw noPath();
  }
}

function find(id: string, account: Account, state: KimiState): CacheEntry {
  const entry = state.caches.entries.get(id);
  if (entry?.owner !== account.uid) throw noCache(id);
  return entry;
}

function create(ask: Ask, account: Account, state: KimiState): object {
  const requested = isObject(ask.json) ? ask.json : {};
  const { messages, tools = [], name = '', description = '', tags = [] } = requested;
  if (requested['model'] !== 'moonshot-v1')
    throw invalid('Invalid request: model must be moonshot-v1');
  if (!Array.isArray(messages) || messages.length === 0)
    throw invalid('Invalid request: messages must not be empty');
  if (!Array.isArray(tools) || !Array.isArray(tags))
    throw invalid('Invalid request: tools and tags must be arrays');
  if (typeof name !== 'string' || name.length > 256)
    throw invalid('Invalid request: name is too long');
  if (typeof description !== 'string' || description.length > 512)
    throw invalid('Invalid request: description is too long');
  if (state.caches.entries.size >= MAX_ENTRIES) throw invalid('Invalid request: too many caches');
  const entry: CacheEntry = {
    id: `cache-${state.nextId()}`,
    owner: account.uid,
    createdMs: ask.now(),
    tokens: countCache(messages, tools),
    messages,
    tools,
    name,
    description,
    metadata: readMetadata(requested) ?? {},
    expiresMs: readExpiry(requested, ask.now()),
  };
  state.caches.entries.set(entry.id, entry);
  for (const tag of tags) if (typeof tag === 'string') setTag(tag, entry.id, ask, account, state);
  return { ...show(entry, ask.now()), tags };
}

function readExpiry(requested: Dictionary, nowMs: number): number {
  const { ttl, expired_at: expiredAt } = requested;
  if (ttl !== undefined && expiredAt !== undefined)
    throw invalid('Invalid request: ttl and expired_at are mutually exclusive');
  const expiresMs =
    typeof ttl === 'number'
      ? nowMs + ttl * 1_000
      : typeof expiredAt === 'number'
        ? expiredAt * 1_000
        : Infinity;
  return Math.min(expiresMs, nowMs + MAX_TTL_MS);
}

function readMetadata({ metadata }: Dictionary): Dictionary | undefined {
  if (metadata === undefined) return undefined;
  const entries = isObject(metadata) ? Object.entries(metadata) : undefined;
  const isGood =
    entries !== undefined &&
    entries.length <= 16 &&
    entries.every(
      ([key, value]) => key.length <= 64 && typeof value === 'string' && value.length <= 512,
    );
  if (!isGood) throw invalid('Invalid request: metadata must be at most 16 pairs of texts');
  return Object.fromEntries(entries);
}

function show(entry: CacheEntry, nowMs: number): object {
  const status = statusOf(entry, nowMs);
  return {
    id: entry.id,
    status,
    object: 'context-cache',
    created_at: Math.floor(entry.createdMs / 1_000),
    expired_at: Math.floor(entry.expiresMs / 1_000),
    tokens: entry.tokens,
    model: 'moonshot-v1',
    messages: entry.messages,
    tools: entry.tools,
    name: entry.name,
    description: entry.description,
    metadata: entry.metadata,
    ...(status === 'error'
      ? {
          error: {
            type: 'invalid_request_error',
            message: `cache exceeds ${MAX_CACHE_TOKENS} tokens`,
          },
        }
      : {}),
  };
}

function list(ask: Ask, account: Account, state: KimiState): object {
  const { query } = ask;
  const mine = [...state.caches.entries.values()].filter((entry) => {
    if (entry.owner !== account.uid) return false;
    return [...query].every(([key, value]) => {
      const name = /^metadata\[(.+)\]$/.exec(key)?.[1];
      return name === undefined || entry.metadata[name] === value;
    });
  });
  const ordered = query.get('order') === 'asc' ? mine : mine.toReversed();
  const at = (name: string): number => ordered.findIndex((entry) => entry.id === query.get(name));
  const from = query.has('after') ? at('after') + 1 : 0;
  const to = query.has('before') && at('before') !== -1 ? at('before') : ordered.length;
  const limit = Math.max(1, Math.min(100, Number(query.get('limit') ?? 20) || 20));
  const data = ordered.slice(from, to).slice(0, limit);
  return { object: 'list', data: data.map((entry) => show(entry, ask.now())) };
}

function serveTags(
  ask: Ask,
  account: Account,
  state: KimiState,
  name: string | undefined,
  detail: string | undefined,
): object {
  const { tags } = state.caches;
  if (name === undefined || name === '') {
    if (ask.method === 'POST') {
      const requested = isObject(ask.json) ? ask.json : {};
      if (typeof requested['tag'] !== 'string' || typeof requested['cache_id'] !== 'string')
        throw invalid('Invalid request: tag and cache_id are needed');
      find(requested['cache_id'], account, state);
      return showTag(setTag(requested['tag'], requested['cache_id'], ask, account, state), account);
    }
    const mine = [...tags].filter(([key]) => key.startsWith(`${account.uid} `));
    return { object: 'list', data: mine.map(([, tag]) => showTag(tag, account)) };
  }
  const key = `${account.uid} ${name}`;
  if (ask.method === 'DELETE') {
    tags.delete(key);
    return { deleted: true, object: 'cache_object.tag.deleted', tag: name };
  }
  const tag = tags.get(key);
  if (tag === undefined) throw noCache(name);
  return detail === 'content'
    ? show(find(tag.cacheId, account, state), ask.now())
    : showTag(tag, account);
}

function setTag(
  tag: string,
  cacheId: string,
  ask: Ask,
  account: Account,
  state: KimiState,
): CacheTag {
  const made: CacheTag = { tag, cacheId, createdMs: ask.now() };
  state.caches.tags.set(`${account.uid} ${tag}`, made);
  return made;
}

const showTag = (tag: CacheTag, account: Account): object => ({
  cache_id: tag.cacheId,
  created_at: Math.floor(tag.createdMs / 1_000),
  object: 'cache_object.tag',
  owned_by: account.uid,
  tag: tag.tag,
});
