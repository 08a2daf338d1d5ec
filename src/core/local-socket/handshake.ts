import { CallError, type ErrorJson } from '../errors/call-error.ts';
import { readNotices, writeNotices, type SentNotice } from '../messages/notices-wire.ts';
import type { Hello } from './hello.ts';

export { helloLine, settingDigest, settingDigests, type Hello } from './hello.ts';

/** The daemon's reply to a hello; then both sides speak MCP, one message per line. */
export interface Welcome {
  readonly version: string;
  /** Random id of the daemon process. */
  readonly instance: string;
  /** Read-only tools: their calls may be sent again if the result was lost. */
  readonly replay: readonly string[];
  /** Notices for the client's user. */
  readonly notices: readonly SentNotice[];
  /** Longest line the daemon accepts; default: MAX_LINE_BYTES. */
  readonly maxLineBytes?: number;
  /** Whether the client is the daemon's owner. */
  readonly owner?: true;
}

export const MAX_LINE_BYTES = 33_554_432;

export type DaemonHandshake =
  | { readonly is: 'welcome'; readonly welcome: Welcome }
  | { readonly is: 'refused'; readonly error: CallError }
  | { readonly is: 'draining' };

const KINDS = ['shim', 'cli'] as const;
const MAX_TEXT = 4096;
const MAX_SETTINGS = 512;
const MAX_NAMES = 20_000;
const VARIABLE = /^[A-Za-z_][A-Za-z0-9_]{0,127}$/;
const DIGEST = /^[0-9a-f]{16}$/;

/** Throws `bad_request` with the invalid field. */
export function readHello(line: string): Hello {
  const found = readWord(line, 'The first line');
  if (found['exai'] !== 'hello') throw malformed('The first line must be a hello of EX-AI', 'exai');
  const { kind, settings = {} } = found;
  const known = KINDS.find((each) => each === kind);
  if (known === undefined) throw malformed(`kind must be one of ${KINDS.join(', ')}`, 'kind');
  return {
    kind: known,
    version: shortText(found, 'version'),
    cwd: shortText(found, 'cwd'),
    settings: readSettings(settings),
    ...(found['token'] !== undefined && { token: shortText(found, 'token') }),
    ...(found['maxTokens'] !== undefined && { maxTokens: readMaxTokens(found['maxTokens']) }),
    ...(found['server'] !== undefined && { server: shortText(found, 'server') }),
    ...(found['resends'] === true && { resends: true }),
  };
}

function readMaxTokens(given: unknown): number {
  if (Number.isSafeInteger(given) && Number(given) > 0) return Number(given);
  throw malformed('maxTokens must be a whole number above 0', 'maxTokens');
}

function readSettings(given: unknown): Record<string, string> {
  if (!isRecord(given)) throw malformed('settings must be an object', 'settings');
  const entries = Object.entries(given);
  if (entries.length > MAX_SETTINGS) {
    throw malformed(`settings has more than ${MAX_SETTINGS} members`, 'settings');
  }
  // Without a prototype, as variables can have any name.
  const settings = Object.create(null) as Record<string, string>;
  for (const [name, digest] of entries) {
    if (!VARIABLE.test(name) || typeof digest !== 'string' || !DIGEST.test(digest)) {
      throw malformed('settings must hold 16 hexadecimal digits for each variable', 'settings');
    }
    settings[name] = digest;
  }
  return settings;
}

export function welcomeLine(welcome: Welcome): string {
  return JSON.stringify({ exai: 'welcome', ...welcome, ...writeNotices(welcome.notices) });
}

export function refusedLine(error: CallError): string {
  return JSON.stringify({ exai: 'refused', error: error.toJSON() });
}

export const DRAIN_LINE = JSON.stringify({ exai: 'drain' });
export const DRAINING_LINE = JSON.stringify({ exai: 'draining' });

export function isDrainLine(line: string): boolean {
  if (!line.startsWith('{"exai"')) return false;
  try {
    return (JSON.parse(line) as { exai?: unknown }).exai === 'drain';
  } catch {
    // Not JSON, so not a hello; the protocol handler reports the error.
    return false;
  }
}

/** Parses the daemon's reply. Throws `bad_response` if it is not an EX-AI daemon. */
export function readDaemonHandshake(line: string): DaemonHandshake {
  let found: unknown;
  try {
    found = JSON.parse(line);
  } catch {
    throw notOurs();
  }
  if (!isRecord(found)) throw notOurs();
  switch (found['exai']) {
    case 'welcome':
      return { is: 'welcome', welcome: readWelcome(found) };
    case 'refused':
      return { is: 'refused', error: readRefusal(found['error']) };
    case 'draining':
      return { is: 'draining' };
    default:
      throw notOurs();
  }
}

function readWelcome(found: Record<string, unknown>): Welcome {
  const { version, instance, replay, maxLineBytes, owner } = found;
  if (typeof version !== 'string' || typeof instance !== 'string') throw notOurs();
  return {
    version,
    instance,
    replay: texts(replay),
    notices: readNotices(found).slice(0, MAX_NAMES),
    ...(typeof maxLineBytes === 'number' && maxLineBytes > 0 && { maxLineBytes }),
    ...(owner === true && { owner }),
  };
}

function readRefusal(error: unknown): CallError {
  if (!isRecord(error) || typeof error['message'] !== 'string') throw notOurs();
  return CallError.fromJSON(error as unknown as ErrorJson);
}

function texts(given: unknown): string[] {
  if (!Array.isArray(given)) return [];
  return given.filter((each) => typeof each === 'string').slice(0, MAX_NAMES);
}

function readWord(line: string, what: string): Record<string, unknown> {
  let found: unknown;
  try {
    found = JSON.parse(line);
  } catch {
    throw malformed(`${what} is not JSON`);
  }
  if (isRecord(found)) return found;
  throw malformed(`${what} must be a JSON object`);
}

function shortText(found: Record<string, unknown>, field: string): string {
  const value = Object.hasOwn(found, field) ? found[field] : undefined;
  if (typeof value === 'string' && value.length <= MAX_TEXT) return value;
  throw malformed(`${field} must be a text of at most ${MAX_TEXT} characters`, field);
}

function isRecord(found: unknown): found is Record<string, unknown> {
  return typeof found === 'object' && found !== null && !Array.isArray(found);
}

function malformed(words: string, field?: string): CallError {
  return new CallError('bad_request', `${words}.`, field === undefined ? {} : { field });
}

function notOurs(): CallError {
  return new CallError('bad_response', 'The process listening there is not an EX-AI daemon.');
}
