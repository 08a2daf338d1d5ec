import type { IncomingHttpHeaders } from 'node:http';
import type { Authenticator } from '#core/auth/authenticator.ts';
import type { Caller } from '#core/calls/call.ts';
import type { Calls } from '#core/calls/calls.ts';
import type { Metrics } from '#core/telemetry/telemetry.ts';
import type { Clock } from '#core/time/clock.ts';
import { INVALID_REQUEST } from '#mcp/json-rpc.ts';
import { LEGACY_VERSIONS } from '#mcp/protocol-versions.ts';
import type { RpcMessage, RpcRequest } from '#mcp/read-message.ts';
import type { Endpoint } from '../http/endpoint-dispatcher.ts';
import type { HttpContext } from '../http/http-context.ts';
import { accepts } from '../http/media-type.ts';
import { createQuota } from '../http/quota.ts';
import type { BodyLimits } from '../http/read-body.ts';
import type { ReceiveBuffers } from '../http/receive-buffers.ts';
import { createSseEndpoints } from '../sse/sse-endpoints.ts';
import { checkParamHeaders, checkStandardHeaders, classifyEra } from './headers.ts';
import type { LegacySession } from './legacy-session.ts';
import { createLegacySessions, type LegacySessions } from './legacy-sessions.ts';
import { createModernRequests, type ModernRequests } from './modern-requests.ts';
import type { OpenMcp } from './open-mcp.ts';
import {
  badRequest,
  fromCallError,
  headerMismatch,
  JSON_TYPE,
  NO_SUCH_SESSION,
  sendRefusal,
  SESSION_DELETED,
  type McpRefusal,
} from './refusal.ts';
import {
  authenticateRequest,
  overCapacity,
  receiveMessage,
  REQUEST_LIMIT_REACHED,
  SESSION_LIMIT_REACHED,
} from './request.ts';
import {
  clearStreamTimeoutQueues,
  createStreamTimeoutQueues,
  type StreamTimings,
} from './resumable-stream.ts';

export interface McpHttpOptions extends StreamTimings {
  readonly openMcp: OpenMcp;
  readonly authenticator: Pick<Authenticator, 'authenticate'> & {
    /** Whether the caller's credential is still valid. */
    isCredentialValid(caller: Caller): boolean;
  };
  /** Finds a tool by name, for the headers it requires. */
  readonly find: Calls['find'];
  readonly clock: Clock;
  newSession(): string;
  readonly maxBodyBytes: number;
  /** Memory budget for incomplete bodies, shared by all listeners. */
  readonly receiveBuffers: ReceiveBuffers;
  /** Limit for sessions; also the limit for concurrent requests without a session. */
  readonly maxSessions: number;
  readonly sessionIdleMs: number;
  readonly metrics: Metrics;
}

interface McpHttp {
  /** Endpoints for the listener. */
  readonly endpoints: readonly Endpoint[];
  /** Open sessions and running requests without a session. */
  readonly size: number;
  /** Accepts no more requests, lets running ones finish within the time, then ends them. */
  drain(withinMs: number): Promise<void>;
}

