import { isObject, type Members } from './json-rpc.ts';

/**
 * MCP before 2026-07-28 opens with `initialize`; since then each request says in `_meta` which revision it speaks. The
 * first message that tells decides for the whole connection. `probe`: the client asked what there is and may still
 * choose either.
 */
export type Era = 'opening' | 'probe' | 'legacy' | 'modern';

/** What a message says of its revision: nothing, ours in good form, or something else. */
export type Claim = 'none' | 'good' | 'odd';

export const MODERN_VERSION = '2026-07-28';
export const VERSION_KEY = 'io.modelcontextprotocol/protocolVersion';
export const CAPABILITIES_KEY = 'io.modelcontextprotocol/clientCapabilities';
export const SERVER_INFO_KEY = 'io.modelcontextprotocol/serverInfo';
const CLIENT_INFO_KEY = 'io.modelcontextprotocol/clientInfo';
const LOG_LEVEL_KEY = 'io.modelcontextprotocol/logLevel';

const LOG_LEVELS: readonly unknown[] = [
  'debug',
  'info',
  'notice',
  'warning',
  'error',
  'critical',
  'alert',
  'emergency',
];

export function claimOf(params: Members | undefined): Claim {
  const meta = params?.['_meta'];
  if (!isObject(meta) || !(VERSION_KEY in meta)) return 'none';
  const info = meta[CLIENT_INFO_KEY];
  const level = meta[LOG_LEVEL_KEY];
  const isGood =
    meta[VERSION_KEY] === MODERN_VERSION &&
    isObject(meta[CAPABILITIES_KEY]) &&
    (info === undefined || isImplementation(info)) &&
    (level === undefined || LOG_LEVELS.includes(level));
  return isGood ? 'good' : 'odd';
}

export function isImplementation(info: unknown): boolean {
  return isObject(info) && typeof info['name'] === 'string' && typeof info['version'] === 'string';
}

/** The same decision as the SDK's, so that what it answers and what we answer belong to one connection. */
export function nextEra(
  era: Era,
  message: { readonly is: 'request' | 'notification'; readonly method: string },
  claim: Claim,
): Era {
  if (era === 'legacy' || era === 'modern') return era;
  if (claim === 'none') return 'legacy';
  if (claim === 'odd') return message.method === 'initialize' ? 'legacy' : era;
  if (message.is === 'request') return message.method === 'server/discover' ? 'probe' : 'modern';
  return era === 'probe' ? 'probe' : 'modern';
}
