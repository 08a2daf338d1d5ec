import type { ToolList } from '#core/calls.ts';
import { errorReply, INVALID_PARAMS, resultReply, type Members } from './json-rpc.ts';
import type { Era } from './protocol-era.ts';
import type { RpcRequest } from './read-message.ts';

export const LIST_CHANGED = '{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}';

// Who cannot wait that long subscribes to the changes. What is listed depends on the caller.
const TTL_MS = 60_000;

/** The answer to `tools/list`: one page, put together from the JSON that is there already. */
export function listReply(
  { id, params }: RpcRequest,
  era: Era,
  { json }: ToolList,
  serverMeta: Members,
): string {
  // Some clients send an empty cursor for the first page.
  if (params?.['cursor']) {
    return errorReply(id, INVALID_PARAMS, 'Invalid params: there is no page with this cursor.');
  }
  if (era !== 'modern') return resultReply(id, `{"tools":${json}}`);
  const rest = { ttlMs: TTL_MS, cacheScope: 'private', resultType: 'complete', _meta: serverMeta };
  return resultReply(id, `{"tools":${json},${JSON.stringify(rest).slice(1)}`);
}
