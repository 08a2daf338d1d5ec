import type { RequestId } from './json-rpc.ts';
import { MODERN_VERSION } from './protocol-era.ts';
import { cacheableIn } from './result-reply.ts';
import type { ServerFacts } from './server-facts.ts';

/** The answer to `server/discover`: what there is, for clients that do not open with `initialize`. */
export function discoverReply(id: RequestId, facts: ServerFacts): string {
  const { capabilities, instructions } = facts;
  const members = JSON.stringify({
    supportedVersions: [MODERN_VERSION],
    capabilities,
    ...(instructions !== '' && { instructions }),
  });
  return cacheableIn('modern', id, members.slice(1, -1), facts);
}
