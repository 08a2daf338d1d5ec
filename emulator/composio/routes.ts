import { isObject, type Dictionary } from '../is-object.ts';
import type { Ask, Reply } from '../vendor.ts';
import { badRequest, notFound, type ComposioError } from './errors.ts';
import { executeAny } from './execute-any.ts';
import { isFault, toExecuted } from './execute.ts';
import { listFiles, requestUpload } from './files.ts';
import { META_TOOLS, toWireMetaTool } from './meta-definitions.ts';
import { runMetaTool } from './meta-tools.ts';
import { offload } from './offload.ts';
import { page } from './page.ts';
import { runTool } from './run-tool.ts';
import { createSession, toWireSession } from './sessions.ts';
import { accountOf, addAccount, linkUrl, type ComposioState, type Session } from './state.ts';
import { listSessionToolkits, listToolkits, listTools, toWireAccount } from './toolkits-rest.ts';
import { toWireTool } from './toolkits.ts';

type Answer = Promise<ComposioError | undefined>;

/** The REST interface below `/api/v3` and `/api/v3.1`. */
export function createRoutes(state: ComposioState) {
  async function say(reply: Reply, body: object, status = 200): Answer {
    await reply.json(status, body);
    return undefined;
  }

  async function executeDirectly(ask: Ask, reply: Reply, slug: string): Answer {
    const tool = state.catalogue().find(slug);
    if (!tool) return notFound(`Tool ${slug} not found`, 'Tool_ToolNotFound');
    const { user_id: userId, arguments: args } = isObject(ask.json) ? ask.json : {};
    const isOpen = state.catalogue().toolkit(tool.toolkit)?.noAuth === true;
    if (!isOpen && typeof userId !== 'string') return badRequest('user_id: Required');
    const isLacking =
      !isOpen && accountOf(state, String(userId), tool.toolkit)?.status !== 'ACTIVE';
    if (isLacking || ask.fault?.id === 'F23')
      return {
        status: 400,
        code: 1810,
        slug: 'ConnectedAccount_ResourceNotFound',
        message: `No connected account found for user ID ${String(userId)} for toolkit ${tool.toolkit}`,
      };
    const outcome = isFault(ask.fault, 'F17.unsuccessful')
      ? { error: 'The service behind the tool refused the request (emulated).' }
      : runTool(state, {
          tool,
          args: isObject(args) ? args : {},
          userId: String(userId),
          nowMs: ask.now(),
          isDisconnected: false,
        });
    return say(reply, { ...toExecuted(state, outcome), session_info: null });
  }

  async function inSession(ask: Ask, reply: Reply, session: Session, rest: string): Answer {
    const body = isObject(ask.json) ? ask.json : {};
    const context = { state, session, ask };
    switch (`${ask.method} ${rest}`) {
      case 'GET ':
      case 'POST attach':
        return say(reply, toWireSession(session, ask));
      case 'POST execute':
        return executeInSession(context, reply, body);
      case 'POST execute_meta': {
        const { slug, arguments: args } = body;
        if (typeof slug !== 'string') return badRequest('slug: Required');
        const outcome = runMetaTool(context, slug, isObject(args) ? args : {});
        if (!outcome) return badRequest(`slug: Invalid enum value '${slug}'`);
        const { data, error, log_id } = toExecuted(state, outcome);
        return say(reply, { data, error, log_id });
      }
      case 'POST search': {
        const outcome = runMetaTool(context, 'COMPOSIO_SEARCH_TOOLS', body);
        const error = outcome && 'error' in outcome ? outcome.error : null;
        if (!outcome?.data) return badRequest(String(error));
        return say(reply, { success: error === null, error, ...outcome.data });
      }
      case 'POST link':
        return link(ask, reply, session, body);
      case 'GET toolkits':
        return say(reply, listSessionToolkits(state, session, ask));
      case 'GET tools':
        return say(reply, page(META_TOOLS.map(toWireMetaTool), ask.query));
      default:
        return notFound(`Cannot ${ask.method} ${ask.path}`);
    }
  }

  /** No `successful` here; a failure is in `error`. */
  async function executeInSession(
    context: { state: ComposioState; session: Session; ask: Ask },
    reply: Reply,
    body: Dictionary,
  ): Answer {
    const { tool_slug: slug, arguments: args, enable_auto_workbench_offload: mayOffload } = body;
    if (typeof slug !== 'string') return badRequest('tool_slug: Required');
    const { data, error, log_id } = toExecuted(state, executeAny(context, slug, args));
    const remote =
      mayOffload === true && error === null
        ? offload(state, context.session, slug, data, false)
        : undefined;
    return say(reply, { data: remote ?? data, error, log_id });
  }

  async function link(ask: Ask, reply: Reply, session: Session, body: Dictionary): Answer {
    const { toolkit } = body;
    if (typeof toolkit !== 'string') return badRequest('toolkit: Required');
    const known = state.catalogue().toolkit(toolkit);
    if (!known) return notFound(`Toolkit ${toolkit} not found`);
    if (known.noAuth) return badRequest(`Toolkit ${toolkit} needs no connection`);
    const account = addAccount(state, {
      userId: session.userId,
      toolkit: known.slug,
      status: 'INITIATED',
    });
    const answer = {
      link_token: account.linkToken,
      redirect_url: linkUrl(ask, account),
      connected_account_id: account.id,
    };
    return say(reply, answer, 201);
  }

  return async (ask: Ask, reply: Reply, path: string): Answer => {
    const session = /^\/tool_router\/session\/([^/]+)(?:\/(.+))?$/.exec(path);
    if (session) {
      const found = state.sessions.get(session[1] ?? '');
      if (!found || found.isGone || isFault(ask.fault, 'F17.session'))
        return notFound(`Session ${session[1] ?? ''} not found`, 'ToolRouterV2_SessionNotFound');
      return inSession(ask, reply, found, session[2] ?? '');
    }
    const execute = /^\/tools\/execute\/([^/]+)$/.exec(path)?.[1];
    if (execute !== undefined && ask.method === 'POST') return executeDirectly(ask, reply, execute);
    const one = /^\/(tools|toolkits|connected_accounts)\/([^/]+)$/.exec(path);
    if (one && ask.method === 'GET') return showOne(ask, reply, one[1] ?? '', one[2] ?? '');
    switch (`${ask.method} ${path}`) {
      case 'POST /tool_router/session': {
        const made = createSession(state, ask.json);
        return 'error' in made ? made.error : say(reply, toWireSession(made, ask), 201);
      }
      case 'GET /tools':
        return say(reply, listTools(state, ask));
      case 'GET /toolkits':
        return say(reply, listToolkits(state, ask));
      case 'POST /files/upload/request':
        return requestUpload(state, ask, reply);
      case 'GET /files/list':
        return listFiles(state, ask, reply);
      default:
        return notFound(`Cannot ${ask.method} ${path}`);
    }
  };

  async function showOne(_: Ask, reply: Reply, kind: string, id: string): Answer {
    const catalogue = state.catalogue();
    if (kind === 'tools') {
      const tool = catalogue.find(id);
      return tool
        ? say(reply, toWireTool(tool, catalogue))
        : notFound(`Tool ${id} not found`, 'Tool_ToolNotFound');
    }
    if (kind === 'connected_accounts') {
      const account = state.accounts.get(id);
      return account ? say(reply, toWireAccount(account)) : notFound(`Account ${id} not found`);
    }
    const toolkit = catalogue.toolkit(id);
    return toolkit
      ? say(reply, { name: toolkit.name, slug: toolkit.slug, no_auth: toolkit.noAuth })
      : notFound(`Toolkit ${id} not found`);
  }
}
