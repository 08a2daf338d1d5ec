import { isRequestId } from '#mcp/json-rpc.ts';
import { parseText } from '#core/parse-text.ts';

/** What the relay needs to know of a message; the rest of it passes as it is. */
export type RpcLine =
  | {
      readonly is: 'request';
      readonly key: string;
      readonly method: string;
      readonly params: unknown;
    }
  | { readonly is: 'notification'; readonly method: string; readonly params: unknown }
  /** `key` of the request that it answers; absent when its sender could not tell, or said it wrongly. */
  | { readonly is: 'answer'; readonly key: string | undefined }
  /** Not JSON, a batch, or no message of JSON-RPC: whoever it is for says so. */
  | { readonly is: 'other' };

const OTHER: RpcLine = { is: 'other' };

/** As our own daemon begins its answers. */
const HEAD = '{"jsonrpc":"2.0","id":';
/** What is longer may be no id at all, and is left to the parser. */
const MAX_KEY_CHARS = 1024;
const MAX_DIGITS = 15;

export function readRpcLine(line: string): RpcLine {
  let found: unknown;
  try {
    found = parseText(line);
  } catch {
    return OTHER;
  }
  if (typeof found !== 'object' || found === null || Array.isArray(found)) return OTHER;
  const message = found as { id?: unknown; method?: unknown; params?: unknown };
  const { method, params } = message;
  const key = toKey(message.id);
  if (typeof method === 'string') {
    if (message.id === undefined) return { is: 'notification', method, params };
    return key === undefined ? OTHER : { is: 'request', key, method, params };
  }
  if (Object.hasOwn(message, 'result') || Object.hasOwn(message, 'error'))
    return { is: 'answer', key };
  // Of no use to anybody, but whoever refuses it does so by its id.
  return key === undefined ? OTHER : { is: 'request', key, method: '', params };
}

/** The same for what a daemon sends: most of it is answers, whose id is found without reading what may be megabytes. */
export function readDaemonLine(line: string): RpcLine {
  const key = keyAtHead(line);
  return key === undefined ? readRpcLine(line) : { is: 'answer', key };
}

function keyAtHead(line: string): string | undefined {
  if (!line.startsWith(HEAD)) return undefined;
  const key = simpleKey(line, HEAD.length);
  const next = HEAD.length + (key?.length ?? 0);
  const isAnswer = line.startsWith(',"result":', next) || line.startsWith(',"error":', next);
  return isAnswer ? key : undefined;
}

/** A whole number or a text without escapes that begins there; all others are left to the parser. */
function simpleKey(line: string, start: number): string | undefined {
  if (line[start] === '"') {
    const end = line.indexOf('"', start + 1) + 1;
    const key = line.slice(start, end);
    return end === 0 || key.length > MAX_KEY_CHARS || key.includes('\\') ? undefined : key;
  }
  let end = start;
  while (isDigit(line.charCodeAt(end))) end++;
  return end === start || end - start > MAX_DIGITS ? undefined : line.slice(start, end);
}

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39;
}

/** Whether an answer says that something failed; one that nobody can read does. */
export function isErrorAnswer(line: string): boolean {
  try {
    return (JSON.parse(line) as { error?: unknown }).error !== undefined;
  } catch {
    // Its id was found without reading the rest, which is no JSON.
    return true;
  }
}

/** An id as JSON, so that 1 and "1" are two. One that the daemon would not give back is none. */
export function toKey(id: unknown): string | undefined {
  return isRequestId(id) ? JSON.stringify(id) : undefined;
}
