import type { Ask, Reply, Vendor } from '../vendor.ts';
import { notFound, refuse } from './errors.ts';
import { isFault } from './execute.ts';
import { COMPOSIO_FAULT_OPTIONS, COMPOSIO_FAULTS } from './faults.ts';
import { serveStorage } from './files.ts';
import { serveMcp } from './mcp.ts';
import { createRoutes } from './routes.ts';
import { createState } from './state.ts';
import { createComposioSwitches, type ComposioSwitches } from './switches.ts';

const API = /^\/api\/v3(?:\.1)?(?=\/)/;

/**
 * Composio: the REST interface of both versions, the tool router over MCP, the storage that takes
 * uploads, and the pages that connect accounts. Keys that begin with `wrong` are refused.
 */
export function createComposio(): Vendor<ComposioSwitches> {
  const toggles = createComposioSwitches();
  const state = createState(toggles.switches);
  const routes = createRoutes(state);

  const isKnown = (key: string | undefined): boolean =>
    key !== undefined && key !== '' && !key.startsWith('wrong');

  async function handle(ask: Ask, reply: Reply): Promise<void> {
    const { path } = ask;
    const linked = /^\/link\/([^/]+)$/.exec(path)?.[1];
    if (linked !== undefined) return connect(linked, reply);
    const stored = /^\/s3\/(.+)$/.exec(path)?.[1];
    if (stored !== undefined) return serveStorage(state, ask, reply, stored);
    if (!isKnown(ask.headers['x-api-key']))
      return refuse(reply, {
        status: 401,
        message: 'Invalid API key',
        code: 10_401,
        slug: 'ApiKey_Invalid',
        fix: 'Check the key at https://platform.composio.dev.',
      });
    const mcp = /^\/tool_router\/([^/]+)\/mcp$/.exec(path)?.[1];
    if (mcp !== undefined) {
      const session = state.sessions.get(mcp);
      if (!session || session.isGone || isFault(ask.fault, 'F17.session'))
        return refuse(reply, notFound(`Session ${mcp} not found`));
      return serveMcp(state, session, ask, reply);
    }
    const base = API.exec(path)?.[0];
    if (base === undefined) return refuse(reply, notFound(`Cannot ${ask.method} ${path}`));
    const error = await routes(ask, reply, path.slice(base.length));
    if (error) return refuse(reply, error);
  }

  /** What the user's browser opens: the account is connected by it. */
  async function connect(token: string, reply: Reply): Promise<void> {
    const account = [...state.accounts.values()].find(({ linkToken }) => linkToken === token);
    if (!account)
      return reply.raw(404, 'There is no such link.\n', { 'content-type': 'text/plain' });
    account.status = 'ACTIVE';
    return reply.raw(200, `${account.toolkit} is connected.\n`, { 'content-type': 'text/plain' });
  }

  return {
    name: 'composio',
    prefix: '/composio',
    switches: toggles.switches,
    reset() {
      toggles.reset();
      state.reset();
    },
    handle,
    faults: COMPOSIO_FAULTS,
    faultOptions: COMPOSIO_FAULT_OPTIONS,
  };
}
