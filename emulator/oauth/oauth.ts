import type { Vendor } from '../vendor.ts';
import { serveAuthorization } from './authorization-server.ts';
import { OAUTH_FAULTS } from './faults.ts';
import { serveMcp } from './mcp.ts';
import { AS_PATH, MCP_PATH, PREFIX, serveWellKnown } from './metadata.ts';
import { createState } from './state.ts';
import { createOAuthSwitches, type OAuthSwitches } from './switches.ts';

/**
 * An MCP server that wants a login, with its authorization server, and the metadata of both, which
 * are at the root.
 */
export function createOAuthServer(): readonly Vendor<OAuthSwitches>[] {
  const toggles = createOAuthSwitches();
  const { switches } = toggles;
  const state = createState();
  const common = {
    switches,
    reset() {
      toggles.reset();
      state.reset();
    },
    faults: OAUTH_FAULTS,
  };
  return [
    {
      ...common,
      name: 'oauth',
      prefix: PREFIX,
      async handle(ask, reply) {
        const { path } = ask;
        if (path === MCP_PATH) return serveMcp(state, ask, reply);
        if (path.startsWith(`${AS_PATH}/`)) {
          const context = { state, switches, ask, reply };
          return serveAuthorization(path.slice(AS_PATH.length), context);
        }
        return reply.raw(404, 'Not found\n', { 'content-type': 'text/plain' });
      },
    },
    {
      ...common,
      name: 'oauth-metadata',
      prefix: '/.well-known',
      handle: (ask, reply) => serveWellKnown(ask, reply, switches),
    },
  ];
}
