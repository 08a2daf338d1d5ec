import { claim, LEGACY, MODERN, opening } from '../../fuzz-http/any-rpc.ts';
import { OWNER_TOKEN } from '../attack-harness.ts';

/** One thing that a page can make a browser send, or that a proxy between may make of it. */
export interface BrowserRow {
  readonly name: string;
  readonly bytes: string;
  readonly methods?: readonly string[];
  readonly ending?: 'half_close';
  /** The statuses that refuse it. */
  readonly refused: readonly number[];
  /**
   * Why it may be served instead: what is served then tells nothing and does nothing for the page.
   */
  readonly harmless?: string;
}

/** `host:port` of the daemon. */
export type Rows = (host: string) => readonly BrowserRow[];

export interface RequestParts {
  readonly method?: string;
  readonly path?: string;
  readonly version?: string;
  /** Whole header lines beside those that every request has. */
  readonly lines?: readonly string[];
  readonly contentType?: string | undefined;
  readonly body?: string;
}

export const FORBIDDEN = [403] as const;
/** Refused for its form, or for whom it claims to come from. */
export const REFUSED = [400, 403, 404, 405, 413, 415, 417, 421, 426, 501, 505] as const;

/**
 * A request with the owner's token, as if the page had it: then Host, Origin and form are all that
 * can refuse it. The connection is to be closed after it, so that the end of the answers is seen.
 */
export function written(hostLines: readonly string[], parts: RequestParts = {}): string {
  const { method = 'GET', path = '/healthz', version = 'HTTP/1.1', lines = [], body } = parts;
  const { contentType = 'application/json' } = parts;
  const isSized = !lines.some((line) => /^(?:content-length|transfer-encoding)\s*:/i.test(line));
  const isUpgrade = lines.some((line) => /^connection\s*:/i.test(line));
  return [
    `${method} ${path} ${version}`,
    ...hostLines,
    `Authorization: Bearer ${OWNER_TOKEN}`,
    ...(isUpgrade ? [] : ['Connection: close']),
    ...(body === undefined ? [] : [`Content-Type: ${contentType}`]),
    ...(body !== undefined && isSized ? [`Content-Length: ${Buffer.byteLength(body)}`] : []),
    ...lines,
    '',
    body ?? '',
  ].join('\r\n');
}

const ACCEPT = 'Accept: application/json, text/event-stream';

const VERSION_CALL = {
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: { name: 'version', arguments: {}, _meta: claim() },
};

/** Runs a tool when it is served. */
export const CALL_TOOL: RequestParts = {
  method: 'POST',
  path: '/mcp',
  lines: [ACCEPT, `Mcp-Protocol-Version: ${MODERN}`, 'Mcp-Method: tools/call', 'Mcp-Name: version'],
  body: JSON.stringify(VERSION_CALL),
};

/** Opens a session when it is served. */
export const OPEN_SESSION: RequestParts = {
  method: 'POST',
  path: '/mcp',
  lines: [ACCEPT],
  body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params: opening(LEGACY) }),
};

/** Asks a provider, for money, when it is served. */
export const ASK_MODEL: RequestParts = {
  method: 'POST',
  path: '/v1/chat/completions',
  body: JSON.stringify({
    model: 'kimi-k2.6',
    messages: [{ role: 'user', content: 'Say exactly: served' }],
  }),
};

export const ASK_ANTHROPIC: RequestParts = {
  method: 'POST',
  path: '/v1/messages',
  lines: ['Anthropic-Version: 2023-06-01'],
  body: JSON.stringify({
    model: 'kimi-k2.6',
    max_tokens: 20,
    messages: [{ role: 'user', content: 'Say exactly: served' }],
  }),
};

/** Asks a provider, and stores the answer, when it is served. */
export const ASK_RESPONSE: RequestParts = {
  method: 'POST',
  path: '/v1/responses',
  body: JSON.stringify({ model: 'kimi-k2.6', input: 'Say exactly: served' }),
};

export const ASK_COMPLETION: RequestParts = {
  method: 'POST',
  path: '/v1/completions',
  body: JSON.stringify({ model: 'kimi-k2.6', prompt: 'Say exactly: served' }),
};

export const OPEN_SSE: RequestParts = { path: '/sse', lines: ['Accept: text/event-stream'] };

export function withLines(parts: RequestParts, ...more: readonly string[]): RequestParts {
  return { ...parts, lines: [...(parts.lines ?? []), ...more] };
}
