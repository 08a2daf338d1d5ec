import { resultReply, type RequestId } from './json-rpc.ts';
import type { Era } from './protocol-era.ts';
import type { ServerFacts } from './server-facts.ts';

// Who cannot wait that long subscribes to the changes. What is there depends on the caller.
const CACHING = '"ttlMs":60000,"cacheScope":"private"';

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

/** One that may be kept for a while, by the modern rules. */
export function cacheableIn(era: Era, id: RequestId, members: string, facts: ServerFacts): string {
  return resultIn(era, id, era === 'modern' ? `${members},${CACHING}` : members, facts);
}