/** MCP over HTTP: `/mcp`, and `/sse` with `/messages` for clients of revision 2024-11-05. */
export function createMcpHttp(options: McpHttpOptions): McpHttp {
  const { openMcp, authenticator, clock, metrics, maxSessions } = options;
  const isCredentialValid = (caller: Caller) => authenticator.isCredentialValid(caller);
  const newSession = () => options.newSession();
  const limits: BodyLimits = {
    maxBytes: options.maxBodyBytes,
    setting: 'listener.maxBodyBytes',
    receiveBuffers: options.receiveBuffers,
  };
  const places = createQuota(maxSessions);
  let draining: Promise<void> | undefined;
  const isDraining = () => draining !== undefined;

  const timeouts = createStreamTimeoutQueues(clock, options);
  const sessions = createLegacySessions({
    ...options,
    isCredentialValid,
    newSession,
    timeouts,
    places,
  });
  const modern = createModernRequests({
    openMcp,
    isCredentialValid,
    clock,
    times: options,
    places: createQuota(maxSessions),
  });
  const sse = createSseEndpoints({
    openMcp,
    authenticator,
    isCredentialValid,
    clock,
    limits,
    isDraining,
    acquirePlace: (caller) => sessions.acquirePlace(caller),
    releasePlace: ({ principal }) => places.release(principal),
    newSession,
    sseKeepaliveMs: options.sseKeepaliveMs,
  });
  const mcp = createMcpEndpoint({
    authenticator,
    find: options.find,
    sessions,
    modern,
    limits,
    isDraining,
  });
  metrics.gauge('exai_http_sessions', 'Open MCP sessions over HTTP.', () => {
    return sessions.size + sse.size;
  });

  async function drain(withinMs: number): Promise<void> {
    let stop = () => {};
    const late = new Promise<void>((resolve) => {
      const timer = clock.after(withinMs, resolve);
      stop = () => timer.stop();
    });
    await Promise.race([late, Promise.all([sessions.drain(), modern.drain(), sse.drain()])]);
    stop();
    sessions.end();
    modern.end();
    sse.end();
    clearStreamTimeoutQueues(timeouts);
  }

  return {
    endpoints: [mcp, ...sse.endpoints],
    get size() {
      return sessions.size + modern.size + sse.size;
    },
    drain: (withinMs) => (draining ??= drain(withinMs)),
  };
}

interface McpEndpointOptions {
  readonly authenticator: Pick<Authenticator, 'authenticate'>;
  readonly find: Calls['find'];
  readonly sessions: LegacySessions;
  readonly modern: ModernRequests;
  readonly limits: BodyLimits;
  isDraining(): boolean;
}

const EVENTS_TYPE = 'text/event-stream';
/** The value that the SDK, and so nearly every client, sends. */
const USUAL_ACCEPT = 'application/json, text/event-stream';

