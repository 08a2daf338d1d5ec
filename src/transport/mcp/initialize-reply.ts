import { errorReply, INVALID_PARAMS, isObject, resultReply } from './json-rpc.ts';
import { isImplementation } from './claim.ts';
import type { RpcRequest } from './read-message.ts';
import type { ServerFacts } from './server-facts.ts';

/** Revisions that open with `initialize`, newest first. */
export const LEGACY_VERSIONS: readonly string[] = [
  '2025-11-25',
  '2025-06-18',
  '2025-03-26',
  '2024-11-05',
  '2024-10-07',
];

/** The answer to an `initialize`; one that is wrong gets a sentence that says where. */
export function initializeReply({ id, params }: RpcRequest, facts: ServerFacts): string {
  const { protocolVersion, capabilities, clientInfo } = params ?? {};
  const fault =
    typeof protocolVersion !== 'string'
      ? 'protocolVersion must be a revision of MCP, such as "2025-11-25"'
      : !isObject(capabilities) || !Object.values(capabilities).every(isObject)
        ? 'capabilities must be an object of objects'
        : !isImplementation(clientInfo)
          ? 'clientInfo must have a name and a version'
          : undefined;
  if (fault !== undefined) return errorReply(id, INVALID_PARAMS, `Invalid params: ${fault}.`);
  const { info: serverInfo, capabilities: offered, instructions } = facts;
  const result = {
    protocolVersion: versionFor(protocolVersion),
    capabilities: offered,
    serverInfo,
    ...(instructions !== '' && { instructions }),
  };
  return resultReply(id, JSON.stringify(result));
}

/** Theirs where we speak it, otherwise our newest. */
export function versionFor(asked: unknown): string {
  const isOurs = typeof asked === 'string' && LEGACY_VERSIONS.includes(asked);
  return isOurs ? asked : (LEGACY_VERSIONS[0] ?? '');
}
