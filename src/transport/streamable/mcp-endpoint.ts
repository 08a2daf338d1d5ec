import type { IncomingHttpHeaders } from 'node:http';
import type { Caller } from '#core/call.ts';
import type { Calls } from '#core/calls.ts';
import type { Doorman } from '#core/doorman.ts';
import { INVALID_REQUEST } from '#mcp/json-rpc.ts';
import { LEGACY_VERSIONS } from '#mcp/protocol-versions.ts';
import type { RpcMessage, RpcRequest } from '#mcp/read-message.ts';
import type { Endpoint, Exchange } from '../http/endpoint.ts';
import { accepts } from '../http/media-type.ts';
import type { BodyLimits } from '../http/read-body.ts';
import { classify } from './classify.ts';
import { DELETED } from './endings.ts';
import { admit, full, receive, REQUESTS_TAKEN, SESSIONS_TAKEN } from './gate.ts';
import type { LegacySession } from './legacy-session.ts';
import type { LegacySessions } from './legacy-sessions.ts';
import type { ModernRequests } from './modern-requests.ts';
import { checkParamHeaders } from './param-headers.ts';
import {
  badRequest,
  fromCallError,
  JSON_TYPE,
  mismatch,
  refuse,
  NO_SUCH_SESSION,
  type Refusal,
} from './refusal.ts';
import { checkStandardHeaders } from './standard-headers.ts';

interface McpEndpointOptions {
  readonly doorman: Pick<Doorman, 'identify'>;
  readonly find: Calls['find'];
  readonly sessions: LegacySessions;
  readonly modern: ModernRequests;
  readonly limits: BodyLimits;
  isDraining(): boolean;
}

const EVENTS_TYPE = 'text/event-stream';
/** As the SDK sends it, and so nearly everybody. */
const USUAL_ACCEPT = 'application/json, text/event-stream';

/** Streamable HTTP: both eras of MCP at one address. */
export function createMcpEndpoint(options: McpEndpointOptions): Endpoint {
  const { doorman, sessions, modern, limits } = options;

  function post(exchange: Exchange, caller: Caller): void {
    const { accept } = exchange.request.headers;
    if (accept !== USUAL_ACCEPT && !acceptsBoth(accept)) return refuse(exchange, NOT_ACCEPTABLE);
    receive(exchange, caller, limits, (message) => take(exchange, caller, message));
  }

  function take(exchange: Exchange, caller: Caller, message: RpcMessage): void {
    const { headers } = exchange.request;
    const id = message.is === 'request' ? message.id : null;
    if (message.is === 'request' && options.isDraining()) {
      return refuse(exchange, fromCallError(full('The daemon is stopping.')), id);
    }
    const verdict = classify(message, headers);
    if (typeof verdict === 'object') return refuse(exchange, verdict, id);
    if (verdict === 'legacy' || message.is === 'response') {
      const refusal = takeLegacy(exchange, caller, message);
      if (refusal) refuse(exchange, refusal, id);
      return;
    }
    if (message.is === 'notification') {
      const refusal = wrongMethod(message.method, headers);
      return refusal ? refuse(exchange, refusal) : accepted(exchange);
    }
    // Of a revision that is not known here it is not known either which headers it wants.
    const refusal = verdict === 'modern' ? checkHeaders(message, headers) : undefined;
    if (refusal) return refuse(exchange, refusal, id);
    const isTaken = modern.serve(message, caller, exchange);
    if (!isTaken) refuse(exchange, fromCallError(full(REQUESTS_TAKEN)), id);
  }

  function checkHeaders(message: RpcRequest, headers: IncomingHttpHeaders): Refusal | undefined {
    const refusal = checkStandardHeaders(message, headers);
    if (refusal || message.method !== 'tools/call') return refusal;
    const name = message.params?.['name'];
    const tool = typeof name === 'string' ? options.find(name) : undefined;
    return tool && checkParamHeaders(tool, message.params?.['arguments'], headers);
  }

  function takeLegacy(
    exchange: Exchange,
    caller: Caller,
    message: RpcMessage,
  ): Refusal | undefined {
    if (message.is === 'request' && message.method === 'initialize') {
      const named = exchange.request.headers['mcp-session-id'];
      if (typeof named === 'string' && sessions.find(named, caller)) return OPEN_ALREADY;
      const opened = sessions.open(caller);
      if (!opened) return fromCallError(full(SESSIONS_TAKEN));
      return opened.ask(message, exchange);
    }
    const session = sessionOf(exchange, caller, 'A request');
    if (!('id' in session)) return session;
    if (message.is === 'request') return session.ask(message, exchange);
    session.tell(message);
    accepted(exchange);
    return undefined;
  }

  function sessionOf(
    { request: { headers } }: Exchange,
    caller: Caller,
    what: string,
  ): LegacySession | Refusal {
    const id = headers['mcp-session-id'];
    if (typeof id !== 'string') {
      return badRequest(`${what} needs the Mcp-Session-Id header that initialize gave.`);
    }
    const version = headers['mcp-protocol-version'];
    if (version !== undefined && !LEGACY_VERSIONS.includes(String(version))) return WRONG_VERSION;
    return sessions.find(id, caller) ?? NO_SUCH_SESSION;
  }

  function get(exchange: Exchange, caller: Caller): void {
    const session = sessionOf(exchange, caller, 'GET');
    if (!('id' in session)) return refuse(exchange, session);
    const { accept, 'last-event-id': lastEventId } = exchange.request.headers;
    if (!accepts(accept, EVENTS_TYPE)) return refuse(exchange, NO_EVENTS);
    let refusal: Refusal | undefined;
    if (typeof lastEventId === 'string' && lastEventId !== '') {
      refusal = session.resume(lastEventId, exchange);
    } else if (options.isDraining()) refusal = fromCallError(full('The daemon is stopping.'));
    else refusal = session.listen(exchange);
    if (refusal) refuse(exchange, refusal);
  }

  function remove(exchange: Exchange, caller: Caller): void {
    const session = sessionOf(exchange, caller, 'DELETE');
    if (!('id' in session)) return refuse(exchange, session);
    session.end(DELETED);
    exchange.answer(204, '', '');
  }

  const methods = new Map([
    ['POST', post],
    ['GET', get],
    ['DELETE', remove],
  ]);
  return {
    path: '/mcp',
    handle(exchange) {
      const serve = methods.get(exchange.request.method ?? '');
      if (serve) admit(exchange, doorman, serve);
      else refuse(exchange, WRONG_METHOD);
    },
    refuse: (exchange, error) => refuse(exchange, fromCallError(error)),
  };
}

function acceptsBoth(accept: string | undefined): boolean {
  return accepts(accept, JSON_TYPE) && accepts(accept, EVENTS_TYPE);
}

function accepted(exchange: Exchange): void {
  exchange.answer(202, '', '');
}

function wrongMethod(method: string, headers: IncomingHttpHeaders): Refusal | undefined {
  const given = headers['mcp-method'];
  if (given === undefined || given === method) return undefined;
  return mismatch('The header Mcp-Method and method differ. Send the same value in both.', {
    header: String(given),
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

const WRONG_VERSION: Refusal = {
  ...badRequest(
    `The header MCP-Protocol-Version names a version that sessions do not speak. Send the one that initialize settled on: one of ${LEGACY_VERSIONS.join(', ')}.`,
  ),
  data: { supported: LEGACY_VERSIONS },
};

const WRONG_METHOD: Refusal = {
  ...badRequest('/mcp answers POST, GET and DELETE only.', undefined, 405),
  headers: ['allow', 'POST, GET, DELETE, OPTIONS'],
};
