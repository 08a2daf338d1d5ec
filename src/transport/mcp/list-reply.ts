import type { Caller } from '#core/call.ts';
import type { Calls, ListKind } from '#core/calls.ts';
import { errorReply, INVALID_PARAMS } from '#mcp/json-rpc.ts';
import type { Era } from '#mcp/protocol-era.ts';
import type { RpcRequest } from '#mcp/read-message.ts';
import { cacheableIn, LIST_TTL_MS } from './result-reply.ts';
import type { ServerFacts } from './server-facts.ts';

const MEMBER: Record<ListKind, string> = {
  tools: 'tools',
  prompts: 'prompts',
  resources: 'resources',
  templates: 'resourceTemplates',
};

/** One page of a list, put together from the JSON that is there already. */
export function listReply(
  { id, params }: RpcRequest,
  kind: ListKind,
  { era, calls, caller, facts }: { era: Era; calls: Calls; caller: Caller; facts: ServerFacts },
): string {
  const cursor = params?.['cursor'];
  // Some clients send null or an empty cursor for the first page.
  const after = cursor === undefined || cursor === null ? undefined : cursor;
  const isText = after === undefined || typeof after === 'string';
  const page = isText ? calls.page(caller, kind, after || undefined) : undefined;
  if (!page) {
    const words = 'Invalid params: cursor must be one that an earlier page gave, or left out.';
    return errorReply(id, INVALID_PARAMS, words);
  }
  const next = page.next === undefined ? '' : `,"nextCursor":${JSON.stringify(page.next)}`;
  return cacheableIn(era, id, `"${MEMBER[kind]}":${page.json}${next}`, {
    ttlMs: LIST_TTL_MS,
    facts,
  });
}
