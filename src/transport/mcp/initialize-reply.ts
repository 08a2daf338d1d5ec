import { errorReply, INVALID_PARAMS, isObject, resultReply } from '#mcp/json-rpc.ts';
import { isImplementation } from '#mcp/claim.ts';
import { versionFor } from '#mcp/protocol-versions.ts';
import type { RpcRequest } from '#mcp/read-message.ts';
import type { ServerFacts } from './server-facts.ts';

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
