import type { CallError } from '#core/errors/call-error.ts';
import type { UpstreamConfig } from '#core/hub/upstream-config.ts';
import type { UpstreamEra, UpstreamInfo } from '#core/hub/upstream-state.ts';
import type { JsonObject } from '#core/json/json.ts';
import { VERSION } from '#core/version.ts';
import { isObject, METHOD_NOT_FOUND } from '#mcp/json-rpc.ts';
import { CAPABILITIES_KEY, CLIENT_INFO_KEY, SERVER_INFO_KEY, VERSION_KEY } from '#mcp/meta-keys.ts';
import { LEGACY_VERSIONS, MODERN_VERSION } from '#mcp/protocol-versions.ts';
import { protocolError, type RpcClient } from './rpc-client.ts';

/** How the hub names itself to servers. */
export const CLIENT_INFO: JsonObject = { name: 'exai', title: 'EX-AI', version: VERSION };

/** In `_meta` of each request of the modern era. */
export function modernMeta(capabilities: JsonObject): JsonObject {
  return {
    [VERSION_KEY]: MODERN_VERSION,
    [CLIENT_INFO_KEY]: CLIENT_INFO,
    [CAPABILITIES_KEY]: capabilities,
  };
}

export interface IntroduceOptions {
  readonly server: string;
  readonly protocol: UpstreamConfig['protocol'];
  /** The era that the server spoke before. */
  readonly knownEra: UpstreamEra | undefined;
  readonly capabilities: JsonObject;
  readonly timeoutMs: number;
}

/**
 * Introduces the hub to a server over stdio or WebSocket. Without knowledge the older way is tried
 * first, because all servers of today speak it, and some end on anything else before `initialize`;
 * a server that refuses it gets the newer one on the same connection.
 */
export async function introduce(rpc: RpcClient, options: IntroduceOptions): Promise<UpstreamInfo> {
  const { protocol, knownEra } = options;
  const first = protocol === 'auto' ? (knownEra ?? 'legacy') : protocol;
  const attempts = { legacy: initialize, modern: discover };
  try {
    return await attempts[first](rpc, options);
  } catch (thrown) {
    if (protocol !== 'auto' || !isRefusal(thrown)) throw thrown;
    return attempts[first === 'legacy' ? 'modern' : 'legacy'](rpc, options);
  }
}

/** The server answered with a JSON-RPC error, so the connection still works. */
function isRefusal(thrown: unknown): boolean {
  return (thrown as CallError).reason?.code === 'server_refused';
}

async function initialize(rpc: RpcClient, options: IntroduceOptions): Promise<UpstreamInfo> {
  const { server, capabilities, timeoutMs } = options;
  const [protocolVersion = ''] = LEGACY_VERSIONS;
  const params = { protocolVersion, capabilities, clientInfo: CLIENT_INFO };
  const result = await rpc.request('initialize', params, { timeoutMs });
  const version = result['protocolVersion'];
  if (typeof version !== 'string' || !LEGACY_VERSIONS.includes(version)) {
    throw protocolError(server, 'answers initialize with a version that does not exist');
  }
  rpc.notify('notifications/initialized');
  return {
    era: 'legacy',
    protocolVersion: version,
    serverInfo: objectOf(result['serverInfo']),
    ...commonFacts(result),
  };
}

async function discover(rpc: RpcClient, options: IntroduceOptions): Promise<UpstreamInfo> {
  const { server, capabilities, timeoutMs } = options;
  const params = { _meta: modernMeta(capabilities) };
  const result = await rpc.request('server/discover', params, { timeoutMs });
  const versions = result['supportedVersions'];
  if (!Array.isArray(versions) || !versions.includes(MODERN_VERSION)) {
    throw protocolError(server, `does not list ${MODERN_VERSION} among its versions`);
  }
  const meta = objectOf(result['_meta']);
  return {
    era: 'modern',
    protocolVersion: MODERN_VERSION,
    serverInfo: objectOf(result['serverInfo'] ?? meta[SERVER_INFO_KEY]),
    ...commonFacts(result),
  };
}

function commonFacts(result: JsonObject): Pick<UpstreamInfo, 'capabilities' | 'instructions'> {
  const { instructions } = result;
  return {
    capabilities: objectOf(result['capabilities']),
    ...(typeof instructions === 'string' && { instructions }),
  };
}

function objectOf(value: unknown): JsonObject {
  return isObject(value) ? (value as JsonObject) : {};
}

/** Whether a server knows no such method. */
export function isMethodMissing({ reason }: CallError): boolean {
  return reason?.code === 'server_refused' && reason.params.rpcCode === METHOD_NOT_FOUND;
}
