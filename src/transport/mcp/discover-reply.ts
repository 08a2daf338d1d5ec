import { TASKS_EXTENSION } from '#mcp/askable.ts';
import { resultReply, type RequestId } from '#mcp/json-rpc.ts';
import { SERVER_INFO_KEY } from '#mcp/meta-keys.ts';
import { MODERN_VERSION } from '#mcp/protocol-versions.ts';
import { LIST_TTL_MS } from './result-reply.ts';
import type { ServerFacts } from './server-facts.ts';

/** The answer to `server/discover`: what there is, for clients that do not open with `initialize`. */
export function discoverReply(
  id: RequestId,
  facts: ServerFacts,
  tasks: 'with_tasks' | 'without_tasks',
): string {
  const { instructions, info } = facts;
  const extensions = { [TASKS_EXTENSION]: {} };
  const capabilities =
    tasks === 'with_tasks' ? { ...facts.capabilities, extensions } : facts.capabilities;
  const result = {
    supportedVersions: [MODERN_VERSION],
    capabilities,
    ...(instructions !== '' && { instructions }),
    ttlMs: LIST_TTL_MS,
    cacheScope: 'private',
    resultType: 'complete',
    _meta: { [SERVER_INFO_KEY]: info },
  };
  return resultReply(id, JSON.stringify(result));
}
