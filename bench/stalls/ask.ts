/** How the inputs are sent to the daemon. */
import { request, type Agent } from 'undici';
import { WebSocket } from 'ws';

export interface StallTarget {
  readonly url: string;
  readonly agent: Agent;
}

/** Large answers are read to their end and not kept. */
const KEPT_CHARS = 100_000;
const MCP_VERSION = '2026-07-28';
const META = {
  'io.modelcontextprotocol/protocolVersion': MCP_VERSION,
  'io.modelcontextprotocol/clientCapabilities': {},
  'io.modelcontextprotocol/clientInfo': { name: 'bench', version: '1' },
};

type Params = Readonly<Record<string, unknown>>;

export async function post(
  { url, agent }: StallTarget,
  path: string,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): Promise<string> {
  const response = await request(`${url}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
    dispatcher: agent,
    headersTimeout: 600_000,
    bodyTimeout: 600_000,
  });
  let text = '';
  for await (const chunk of response.body) if (text.length < KEPT_CHARS) text += String(chunk);
  return text;
}

export function chat(target: StallTarget, content: unknown, more: Params = {}): Promise<string> {
  const messages = [{ role: 'user', content }];
  return post(target, '/v1/chat/completions', { model: 'kimi-k3', messages, ...more });
}

function mcpCall(name: string, args: Params, meta: Params): object {
  const params = { name, arguments: args, _meta: { ...META, ...meta } };
  return { jsonrpc: '2.0', id: 1, method: 'tools/call', params };
}

/** A tool over MCP's Streamable HTTP. */
export function call(
  target: StallTarget,
  name: string,
  args: Params,
  meta: Params = {},
): Promise<string> {
  return post(target, '/mcp', mcpCall(name, args, meta), {
    accept: 'application/json, text/event-stream',
    'mcp-protocol-version': MCP_VERSION,
    'mcp-method': 'tools/call',
    'mcp-name': name,
  });
}

export function readResource(target: StallTarget, uri: string): Promise<string> {
  const params = { uri, _meta: META };
  const body = { jsonrpc: '2.0', id: 1, method: 'resources/read', params };
  return post(target, '/mcp', body, {
    accept: 'application/json, text/event-stream',
    'mcp-protocol-version': MCP_VERSION,
    'mcp-method': 'resources/read',
    'mcp-name': uri,
  });
}

/** A tool over a WebSocket; ends with its answer, or when the daemon closes the connection. */
export function callOverWs({ url }: StallTarget, name: string, args: Params): Promise<void> {
  const socket = new WebSocket(url.replace('http', 'ws'), 'mcp');
  return new Promise((settled) => {
    socket.on('open', () => socket.send(JSON.stringify(mcpCall(name, args, {}))));
    socket.on('message', () => socket.close());
    socket.on('close', () => settled());
    socket.on('error', () => settled());
  });
}

/** Opens so many WebSockets at once, and closes them when all are open or refused. */
export async function openWebSockets({ url }: StallTarget, count: number): Promise<void> {
  const sockets = Array.from({ length: count }, () => new WebSocket(url.replace('http', 'ws')));
  await Promise.all(
    sockets.map(
      (socket) => new Promise((settled) => socket.once('open', settled).once('error', settled)),
    ),
  );
  for (const socket of sockets) socket.terminate();
}

export const times = (count: number, work: () => Promise<unknown>): Promise<unknown[]> =>
  Promise.all(Array.from({ length: count }, work));
