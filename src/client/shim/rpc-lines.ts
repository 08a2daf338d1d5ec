import { CallError } from '#core/errors/call-error.ts';
import { parseUntrustedJson } from '#core/json/json-guard.ts';
import { parseLargeBody } from '#core/large-json/parse-large-body.ts';
import { asSentence } from '#core/messages/sentence.ts';
import { isObject, isRequestId } from '#mcp/json-rpc.ts';
import { SUBSCRIPTION_KEY } from '#mcp/meta-keys.ts';

/** The parts of a JSON-RPC message that the relay needs; the line itself is passed on unchanged. */
export type RpcLine =
  | {
      readonly is: 'request';
      readonly key: string;
      readonly method: string;
      readonly params: unknown;
    }
  | { readonly is: 'notification'; readonly method: string; readonly params: unknown }
  /** `key`: id of the answered request as JSON; undefined if it is null or invalid. */
  | { readonly is: 'answer'; readonly key: string | undefined }
  /** Not JSON, a batch, or not JSON-RPC: the receiver reports the error. */
  | { readonly is: 'other' };

const OTHER: RpcLine = { is: 'other' };

/** How the daemon's answers begin. */
const HEAD = '{"jsonrpc":"2.0","id":';
/** Longer ids are left to the parser. */
const MAX_KEY_CHARS = 1024;
const MAX_DIGITS = 15;

export function readRpcLine(line: string): RpcLine {
  try {
    return toRpcLine(parseUntrustedJson(line));
  } catch {
    return OTHER;
  }
}

/** Reads a large line in steps. `mark`: a text that its sender does not know. */
export async function readLargeRpcLine(bytes: Buffer, mark: string): Promise<RpcLine> {
  return toRpcLine(await parseLargeBody(bytes, mark).catch(() => undefined));
}

function toRpcLine(found: unknown): RpcLine {
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
  // Invalid, but the daemon refuses it by its id.
  return key === undefined ? OTHER : { is: 'request', key, method: '', params };
}

/**
 * Reads a line of a daemon. Finds the id of an answer without parsing it, since answers may have
 * megabytes.
 */
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

/** The integer or the string without escapes at this position; other ids are left to the parser. */
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

/** Whether an answer is an error; an unreadable one counts as an error. */
export function isErrorAnswer(line: string): boolean {
  try {
    return (JSON.parse(line) as { error?: unknown }).error !== undefined;
  } catch {
    // Only its id was read before, and the rest is not JSON.
    return true;
  }
}

/** An id as JSON, so that 1 and "1" differ; undefined if the daemon would not accept it. */
export function toKey(id: unknown): string | undefined {
  return isRequestId(id) ? JSON.stringify(id) : undefined;
}

/** An error response from the relay itself. `key`: id of the request as JSON. */
function errorLine(key: string, error: CallError, retryable: 'retryable' | 'final'): string {
  const body = {
    code: error.policy.rpcCode,
    message: error.message,
    data: {
      error_class: error.class,
      retryable: retryable === 'retryable',
      ...(error.field !== undefined && { field: error.field }),
      ...(error.retryAfterMs !== undefined && { retry_after_ms: error.retryAfterMs }),
    },
  };
  return `{"jsonrpc":"2.0","id":${key},"error":${JSON.stringify(body)}}`;
}

const INTERRUPTED = new CallError(
  'interrupted',
  'The connection to the daemon of EX-AI broke before this was answered, so it may have been done or not. It may be sent again.',
);

export function interruptedLine(key: string): string {
  return errorLine(key, INTERRUPTED, 'retryable');
}

export function unreachableLine(key: string, error: CallError): string {
  const again = isRetryable(error) ? ' It will be tried again; send this again later.' : '';
  const { field, retryAfterMs } = error;
  const reported = new CallError(error.class, `${formatUnreachable(error)}${again}`, {
    ...(field !== undefined && { field }),
    ...(retryAfterMs !== undefined && { retryAfterMs }),
  });
  return errorLine(key, reported, isRetryable(error) ? 'retryable' : 'final');
}

/** Describes why there is no daemon, in whole sentences. */
export function formatUnreachable({ message, fix }: CallError): string {
  const sentences = ['The daemon of EX-AI cannot be reached', message, ...(fix ? [fix] : [])];
  return sentences.map(asSentence).join(' ');
}

function isRetryable({ policy }: CallError): boolean {
  return policy.retry !== 'never';
}

export function pongLine(key: string): string {
  return `{"jsonrpc":"2.0","id":${key},"result":{}}`;
}

export function idInUseLine(key: string): string {
  const text = 'A request with this id has no answer yet; each request needs a unique id.';
  return errorLine(key, new CallError('bad_request', text), 'final');
}

export function tooLargeLine(key: string, maxBytes: number): string {
  const text = `This message is longer than the ${maxBytes} bytes that the daemon takes.`;
  return errorLine(key, new CallError('too_large', text), 'final');
}

/** Cancels a request of the lost daemon to the client. */
export function cancelledLine(key: string): string {
  return `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":${key},"reason":"The connection to the daemon broke."}}`;
}

/**
 * Liveness ping to the daemon. No client has this id, so the answer is dropped. Its protocol
 * version does not exist, so that the ping does not decide the era of the connection instead of
 * the client.
 */
export const PING_LINE =
  '{"jsonrpc":"2.0","id":"exai-shim-ping","method":"ping","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"none"}}}';

// Notifications for a client that had no daemon for a while: everything it listens for may have
// changed.

const LISTS = ['tools', 'prompts', 'resources'] as const;
export const ACKNOWLEDGED = 'notifications/subscriptions/acknowledged';

/** Every legacy client gets these. */
export const LISTS_CHANGED_LINES: readonly string[] = LISTS.map((list) =>
  notificationLine(`${list}/list_changed`),
);

export function updatedLine(uri: string): string {
  return notificationLine('resources/updated', { uri });
}

/** The notifications that a modern subscription may have missed, from its acknowledgement. */
export function missedNotifications(acknowledgement: string): string[] {
  const { params } = JSON.parse(acknowledgement) as { params?: unknown };
  const { notifications, _meta } = isObject(params) ? params : {};
  const granted = isObject(notifications) ? notifications : {};
  const uris = granted['resourceSubscriptions'];
  const lists = LISTS.filter((list) => granted[`${list}ListChanged`] === true);
  return [
    ...lists.map((list) => notificationLine(`${list}/list_changed`, { _meta })),
    ...(Array.isArray(uris) ? uris : []).map((uri) =>
      notificationLine('resources/updated', { uri, _meta }),
    ),
  ];
}

/** The id of the subscription that a notification belongs to. */
export function subscriptionOf(params: unknown): unknown {
  const { _meta } = isObject(params) ? params : {};
  return isObject(_meta) ? _meta[SUBSCRIPTION_KEY] : undefined;
}

function notificationLine(name: string, params?: object): string {
  return JSON.stringify({
    jsonrpc: '2.0',
    method: `notifications/${name}`,
    ...(params && { params }),
  });
}

/**
 * Whether a line has more bytes. Most lines are not measured, since no character takes more than
 * three.
 */
export function isLongerThan(maxBytes: number, line: string): boolean {
  return line.length * 3 > maxBytes && Buffer.byteLength(line) > maxBytes;
}
