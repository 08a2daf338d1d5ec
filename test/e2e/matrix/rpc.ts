/**
 * What goes over the wire, by the words of JSON-RPC and of MCP. Nothing of it is taken from the
 * server under test.
 */
export type Members = Readonly<Record<string, unknown>>;

export type RequestId = string | number;

export interface RpcError {
  readonly code: number;
  readonly message: string;
  readonly data?: Members;
}

export interface Message {
  readonly id?: RequestId | null;
  readonly method?: string;
  readonly params?: Members;
  readonly result?: Members;
  readonly error?: RpcError;
}

export const LEGACY_VERSION = '2025-11-25';
export const MODERN_VERSION = '2026-07-28';

export const VERSION_KEY = 'io.modelcontextprotocol/protocolVersion';
export const CAPABILITIES_KEY = 'io.modelcontextprotocol/clientCapabilities';
export const CLIENT_KEY = 'io.modelcontextprotocol/clientInfo';
export const LOG_LEVEL_KEY = 'io.modelcontextprotocol/logLevel';
export const SERVER_KEY = 'io.modelcontextprotocol/serverInfo';
export const SUBSCRIPTION_KEY = 'io.modelcontextprotocol/subscriptionId';

export const PARSE_ERROR = -32_700;
export const INVALID_REQUEST = -32_600;
export const METHOD_NOT_FOUND = -32_601;
export const INVALID_PARAMS = -32_602;
export const MISSING_CAPABILITY = -32_021;
export const UNSUPPORTED_VERSION = -32_022;
/** Until the modern era, which has no code of its own for it. */
export const RESOURCE_NOT_FOUND = -32_002;

/** What stands at a path such as `result.tools.0.name`; nothing where there is no such path. */
export function at(value: unknown, path: string): unknown {
  let found = value;
  for (const name of path.split('.')) {
    if (typeof found !== 'object' || found === null) return undefined;
    found = (found as Members)[name];
  }
  return found;
}
