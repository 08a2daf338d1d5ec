import { LOG_LEVELS, type LogLevel } from '#core/question.ts';
import { errorReply, INVALID_PARAMS, isObject, type Members, type RequestId } from './json-rpc.ts';

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

export function claimOf(params: Members | undefined): Claim {
  const meta = params?.['_meta'];
  if (!isObject(meta) || !(VERSION_KEY in meta)) return 'none';
  const info = meta[CLIENT_INFO_KEY];
  const level = meta[LOG_LEVEL_KEY];
  const isGood =
    meta[VERSION_KEY] === MODERN_VERSION &&
    isObject(meta[CAPABILITIES_KEY]) &&
    (info === undefined || isImplementation(info)) &&
    (level === undefined || isLogLevel(level));
  return isGood ? 'good' : 'odd';
}

export function isLogLevel(value: unknown): value is LogLevel {
  return (LOG_LEVELS as readonly unknown[]).includes(value);
}

/** From which level on the sender of a good claim wants to be told; nothing when it does not. */
export function logLevelOf(params: Members | undefined): LogLevel | undefined {
  const meta = params?.['_meta'];
  const level = isObject(meta) ? meta[LOG_LEVEL_KEY] : undefined;
  return isLogLevel(level) ? level : undefined;
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

export const UNSUPPORTED_VERSION = -32022;

/** Why a claim is not taken: another revision than ours, or one of its parts is missing or wrong. */
export function claimRefusal(id: RequestId, params: Members | undefined): string {
  const given = params?.['_meta'];
  const meta = isObject(given) ? given : {};
  const version = meta[VERSION_KEY];
  if (version !== undefined && version !== MODERN_VERSION) return versionRefusal(id, version);
  const key =
    version === undefined
      ? VERSION_KEY
      : !isObject(meta[CAPABILITIES_KEY])
        ? CAPABILITIES_KEY
        : meta[CLIENT_INFO_KEY] !== undefined && !isImplementation(meta[CLIENT_INFO_KEY])
          ? CLIENT_INFO_KEY
          : LOG_LEVEL_KEY;
  const wanted = `Invalid params: _meta["${key}"] must be ${WANTED[key]}.`;
  return errorReply(id, INVALID_PARAMS, wanted, { envelope: { key } });
}

export function versionRefusal(id: RequestId, version: unknown): string {
  const supported = [MODERN_VERSION];
  if (typeof version !== 'string') {
    const words = 'Unsupported protocol version: the request does not name one';
    return errorReply(id, UNSUPPORTED_VERSION, words, { supported });
  }
  const requested = version.slice(0, MAX_VERSION_CHARS);
  const words = `Unsupported protocol version: ${requested}`;
  return errorReply(id, UNSUPPORTED_VERSION, words, { supported, requested });
}

const MAX_VERSION_CHARS = 64;

const WANTED: Record<string, string> = {
  [VERSION_KEY]: `"${MODERN_VERSION}"`,
  [CAPABILITIES_KEY]: 'an object: what the client can do',
  [CLIENT_INFO_KEY]: 'an object with a name and a version',
  [LOG_LEVEL_KEY]: `one of ${LOG_LEVELS.join(', ')}`,
};

export const LEVELS_IN_WORDS = LOG_LEVELS.join(', ');

const MODERN_METHODS: ReadonlySet<string> = new Set([
  'server/discover',
  'subscriptions/listen',
  'tools/list',
  'tools/call',
  'prompts/list',
  'prompts/get',
  'resources/list',
  'resources/templates/list',
  'resources/read',
  'completion/complete',
]);

export function isModernMethod(method: string): boolean {
  return MODERN_METHODS.has(method);
}
