import { isObject, resultReply, type Members, type RequestId } from './json-rpc.ts';
import { isImplementation } from './protocol-era.ts';
import type { RpcRequest } from './read-message.ts';

/** Revisions that open with `initialize`, newest first. */
export const LEGACY_VERSIONS: readonly string[] = [
  '2025-11-25',
  '2025-06-18',
  '2025-03-26',
  '2024-11-05',
  '2024-10-07',
];

const CAPABILITIES = { tools: { listChanged: true } };

/**
 * The answer to an `initialize` of the usual kind, which is what nearly every connection begins with and most idle ones
 * end with; nothing for an unusual one, which the SDK may judge.
 */
export function initializeReply(
  { id, params }: RpcRequest,
  serverInfo: Members,
  instructions: string,
): string | undefined {
  const { protocolVersion, capabilities, clientInfo, _meta } = params ?? {};
  const isUsual =
    typeof protocolVersion === 'string' &&
    isObject(capabilities) &&
    Object.values(capabilities).every(isObject) &&
    isImplementation(clientInfo) &&
    _meta === undefined;
  if (!isUsual) return undefined;
  const result = {
    protocolVersion: LEGACY_VERSIONS.includes(protocolVersion)
      ? protocolVersion
      : LEGACY_VERSIONS[0],
    capabilities: CAPABILITIES,
    serverInfo,
    ...(instructions !== '' && { instructions }),
  };
  return resultReply(id satisfies RequestId, JSON.stringify(result));
}
