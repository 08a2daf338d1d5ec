import { isObject, type Dictionary } from '../is-object.ts';
import type { Ask, Reply } from '../vendor.ts';
import { hasFault } from './faults.ts';
import { metadataUrl, SCOPES, serverUrl } from './metadata.ts';
import type { OAuthState } from './state.ts';

const PROTOCOL = '2025-11-25';
const READING = { readOnlyHint: true };

const TOOLS = [
  {
    name: 'whoami',
    description: 'Tells for which client and scopes the token is.',
    inputSchema: { type: 'object', properties: {} },
    annotations: READING,
  },
  {
    name: 'write_note',
    description: 'Writes a note. The scope notes:write is needed.',
    inputSchema: { type: 'object', properties: { text: { type: 'string' } } },
  },
];

/** An MCP server that wants a token: Streamable HTTP that answers with JSON. */
export async function serveMcp(state: OAuthState, ask: Ask, reply: Reply): Promise<void> {
  const given = /^Bearer (.+)$/.exec(ask.headers['authorization'] ?? '')?.[1];
  if (given === undefined) {
    const scope = hasFault(ask, 'manyscopes') ? {} : { scope: SCOPES[0] };
    return challenge(ask, reply, 401, scope);
  }
  const token = state.access.get(given);
  const isValid =
    token !== undefined &&
    token.expiresAtMs > ask.now() &&
    token.resource === serverUrl(ask) &&
    !hasFault(ask, 'expired');
  if (!isValid) return challenge(ask, reply, 401, { error: 'invalid_token' });
  if (ask.method === 'DELETE') return reply.raw(200, '', {});
  if (ask.method !== 'POST') return reply.raw(405, '', { allow: 'POST, DELETE' });
  const { json } = ask;
  if (!isObject(json) || typeof json['method'] !== 'string')
    return reply.json(400, rpcError(null, -32_700, 'Parse error'));
  const { id, method, params } = json;
  if (hasFault(ask, 'echo')) return reply.raw(500, `The token was ${given}.`, {});
  if (id === undefined) return reply.raw(202, '', {});
  const say = (result: Dictionary): Promise<void> =>
    reply.json(200, { jsonrpc: '2.0', id, result });
  switch (method) {
    case 'initialize':
      return say({
        protocolVersion: PROTOCOL,
        capabilities: { tools: { listChanged: false } },
        serverInfo: { name: 'oauth-notes', version: '1.0.0' },
      });
    case 'ping':
      return say({});
    case 'tools/list':
      return say({ tools: TOOLS });
    case 'tools/call': {
      const name = isObject(params) ? params['name'] : undefined;
      const hasScope = token.scope.split(' ').includes(SCOPES[1]) && !hasFault(ask, 'scope');
      if (name === 'write_note' && !hasScope) {
        return challenge(ask, reply, 403, { error: 'insufficient_scope', scope: SCOPES[1] });
      }
      if (name === 'whoami' || name === 'write_note') {
        const text = `${name}: a client with the scopes ${token.scope}`;
        return say({ content: [{ type: 'text', text }], isError: false });
      }
      return reply.json(200, rpcError(id, -32_602, `Tool ${String(name)} not found`));
    }
    default:
      return reply.json(200, rpcError(id, -32_601, `Method not found: ${method}`));
  }
}

function challenge(
  ask: Ask,
  reply: Reply,
  status: 401 | 403,
  more: Readonly<Record<string, string>>,
): Promise<void> {
  const all = Object.entries({ ...more, resource_metadata: metadataUrl(ask) });
  const parameters = all.map(([name, value]) => `${name}="${value}"`).join(', ');
  return reply.raw(status, '', { 'www-authenticate': `Bearer ${parameters}` });
}

const rpcError = (id: unknown, code: number, message: string): Dictionary => ({
  jsonrpc: '2.0',
  id,
  error: { code, message },
});
