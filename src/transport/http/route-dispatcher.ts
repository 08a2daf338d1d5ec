import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { TcpConnection } from '#core/auth/authenticator.ts';
import { CallError } from '#core/errors/call-error.ts';
import { commandFix } from '#core/messages/fixes.ts';
import type { Tracer } from '#core/telemetry/telemetry.ts';
import {
  bearerToken,
  checkHostAndOrigin,
  checkSite,
  requestUrl,
  type AllowedSources,
} from './request-checks.ts';
import { corsHeaders, preflightHeaders } from './cors.ts';
import type { HeaderList } from './http-context.ts';
import { inRequestSpan, UNMATCHED, type RequestOutcome } from './http-telemetry.ts';
import { errorReply, jsonReply, type HttpReply } from './reply.ts';

/** A request as a route sees it. */
interface RouteRequest {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
  /** `trusted`: has the owner's token, or none is required. */
  readonly caller: 'trusted' | 'stranger';
}

/**
 * A path and method with a handler that returns a whole reply, such as the probes. HEAD works
 * wherever GET does. Streaming paths are `Endpoint`s.
 */
export interface Route {
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly path: string;
  /** `token`: requires the owner's token if one is set. */
  readonly access: 'open' | 'token';
  handle(request: RouteRequest): HttpReply | Promise<HttpReply>;
}

interface RouteOutcome extends RequestOutcome {
  readonly reply: HttpReply;
}

interface RouteDispatcherOptions {
  readonly routes: readonly Route[];
  readonly allowed: AllowedSources;
  readonly isTrusted: (token: string | undefined, connection: TcpConnection) => Promise<boolean>;
  readonly tracer: Tracer;
  /** Whether the gateway is enabled; decides what a 404 suggests. */
  readonly gateway: 'on' | 'off';
}

/** Checks a request (Host, Origin, path, token) and runs its route. Never throws. */
export async function dispatchRoute(
  message: IncomingMessage,
  options: RouteDispatcherOptions,
): Promise<RouteOutcome> {
  const target = requestUrl(message);
  const atPath = options.routes.filter(({ path }) => path === target?.pathname);
  const route = atPath[0]?.path ?? UNMATCHED;
  return inRequestSpan(options.tracer, message, route, async () => {
    try {
      checkHostAndOrigin(message, options.allowed);
      // Probes are open to pages of other sites: they reveal nothing.
      if (atPath[0]?.access !== 'open') checkSite(message.headers);
      // Clients probe many paths before they find ours, so an unknown path is answered without
      // authentication.
      if (target && atPath.length === 0)
        return { reply: readableByPages(message, target.pathname, options.gateway), route };
      const request = await toRequest(message, target, options);
      return { reply: await runRoute(request, atPath), route };
    } catch (thrown) {
      const error = CallError.from(thrown);
      return { reply: errorReply(error), route, error };
    }
  });
}

/**
 * The reply for an unknown path, which pages of the allowed origins may read as those of the
 * endpoints: otherwise they learn only that a request failed.
 */
function readableByPages(message: IncomingMessage, path: string, gateway: 'on' | 'off'): HttpReply {
  const { headers, method } = message;
  const cors = toRecord(corsHeaders(headers));
  const isPreflight =
    method === 'OPTIONS' &&
    headers.origin !== undefined &&
    headers['access-control-request-method'] !== undefined;
  if (isPreflight) {
    return { status: 204, headers: { ...cors, ...toRecord(preflightHeaders(headers)) }, body: '' };
  }
  const reply = notFound(message, path, gateway);
  return { ...reply, headers: { ...reply.headers, ...cors } };
}

/** Names and values that alternate in a list, as a record. */
function toRecord(list: HeaderList): Readonly<Record<string, string>> {
  const names = list.filter((_, at) => at % 2 === 0);
  return Object.fromEntries(names.map((name, at) => [name, list[at * 2 + 1] ?? '']));
}

