import { LOG_LEVELS, type LogLevel } from '#core/question.ts';
import { errorReply, INVALID_PARAMS, isObject, type Members, type RequestId } from './json-rpc.ts';
import { CAPABILITIES_KEY, CLIENT_INFO_KEY, LOG_LEVEL_KEY, VERSION_KEY } from './meta-keys.ts';
import { MODERN_VERSION } from './protocol-versions.ts';

/** What a message says of its revision: nothing, ours in good form, or something else. */
export type Claim = 'none' | 'good' | 'odd';

// It is remembered as long as its session, and nobody whom we know has a longer one.
const MAX_NAME_CHARS = 64;

export const LEVELS_IN_WORDS = LOG_LEVELS.join(', ');

interface Part {
  readonly key: string;
  readonly isGood: (value: unknown) => boolean;
  /** What it must be, in words. */
  readonly wanted: string;
}

/** Of a claim of ours, in the order they are looked at. */
const PARTS: readonly Part[] = [
  {
    key: VERSION_KEY,
    isGood: (value) => value === MODERN_VERSION,
    wanted: `"${MODERN_VERSION}"`,
  },
  { key: CAPABILITIES_KEY, isGood: isObject, wanted: 'an object: what the client can do' },
  {
    key: CLIENT_INFO_KEY,
    isGood: (value) => value === undefined || isImplementation(value),
    wanted: 'an object with a name and a version, or left out',
  },
  {
    key: LOG_LEVEL_KEY,
    isGood: (value) => value === undefined || isLogLevel(value),
    wanted: `one of ${LEVELS_IN_WORDS}, or left out`,
  },
];

export function claimOf(params: Members | undefined): Claim {
  const meta = params?.['_meta'];
  if (!isObject(meta) || !(VERSION_KEY in meta)) return 'none';
  return wrongPart(meta) ? 'odd' : 'good';
}

function wrongPart(meta: Members): Part | undefined {
  return PARTS.find(({ key, isGood }) => !isGood(meta[key]));
}

export function isImplementation(info: unknown): boolean {
  return isObject(info) && typeof info['name'] === 'string' && typeof info['version'] === 'string';
}

export function isLogLevel(value: unknown): value is LogLevel {
  return (LOG_LEVELS as readonly unknown[]).includes(value);
}

/** Who the sender says it is. */
export function clientInfoOf(params: Members | undefined): unknown {
  const meta = params?.['_meta'];
  return isObject(meta) ? meta[CLIENT_INFO_KEY] : undefined;
}

/** What it calls itself there, or in an `initialize`. */
export function clientNameOf(info: unknown): string | undefined {
  const name = isObject(info) ? info['name'] : undefined;
  return typeof name === 'string' && name.length <= MAX_NAME_CHARS ? name : undefined;
}

/** What the sender can do, by its own word. */
export function capabilitiesOf(params: Members | undefined): unknown {
  const meta = params?.['_meta'];
  return isObject(meta) ? meta[CAPABILITIES_KEY] : undefined;
}

/** From which level on the sender of a good claim wants to be told; nothing when it does not. */
export function logLevelOf(params: Members | undefined): LogLevel | undefined {
  const meta = params?.['_meta'];
  const level = isObject(meta) ? meta[LOG_LEVEL_KEY] : undefined;
  return isLogLevel(level) ? level : undefined;
}

const UNSUPPORTED_VERSION = -32022;
const MAX_VERSION_CHARS = 64;

/** Why a claim is not taken: another revision than ours, or one of its parts is missing or wrong. */
export function claimRefusal(id: RequestId, params: Members | undefined): string {
  const given = params?.['_meta'];
  const meta = isObject(given) ? given : {};
  const version = meta[VERSION_KEY];
  if (version !== undefined && version !== MODERN_VERSION) return versionRefusal(id, version);
  const { key, wanted } = wrongPart(meta) ?? { key: VERSION_KEY, wanted: 'known' };
  const words = `Invalid params: _meta["${key}"] must be ${wanted}.`;
  return errorReply(id, INVALID_PARAMS, words, { envelope: { key } });
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