/** The Streamable HTTP endpoint `/mcp`, for both eras of MCP. */
function createMcpEndpoint(options: McpEndpointOptions): Endpoint {
  const { authenticator, sessions, modern, limits } = options;

  function post(context: HttpContext, caller: Caller): void {
    const { accept } = context.request.headers;
    if (accept !== USUAL_ACCEPT && !acceptsBoth(accept))
      return sendRefusal(context, NOT_ACCEPTABLE);
    receiveMessage(context, caller, limits, (message) => dispatch(context, caller, message));
  }

  function dispatch(context: HttpContext, caller: Caller, message: RpcMessage): void {
    const { headers } = context.request;
    const id = message.is === 'request' ? message.id : null;
    if (message.is === 'request' && options.isDraining()) {
      return sendRefusal(context, fromCallError(overCapacity('The daemon is stopping.')), id);
    }
    const verdict = classifyEra(message, headers);
    if (typeof verdict === 'object') return sendRefusal(context, verdict, id);
    if (verdict === 'legacy' || message.is === 'response') {
      const refusal = dispatchLegacy(context, caller, message);
      if (refusal) sendRefusal(context, refusal, id);
      return;
    }
    if (message.is === 'notification') {
      const refusal = wrongMethod(message.method, headers);
      return refusal ? sendRefusal(context, refusal) : accepted(context);
    }
    // The required headers of an unknown revision are unknown too.
    const refusal = verdict === 'modern' ? checkHeaders(message, headers) : undefined;
    if (refusal) return sendRefusal(context, refusal, id);
    const isServed = modern.serve(message, caller, context);
    if (!isServed) sendRefusal(context, fromCallError(overCapacity(REQUEST_LIMIT_REACHED)), id);
  }

  function checkHeaders(message: RpcRequest, headers: IncomingHttpHeaders): McpRefusal | undefined {
    const refusal = checkStandardHeaders(message, headers);
    if (refusal || message.method !== 'tools/call') return refusal;
    const name = message.params?.['name'];
    const tool = typeof name === 'string' ? options.find(name) : undefined;
    return tool && checkParamHeaders(tool, message.params?.['arguments'], headers);
  }

  function dispatchLegacy(
    context: HttpContext,
    caller: Caller,
    message: RpcMessage,
  ): McpRefusal | undefined {
    if (message.is === 'request' && message.method === 'initialize') {
      const named = context.request.headers['mcp-session-id'];
      if (typeof named === 'string' && sessions.find(named, caller)) return OPEN_ALREADY;
      const opened = sessions.open(caller);
      if (!opened) return fromCallError(overCapacity(SESSION_LIMIT_REACHED));
      return opened.handleRequest(message, context);
    }
    const session = sessionOf(context, caller, 'A request');
    if (!('id' in session)) return session;
    if (message.is === 'request') return session.handleRequest(message, context);
    session.handleMessage(message);
    accepted(context);
    return undefined;
  }

  function sessionOf(
    { request: { headers } }: HttpContext,
    caller: Caller,
    what: string,
  ): LegacySession | McpRefusal {
    const id = headers['mcp-session-id'];
    if (typeof id !== 'string') {
      return badRequest(`${what} needs the Mcp-Session-Id header that initialize gave.`);
    }
    const version = headers['mcp-protocol-version'];
    if (version !== undefined && !LEGACY_VERSIONS.includes(String(version))) return WRONG_VERSION;
    return sessions.find(id, caller) ?? NO_SUCH_SESSION;
  }

  function get(context: HttpContext, caller: Caller): void {
    const session = sessionOf(context, caller, 'GET');
    if (!('id' in session)) return sendRefusal(context, session);
    const { accept, 'last-event-id': lastEventId } = context.request.headers;
    if (!accepts(accept, EVENTS_TYPE)) return sendRefusal(context, NO_EVENTS);
    let refusal: McpRefusal | undefined;
    if (typeof lastEventId === 'string' && lastEventId !== '') {
      refusal = session.resume(lastEventId, context);
    } else if (options.isDraining())
      refusal = fromCallError(overCapacity('The daemon is stopping.'));
    else refusal = session.listen(context);
    if (refusal) sendRefusal(context, refusal);
  }

  function remove(context: HttpContext, caller: Caller): void {
    const session = sessionOf(context, caller, 'DELETE');
    if (!('id' in session)) return sendRefusal(context, session);
    session.end(SESSION_DELETED);
    context.answer(204, '', '');
  }

  const methods = new Map([
    ['POST', post],
    ['GET', get],
    ['DELETE', remove],
  ]);
  return {
    path: '/mcp',
    handle(context) {
      const serve = methods.get(context.request.method ?? '');
      if (serve) authenticateRequest(context, authenticator, serve);
      else sendRefusal(context, WRONG_METHOD);
    },
    refuse: (context, error) => sendRefusal(context, fromCallError(error)),
  };
}

function acceptsBoth(accept: string | undefined): boolean {
  return accepts(accept, JSON_TYPE) && accepts(accept, EVENTS_TYPE);
}

function accepted(context: HttpContext): void {
  context.answer(202, '', '');
}

function wrongMethod(method: string, headers: IncomingHttpHeaders): McpRefusal | undefined {
  const header = headers['mcp-method'];
  if (header === undefined || header === method) return undefined;
  return headerMismatch('The header Mcp-Method and method differ. Send the same value in both.', {
    header: String(header),
    body: method,
  });
}

const NOT_ACCEPTABLE = badRequest(
  `Not acceptable: an answer may be JSON or a stream. Send the header "Accept: ${USUAL_ACCEPT}".`,
  undefined,
  406,
);

const NO_EVENTS = badRequest(
  `Not acceptable: GET opens a stream of events. Send the header "Accept: ${EVENTS_TYPE}".`,
  undefined,
  406,
);

const OPEN_ALREADY = badRequest(
  'This session is open already. Send initialize without Mcp-Session-Id to open another.',
  INVALID_REQUEST,
);

const WRONG_VERSION: McpRefusal = {
  ...badRequest(
    `The header MCP-Protocol-Version names a version that sessions do not speak. Send the one that initialize settled on: one of ${LEGACY_VERSIONS.join(', ')}.`,
  ),
  data: { supported: LEGACY_VERSIONS },
};

const WRONG_METHOD: McpRefusal = {
  ...badRequest('/mcp answers POST, GET and DELETE only.', undefined, 405),
  headers: ['allow', 'POST, GET, DELETE, OPTIONS'],
};
