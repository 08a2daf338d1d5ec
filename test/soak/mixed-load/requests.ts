import { request, type IncomingMessage } from 'node:http';
import { WebSocket } from 'ws';

const MCP = '2026-07-28';
const LEGACY = '2025-11-25';
const META = {
  'io.modelcontextprotocol/protocolVersion': MCP,
  'io.modelcontextprotocol/clientCapabilities': {},
  'io.modelcontextprotocol/clientInfo': { name: 'soak', version: '1' },
};
const LARGE_CHARS = 400_000;
/** A client that disconnects does so within this time of its request. */
const LEAVES_WITHIN_MS = 120;

/** How one request ended: `left` is a client that disconnected before the answer. */
export type RequestEnd = 'answered' | 'refused' | 'left';

export interface MixedClient {
  /** Sends a request of the next kind; every third client disconnects before its answer. */
  next(): Promise<RequestEnd>;
}

type Kind = (number: number, leavesMs: number | undefined) => Promise<RequestEnd>;

/** All kinds of requests, in turn. */
export function createMixedClient(url: string, random: () => number): MixedClient {
  const post = (path: string, body: unknown, headers = {}, leavesMs?: number) =>
    send(`${url}${path}`, JSON.stringify(body), headers, leavesMs);
  const chat = (content: string, stream: boolean) => ({
    model: 'auto',
    stream,
    messages: [{ role: 'user', content }],
  });
  const call = (name: string, args: object, meta = {}) => ({
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name, arguments: args, _meta: { ...META, ...meta } },
  });
  const mcp = (name: string, args: object, leavesMs?: number, meta = {}) =>
    post('/mcp', call(name, args, meta), headersOf(name), leavesMs);

  const kinds: readonly Kind[] = [
    (n, ms) => post('/v1/chat/completions', chat(`Say exactly: ${n}`, false), {}, ms),
    (n, ms) => post('/v1/chat/completions', chat(`Say exactly: ${n}`, true), {}, ms),
    (n, ms) =>
      post('/v1/chat/completions', chat(`${n} ${'x '.repeat(LARGE_CHARS / 2)}`, true), {}, ms),
    (n, ms) =>
      post('/v1/messages', { ...chat(`Say exactly: ${n}`, true), max_tokens: 500 }, {}, ms),
    (n, ms) => mcp('chat', { prompt: `Say exactly: ${n}` }, ms),
    (n, ms) => mcp('challenge', { prompt: `${n} ${'y '.repeat(LARGE_CHARS / 2)}` }, ms),
    (n, ms) => mcp('chat', { prompt: `Say exactly: ${n}` }, ms, { 'exai/background': true }),
    (_, ms) => mcp('version', {}, ms),
    (n, ms) => overWs(url, call('chat', { prompt: `Say exactly: ${n}` }), ms),
    (_, ms) => inSession(url, ms),
  ];
  let number = 0;
  return {
    next() {
      number += 1;
      const kind = kinds[number % kinds.length] ?? mcp.bind(undefined, 'version', {}, undefined);
      const leavesMs = random() < 1 / 3 ? random() * LEAVES_WITHIN_MS : undefined;
      return kind(number, leavesMs);
    },
  };
}

function headersOf(name: string): Record<string, string> {
  return {
    accept: 'application/json, text/event-stream',
    'mcp-protocol-version': MCP,
    'mcp-method': 'tools/call',
    'mcp-name': name,
  };
}

/** A session of the older era; one that is left is never ended by its client. */
async function inSession(url: string, leavesMs: number | undefined): Promise<RequestEnd> {
  const accept = { accept: 'application/json, text/event-stream' };
  const clientInfo = { name: 'soak', version: '1' };
  const params = { protocolVersion: LEGACY, capabilities: {}, clientInfo };
  let session = '';
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params });
  const opened = await send(`${url}/mcp`, body, accept, undefined, (response) => {
    session = String(response.headers['mcp-session-id'] ?? '');
  });
  if (session === '' || leavesMs !== undefined) return leavesMs === undefined ? opened : 'left';
  return send(`${url}/mcp`, '', { 'mcp-session-id': session }, undefined, undefined, 'DELETE');
}

function send(
  url: string,
  body: string,
  headers: Readonly<Record<string, string>>,
  leavesMs?: number,
  onResponse: (response: IncomingMessage) => void = () => undefined,
  method = 'POST',
): Promise<RequestEnd> {
  return new Promise((resolve) => {
    const all = { 'content-type': 'application/json', ...headers };
    const call = request(url, { method, headers: all, agent: false }, (response) => {
      onResponse(response);
      const isGood = (response.statusCode ?? 500) < 400;
      response.resume();
      response.on('end', () => resolve(isGood ? 'answered' : 'refused'));
      response.on('close', () => resolve('left'));
    });
    call.on('error', () => resolve(leavesMs === undefined ? 'refused' : 'left'));
    call.end(body);
    if (leavesMs !== undefined) setTimeout(() => call.destroy(), leavesMs);
  });
}

function overWs(url: string, message: object, leavesMs: number | undefined): Promise<RequestEnd> {
  return new Promise((resolve) => {
    const socket = new WebSocket(url.replace('http', 'ws'), 'mcp');
    let end: RequestEnd = 'left';
    socket.on('open', () => {
      socket.send(JSON.stringify(message));
      if (leavesMs !== undefined) setTimeout(() => socket.terminate(), leavesMs);
    });
    socket.on('message', () => {
      end = 'answered';
      socket.close();
    });
    socket.on('error', () => {
      end = 'refused';
    });
    socket.on('close', () => resolve(end));
  });
}
