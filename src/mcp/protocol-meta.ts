import { toClientInfo, type ClientInfo } from '#core/calls/client-info.ts';
import { LOG_LEVELS, type LogLevel } from '#core/tools/input-request.ts';
import {
  rpcErrorResponse,
  INVALID_PARAMS,
  isObject,
  type Members,
  type RequestId,
} from './json-rpc.ts';
import { CAPABILITIES_KEY, CLIENT_INFO_KEY, LOG_LEVEL_KEY, VERSION_KEY } from './meta-keys.ts';
import { MODERN_VERSION } from './protocol-versions.ts';

/** Whether the protocol fields of `_meta` are absent, valid or invalid. */
export type ProtocolMetaCheck = 'none' | 'valid' | 'invalid';

// Stored with the session; no known client has a longer name.
const MAX_NAME_CHARS = 64;

export const LOG_LEVEL_LIST = LOG_LEVELS.join(', ');

interface ProtocolField {
  readonly key: string;
  readonly isValid: (value: unknown) => boolean;
  /** Describes the valid values. */
  readonly expected: string;
}

/** The protocol fields, in the order they are checked. */
const PROTOCOL_FIELDS: readonly ProtocolField[] = [
  {
    key: VERSION_KEY,
    isValid: (value) => value === MODERN_VERSION,
    expected: `"${MODERN_VERSION}"`,
  },
  { key: CAPABILITIES_KEY, isValid: isObject, expected: 'an object: what the client can do' },
  {
    key: CLIENT_INFO_KEY,
    isValid: (value) => value === undefined || isImplementation(value),
    expected: 'an object with a name and a version, or left out',
  },
  {
    key: LOG_LEVEL_KEY,
    isValid: (value) => value === undefined || isLogLevel(value),
    expected: `one of ${LOG_LEVEL_LIST}, or left out`,
  },
];

export function checkProtocolMeta(params: Members | undefined): ProtocolMetaCheck {
  const meta = params?.['_meta'];
  if (!isObject(meta) || !(VERSION_KEY in meta)) return 'none';
  return invalidField(meta) ? 'invalid' : 'valid';
}

function invalidField(meta: Members): ProtocolField | undefined {
  return PROTOCOL_FIELDS.find(({ key, isValid }) => !isValid(meta[key]));
}

export function isImplementation(info: unknown): boolean {
  return isObject(info) && typeof info['name'] === 'string' && typeof info['version'] === 'string';
}

export function isLogLevel(value: unknown): value is LogLevel {
  return (LOG_LEVELS as readonly unknown[]).includes(value);
}

/** The `clientInfo` of a modern request. */
export function readClientInfo(params: Members | undefined): unknown {
  const meta = params?.['_meta'];
  return isObject(meta) ? meta[CLIENT_INFO_KEY] : undefined;
}

/** The name in a `clientInfo`, of a modern request or of `initialize`. */
export function readClientName(info: unknown): string | undefined {
  const name = isObject(info) ? info['name'] : undefined;
  return typeof name === 'string' && name.length <= MAX_NAME_CHARS ? name : undefined;
}

/** Name and version in a `clientInfo`, cleaned for reports. */
export function parseClientInfo(info: unknown): ClientInfo | undefined {
  return isObject(info) ? toClientInfo(info['name'], info['version']) : undefined;
}

/** The client capabilities of a modern request. */
export function readCapabilities(params: Members | undefined): unknown {
  const meta = params?.['_meta'];
  return isObject(meta) ? meta[CAPABILITIES_KEY] : undefined;
}

/** The log level of a modern request; undefined if the client wants no log messages. */
export function readLogLevel(params: Members | undefined): LogLevel | undefined {
  const meta = params?.['_meta'];
  const level = isObject(meta) ? meta[LOG_LEVEL_KEY] : undefined;
  return isLogLevel(level) ? level : undefined;
}

const UNSUPPORTED_VERSION = -32022;
const MAX_VERSION_CHARS = 64;

/**
 * The error response to invalid protocol fields: an unsupported revision, or a missing or invalid
 * field.
 */
export function invalidMetaReply(id: RequestId, params: Members | undefined): string {
  const metaValue = params?.['_meta'];
  const meta = isObject(metaValue) ? metaValue : {};
  const version = meta[VERSION_KEY];
  if (version !== undefined && version !== MODERN_VERSION)
    return unsupportedVersionReply(id, version);
  const { key, expected } = invalidField(meta) ?? { key: VERSION_KEY, expected: 'known' };
  const text = `Invalid params: _meta["${key}"] must be ${expected}.`;
  return rpcErrorResponse(id, INVALID_PARAMS, text, { envelope: { key } });
}

export function unsupportedVersionReply(id: RequestId, version: unknown): string {
  const supported = [MODERN_VERSION];
  if (typeof version !== 'string') {
    const text = 'Unsupported protocol version: the request does not name one';
    return rpcErrorResponse(id, UNSUPPORTED_VERSION, text, { supported });
  }
  const requested = version.slice(0, MAX_VERSION_CHARS);
  const text = `Unsupported protocol version: ${requested}`;
  return rpcErrorResponse(id, UNSUPPORTED_VERSION, text, { supported, requested });
}
