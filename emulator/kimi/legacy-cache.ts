import { countTokens } from '../tokens.ts';
import { isObject, type Dictionary } from '../is-object.ts';
import type { Ask, Headers } from '../vendor.ts';
import { invalid, Refusal } from './errors.ts';
import type { KimiSwitches } from './switches.ts';

/** One cache of the retired explicit API. */
export interface CacheEntry {
  readonly id: string;
  readonly owner: string;
  readonly createdMs: number;
  readonly tokens: number;
  readonly messages: readonly unknown[];
  readonly tools: readonly unknown[];
  readonly name: string;
  readonly description: string;
  metadata: Dictionary;
  expiresMs: number;
}

export interface CacheTag {
  readonly tag: string;
  readonly cacheId: string;
  readonly createdMs: number;
}

export interface LegacyCache {
  readonly entries: Map<string, CacheEntry>;
  /** By owner and tag. */
  readonly tags: Map<string, CacheTag>;
  /** A chat request with what it takes from a cache put in; a miss leaves it as it is. */
  expand(ask: Ask, owner: string, switches: KimiSwitches): ExpandedChat;
  clear(): void;
}

export interface ExpandedChat {
  readonly body: unknown;
  readonly headers: Headers;
  readonly savedTokens: number;
}

export const MAX_CACHE_TOKENS = 131_072;
export const MAX_TTL_MS = 3_600_000;
/** Creation took 40 to 60 seconds. */
const CREATION_MS = 50_000;

export function statusOf(entry: CacheEntry, nowMs: number): string {
  if (entry.tokens > MAX_CACHE_TOKENS) return 'error';
  if (nowMs >= entry.expiresMs) return 'inactive';
  return nowMs - entry.createdMs < CREATION_MS ? 'pending' : 'ready';
}

export const countCache = (messages: readonly unknown[], tools: readonly unknown[]): number =>
  countTokens(JSON.stringify(messages)) +
  (tools.length > 0 ? countTokens(JSON.stringify(tools)) : 0);

export function createLegacyCache(): LegacyCache {
  const entries = new Map<string, CacheEntry>();
  const tags = new Map<string, CacheTag>();
  const ready = (owner: string, id: string | undefined, nowMs: number): CacheEntry | undefined => {
    const entry = id === undefined ? undefined : entries.get(id);
    return entry?.owner === owner && statusOf(entry, nowMs) === 'ready' ? entry : undefined;
  };
  return {
    entries,
    tags,
    expand(ask, owner, switches) {
      const plain: ExpandedChat = { body: ask.json, headers: {}, savedTokens: 0 };
      if (!switches.legacyCache || !isObject(ask.json) || !isV1(ask.json['model'])) return plain;
      const nowMs = ask.now();
      const messages: readonly unknown[] = Array.isArray(ask.json['messages'])
        ? ask.json['messages']
        : [];
      const [first] = messages;
      if (isObject(first) && first['role'] === 'cache') {
        const requested = readCacheReference(first['content']);
        if (ask.json['tools'] !== undefined)
          throw invalid('Invalid request: tools must not be set when a cache message is used');
        const id =
          requested.get('cache_id') ?? tags.get(`${owner} ${requested.get('tag')}`)?.cacheId;
        const entry = ready(owner, id, nowMs);
        const rest = messages.slice(1);
        if (entry === undefined) return { ...plain, body: { ...ask.json, messages: rest } };
        resetTtl(entry, requested.get('reset_ttl'), nowMs);
        return {
          ...hit(entry, switches, nowMs),
          body: {
            ...ask.json,
            messages: [...entry.messages, ...rest],
            ...(entry.tools.length > 0 ? { tools: entry.tools } : {}),
          },
        };
      }
      const entry = ready(owner, ask.headers['x-msh-context-cache'], nowMs);
      if (entry === undefined || !isCovered(entry, messages, ask.json['tools'])) return plain;
      resetTtl(entry, ask.headers['x-msh-context-cache-reset-ttl'], nowMs);
      return { ...hit(entry, switches, nowMs), body: ask.json };
    },
    clear() {
      entries.clear();
      tags.clear();
    },
  };
}

const isV1 = (model: unknown): boolean =>
  typeof model === 'string' && model.startsWith('moonshot-v1');

function hit(entry: CacheEntry, { cacheExpiryHeader }: KimiSwitches, nowMs: number) {
  const expiry =
    cacheExpiryHeader === 'Exp'
      ? Math.floor(entry.expiresMs / 1_000)
      : Math.floor((entry.expiresMs - nowMs) / 1_000);
  return {
    headers: {
      'Msh-Context-Cache-Id': entry.id,
      'Msh-Context-Cache-Token-Saved': String(entry.tokens),
      [`Msh-Context-Cache-Token-${cacheExpiryHeader}`]: String(expiry),
    },
    savedTokens: entry.tokens,
  };
}

/** `cache_id=<id>;reset_ttl=3600;dry_run=1`, without a last semicolon. */
function readCacheReference(content: unknown): ReadonlyMap<string, string> {
  const pieces = typeof content === 'string' ? content.split(';') : [];
  const requested = new Map(pieces.map((piece) => piece.split('=', 2) as [string, string]));
  if (
    pieces.length === 0 ||
    pieces.at(-1) === '' ||
    (!requested.has('cache_id') && !requested.has('tag'))
  )
    throw invalid(
      'Invalid request: a cache message has the form cache_id=<id>;reset_ttl=<s> or tag=<tag>',
    );
  return requested;
}

function resetTtl(entry: CacheEntry, seconds: string | undefined, nowMs: number): void {
  const ttlMs = Number(seconds) * 1_000;
  if (seconds !== undefined && ttlMs > 0) entry.expiresMs = nowMs + Math.min(ttlMs, MAX_TTL_MS);
}

/** The first messages and the tools must be the cache's exactly; they are still sent. */
function isCovered(entry: CacheEntry, messages: readonly unknown[], tools: unknown): boolean {
  const begin = messages.slice(0, entry.messages.length);
  return (
    JSON.stringify(begin) === JSON.stringify(entry.messages) &&
    JSON.stringify(tools ?? []) === JSON.stringify(entry.tools)
  );
}

export const noCache = (id: string): Refusal =>
  new Refusal(404, 'resource_not_found_error', `cache ${id.slice(0, 100)} not found`);
