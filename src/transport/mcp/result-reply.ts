import { resultReply, type RequestId } from '#mcp/json-rpc.ts';
import type { Era } from '#mcp/protocol-era.ts';
import type { ServerFacts } from './server-facts.ts';

/** How long lists may be kept; who cannot wait that long subscribes to the changes. */
export const LIST_TTL_MS = 60_000;

/** `members`: JSON without its braces, or nothing. */
export function resultIn(
  era: Era,
  id: RequestId,
  members: string,
  { modernEnd }: ServerFacts,
): string {
  if (era !== 'modern') return resultReply(id, `{${members}}`);
  return resultReply(id, members === '' ? `{${modernEnd}` : `{${members},${modernEnd}`);
}

/** One that may be kept for a while, by the modern rules. What is there depends on the caller. */
export function cacheableIn(
  era: Era,
  id: RequestId,
  members: string,
  { ttlMs, facts }: { readonly ttlMs: number; readonly facts: ServerFacts },
): string {
  const caching = `"ttlMs":${ttlMs},"cacheScope":"private"`;
  return resultIn(era, id, era === 'modern' ? `${members},${caching}` : members, facts);
}
