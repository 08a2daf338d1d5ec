import { randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { post } from '../../e2e/gateway-post.ts';

export interface SessionTry {
  readonly name: string;
  readonly method: 'POST' | 'GET' | 'DELETE';
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** Whatever can be asked within a session, by its id. */
export function sessionTries(session: string): readonly SessionTry[] {
  const within = { 'mcp-session-id': session, 'mcp-protocol-version': '2025-11-25' };
  const said = (message: object) => JSON.stringify({ jsonrpc: '2.0', ...message });
  const posted = (name: string, message: object): SessionTry => ({
    name,
    method: 'POST',
    path: '/mcp',
    headers: within,
    body: said(message),
  });
  const stream = { ...within, accept: 'text/event-stream' };
  return [
    posted('ping', { id: 1, method: 'ping' }),
    posted('tools/list', { id: 2, method: 'tools/list' }),
    posted('tools/call', {
      id: 3,
      method: 'tools/call',
      params: { name: 'threads', arguments: { action: 'list' } },
    }),
    posted('cancel', { method: 'notifications/cancelled', params: { requestId: 1 } }),
    posted('an answer to a question', { id: 1, result: { action: 'accept', content: {} } }),
    { name: 'listen', method: 'GET', path: '/mcp', headers: stream },
    {
      name: 'resume',
      method: 'GET',
      path: '/mcp',
      headers: { ...stream, 'last-event-id': '1-1' },
    },
    { name: 'end', method: 'DELETE', path: '/mcp', headers: within },
    {
      name: 'message to an SSE session',
      method: 'POST',
      path: `/messages?sessionId=${session}`,
      headers: {},
      body: said({ id: 4, method: 'ping' }),
    },
  ];
}

export async function tryWithin(
  url: string,
  token: string,
  session: string,
): Promise<readonly { readonly name: string; readonly status: number; readonly told: string }[]> {
  const found = [];
  for (const { name, method, path, headers, body } of sessionTries(session)) {
    const {
      status,
      text,
      headers: given,
    } = await post(`${url}${path}`, {
      method,
      headers: {
        accept: 'application/json, text/event-stream',
        authorization: `Bearer ${token}`,
        ...headers,
      },
      ...(body !== undefined && { body }),
    });
    found.push({ name, status, told: likeness(text, given, session) });
  }
  return found;
}

function likeness(text: string, headers: IncomingHttpHeaders, session: string): string {
  const told = `${headers['content-type'] ?? ''} ${String(headers['mcp-session-id'])} ${text}`;
  return told.replaceAll(session, 'session').replaceAll(/req_[0-9a-z]+/g, 'req');
}

export const unknownSession = (): string => randomUUID();
