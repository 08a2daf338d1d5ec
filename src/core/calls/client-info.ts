import type { Caller } from './call.ts';

/**
 * The program that a call comes from, as it names itself: `clientInfo` of MCP, `client` of an EXAI
 * hello, the product of a User-Agent. Data for reports; access never depends on it.
 */
export interface ClientInfo {
  readonly name: string;
  readonly version?: string;
}

const MAX_NAME_CHARS = 64;
const MAX_VERSION_CHARS = 32;
/** Only the start of a long text is looked at. */
const MAX_READ_CHARS = 512;
/** Control, format (which includes bidi), private, unassigned characters and half surrogates. */
const UNSEEN = /[\p{C}\p{Zl}\p{Zp}]+/gu;

const PLAIN = /^[!-~]+$/;

/** The name and version as one clean, short line each; undefined without a name. */
export function toClientInfo(name: unknown, version?: unknown): ClientInfo | undefined {
  const cleanName = clean(name, MAX_NAME_CHARS);
  if (cleanName === '') return undefined;
  const cleanVersion = clean(version, MAX_VERSION_CHARS);
  return cleanVersion === '' ? { name: cleanName } : { name: cleanName, version: cleanVersion };
}

function clean(text: unknown, maxChars: number): string {
  if (typeof text !== 'string') return '';
  // Nearly every name, and one comes with every request of the modern era.
  if (text.length <= maxChars && PLAIN.test(text)) return text;
  const line = text.slice(0, MAX_READ_CHARS).replaceAll(UNSEEN, ' ').replaceAll(/\s+/g, ' ').trim();
  if (line.length <= maxChars) return line;
  const head = line.slice(0, maxChars - 1).replace(/[\uD800-\uDBFF]$/, '');
  return `${head.trimEnd()}…`;
}

export function withClientInfo(caller: Caller, clientInfo: ClientInfo | undefined): Caller {
  return clientInfo ? { ...caller, clientInfo } : caller;
}
