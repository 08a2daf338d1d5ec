import { Agent, request, type IncomingHttpHeaders } from 'node:http';
import { claim, LEGACY, MODERN, opening } from './any-rpc.ts';

export interface HttpAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export interface McpHttp {
  readonly url: string;
  readonly token: string | undefined;
  send(
    method: string,
    headers: Readonly<Record<string, string>>,
    body?: string,
  ): Promise<HttpAnswer>;
  /** A request of the stateless era; its result, or an error with the words of the refusal. */
  ask(method: string, params: object): Promise<Json>;
  /** Opens a session and says that it is ready to hear. */
  openSession(version?: string): Promise<string>;
  /** A message in a session. */
  inSession(session: string, message: object): Promise<HttpAnswer>;
  endSession(session: string): Promise<HttpAnswer>;
  close(): void;
}

type Json = Readonly<Record<string, unknown>>;

const MAX_SOCKETS = 256;

/** A plain client of MCP over HTTP for what a test has to arrange. */
export function createMcpHttp({ url, token }: { url: string; token?: string }): McpHttp {
  const agent = new Agent({ keepAlive: true, maxSockets: MAX_SOCKETS });
  let asked = 0;

  const send: McpHttp['send'] = (method, headers, body) =>
    new Promise((resolve, reject) => {
      const all = {
        accept: 'application/json, text/event-stream',
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      };
      const call = request(`${url}/mcp`, { method, agent, headers: all }, (response) => {
        let text = '';
        response.setEncoding('utf8');
        response.on('data', (piece: string) => (text += piece));
        response.on('error', reject);
        response.on('end', () => {
          resolve({ status: response.statusCode ?? 0, headers: response.headers, body: text });
        });
      });
      call.on('error', reject);
      call.end(body);
    });

  const inSession: McpHttp['inSession'] = (session, message) =>
    send('POST', { 'mcp-session-id': session }, JSON.stringify({ jsonrpc: '2.0', ...message }));

  return {
    url,
    token,
    send,
    async ask(method, params) {
      const { name } = params as { name?: string };
      const message = {
        jsonrpc: '2.0',
        id: ++asked,
        method,
        params: { ...params, _meta: claim() },
      };
      const headers = {
        'mcp-protocol-version': MODERN,
        'mcp-method': method,
        ...(name !== undefined && { 'mcp-name': name }),
      };
      const { status, body } = await send('POST', headers, JSON.stringify(message));
      const { result } = JSON.parse(body) as { result?: Json };
      if (result === undefined) throw new Error(`${method} got ${status}: ${body}`);
      return result;
    },
    async openSession(version = LEGACY) {
      const message = { jsonrpc: '2.0', id: 0, method: 'initialize', params: opening(version) };
      const { headers, status, body } = await send('POST', {}, JSON.stringify(message));
      const session = headers['mcp-session-id'];
      if (typeof session !== 'string') throw new Error(`initialize got ${status}: ${body}`);
      const told = await inSession(session, { method: 'notifications/initialized' });
      if (told.status !== 202) throw new Error(`initialized got ${told.status}: ${told.body}`);
      return session;
    },
    inSession,
    endSession: (session) => send('DELETE', { 'mcp-session-id': session }),
    close: () => agent.destroy(),
  };
}
