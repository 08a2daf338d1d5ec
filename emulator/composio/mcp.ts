import { isObject, type Dictionary } from '../is-object.ts';
import type { Ask, Reply } from '../vendor.ts';
import { executeAny } from './execute-any.ts';
import { toExecuted } from './execute.ts';
import { META_SLUGS, META_TOOLS } from './meta-definitions.ts';
import type { ComposioState, Session } from './state.ts';

const PROTOCOL = '2025-06-18';

/** The tool router of a session as an MCP server: Streamable HTTP that answers with JSON. */
export async function serveMcp(
  state: ComposioState,
  session: Session,
  ask: Ask,
  reply: Reply,
): Promise<void> {
  if (ask.method === 'DELETE') return reply.raw(200, '', {});
  if (ask.method !== 'POST') return reply.raw(405, '', { allow: 'POST, DELETE' });
  const { json } = ask;
  if (!isObject(json) || json['jsonrpc'] !== '2.0' || typeof json['method'] !== 'string')
    return reply.json(400, rpcError(null, -32_700, 'Parse error'));
  const { id, method, params } = json;
  if (id === undefined) return reply.raw(202, '', {});
  const given = isObject(params) ? params : {};
  const say = (result: Dictionary): Promise<void> =>
    reply.json(200, { jsonrpc: '2.0', id, result });
  switch (method) {
    case 'initialize':
      return say({
        protocolVersion: PROTOCOL,
        capabilities: { tools: { listChanged: false } },
        serverInfo: { name: 'tool_router', version: '1.0.0' },
        instructions: 'Search for tools with COMPOSIO_SEARCH_TOOLS before you execute them.',
      });
    case 'ping':
      return say({});
    case 'tools/list':
      return say({ tools: META_TOOLS });
    case 'tools/call': {
      const { name, arguments: args } = given;
      if (typeof name !== 'string' || !META_SLUGS.includes(name))
        return reply.json(200, rpcError(id, -32_602, `Tool ${String(name)} not found`));
      const executed = toExecuted(state, executeAny({ state, session, ask }, name, args));
      return say({
        content: [{ type: 'text', text: JSON.stringify(executed) }],
        isError: false,
      });
    }
    default:
      return reply.json(200, rpcError(id, -32_601, `Method not found: ${method}`));
  }
}

const rpcError = (id: unknown, code: number, message: string): Dictionary => ({
  jsonrpc: '2.0',
  id,
  error: { code, message },
});