async function toRequest(
  { method = 'GET', headers, socket }: IncomingMessage,
  target: URL | undefined,
  { isTrusted }: RouteDispatcherOptions,
): Promise<RouteRequest> {
  if (!target) throw new CallError('bad_request', 'The request target is not a path.');
  const { pathname, searchParams } = target;
  const token = bearerToken(headers.authorization);
  const caller = (await isTrusted(token, socket)) ? 'trusted' : 'stranger';
  return { method, path: pathname, query: searchParams, headers, caller };
}

function runRoute(request: RouteRequest, atPath: readonly Route[]): HttpReply | Promise<HttpReply> {
  const wanted = request.method === 'HEAD' ? 'GET' : request.method;
  const route = atPath.find(({ method }) => method === wanted);
  if (!route) return methodNotAllowed(request, atPath);
  authorise(request, route);
  return route.handle(request);
}

function methodNotAllowed(request: RouteRequest, atPath: readonly Route[]): HttpReply {
  const methods = atPath.flatMap(({ method }) => (method === 'GET' ? ['GET', 'HEAD'] : [method]));
  const allow = methods.join(', ');
  const error = new CallError('bad_request', `${request.path} answers ${allow} only.`);
  const reply = errorReply(error);
  return { ...reply, status: 405, headers: { ...reply.headers, allow } };
}

function authorise({ caller }: RouteRequest, { access }: Route): void {
  if (access === 'open' || caller === 'trusted') return;
  throw new CallError('auth', 'The token is missing or invalid.', {
    field: 'authorization',
    fixes: [
      'Send the header "Authorization: Bearer <token>".',
      commandFix('exai token show', 'print the token'),
    ],
  });
}

/** Paths of the OpenAI and Anthropic APIs, which clients append to any base URL. */
const GATEWAY_PATH =
  /^\/v1(?:\/|$)|\/(?:chat\/completions|completions|embeddings|messages|models|responses)$/;
const MCP_FIX = 'MCP is at /mcp';
/** Paths that MCP clients request after a 401, some below /mcp. */
const OAUTH_PATH = /^(?:\/\w+)?\/(?:\.well-known\/(?:oauth|openid)|(?:register|authorize|token)$)/;
/**
 * An error in the format of RFC 6749: OAuth libraries show its description, and of other formats
 * only that it is invalid.
 */
const NO_OAUTH = {
  error: 'invalid_request',
  error_description:
    'EX-AI does not use OAuth. Send the header "Authorization: Bearer <token>"; `exai token show` prints the token.',
  class: 'not_found',
} as const;
const GATEWAY_PATHS =
  'The gateway is at /v1/chat/completions, /v1/responses, /v1/completions, /v1/messages, /v1/embeddings, /v1/files and /v1/models. OpenAI clients need a base URL that ends with /v1, Anthropic clients one without it.';
const GATEWAY_OFF =
  'The gateway is switched off: set gateway.enabled (EXAI_GATEWAY_ENABLED) to true and start the daemon again.';

/**
 * The reply for an unknown path, with what exists instead, in a format that clients of both vendors
 * show.
 */
function notFound(
  { headers }: Pick<IncomingMessage, 'headers'>,
  path: string,
  gateway: 'on' | 'off',
): HttpReply {
  const message = `Nothing is served at ${path}.`;
  if (OAUTH_PATH.test(path)) return jsonReply(404, NO_OAUTH);
  if (!GATEWAY_PATH.test(path)) {
    const rest = ', the gateway for clients of the OpenAI and Anthropic APIs at /v1';
    const fix = `${MCP_FIX}${gateway === 'on' ? rest : ''}.`;
    return errorReply(new CallError('not_found', message, { fix }));
  }
  // These libraries show only the message, so everything is in it.
  const advice = gateway === 'off' ? GATEWAY_OFF : GATEWAY_PATHS;
  const error = new CallError('not_found', `${message} ${advice}`);
  const isAnthropic = headers['anthropic-version'] !== undefined;
  const type = isAnthropic ? 'not_found_error' : 'invalid_request_error';
  return jsonReply(error.policy.status, {
    type: 'error',
    error: { ...error.toJSON(), type, param: null, code: 'not_found' },
  });
}
