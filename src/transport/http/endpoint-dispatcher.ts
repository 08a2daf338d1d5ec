import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { CallError } from '#core/errors/call-error.ts';
import type { NewId } from '#core/ids.ts';
import type { Log, Tracer } from '#core/telemetry/telemetry.ts';
import type { Clock } from '#core/time/clock.ts';
import { NodeHttpContext, type HeaderList, type HttpContext } from './http-context.ts';
import { inRequestSpan, type HttpObserver, type RequestOutcome } from './http-telemetry.ts';
import {
  checkHostAndOrigin,
  checkSite,
  requestUrl,
  type AllowedSources,
} from './request-checks.ts';
import { createQuota } from './quota.ts';

/**
 * A path with its handler, which writes the response itself and may stream it. Paths with short
 * JSON replies are `Route`s.
 */
export interface Endpoint {
  readonly path: string;
  /** Whether paths below are served too; default: `path` only. */
  readonly serves?: 'path' | 'below';
  /** Called after the Host and Origin checks. Must not throw. */
  handle(context: HttpContext): void;
  /** Writes an error of the checks before `handle` in the format of the endpoint's protocol. */
  refuse(context: HttpContext, error: CallError): void;
}

interface EndpointDispatcherOptions {
  readonly endpoints?: readonly Endpoint[];
  readonly allowed: AllowedSources;
  readonly observer: HttpObserver;
  readonly clock: Clock;
  readonly newId: NewId;
  readonly tracer: Tracer;
  readonly log: Log;
  /** The limit of connections, and so of concurrent requests. */
  readonly maxConnections: number;
  /** Whether the connection was opened beyond the limit. */
  readonly isOverLimit: (socket: Duplex) => boolean;
}

const RETRY_AFTER_MS = 1000;
/**
 * The status that is logged when the client disconnects before the response; nginx uses the same
 * number.
 */
const CLIENT_CLOSED = 499;

/**
 * Creates the function that passes requests to endpoints. It returns false for a path without
 * endpoint.
 */
export function createEndpointDispatcher(
  options: EndpointDispatcherOptions,
): (request: IncomingMessage, response: ServerResponse) => boolean {
  const all = options.endpoints ?? [];
  const endpoints = new Map(all.map((endpoint) => [endpoint.path, endpoint]));
  const prefixes = all.filter(({ serves }) => serves === 'below');
  const { clock, tracer, observer, newId, log } = options;
  const activeRequests = createQuota(options.maxConnections);
  const tracing = tracer.isOff ? 'off' : 'on';

  function serve(
    request: IncomingMessage,
    response: ServerResponse,
    endpoint: Endpoint,
    then?: (outcome: RequestOutcome) => void,
  ): void {
    const startedAt = clock.monotonic();
    const reqId = newId('req');
    const refusal = findRefusal(request, options);
    const commonHeaders = ['x-exai-req-id', reqId];
    if (!refusal && request.headers.origin !== undefined) {
      commonHeaders.push(...corsHeaders(request.headers));
    }
    const context = new NodeHttpContext(request, response, {
      reqId,
      commonHeaders,
      tracing,
      clock,
      activeRequests,
    });
    response.once('close', () => {
      context.close();
      const status = response.headersSent ? response.statusCode : CLIENT_CLOSED;
      const { error } = context;
      const outcome = { reply: { status }, route: endpoint.path, ...(error && { error }) };
      const until = context.streamStartedAt ?? clock.monotonic();
      observer.answered(request, outcome, { reqId, elapsedMs: until - startedAt });
      then?.(outcome);
    });
    try {
      if (refusal) {
        context.error = refusal;
        endpoint.refuse(context, refusal);
      } else if (request.method === 'OPTIONS') {
        context.answer(204, '', '', preflightHeaders(request.headers));
      } else endpoint.handle(context);
    } catch (thrown) {
      // A bug in a handler must not affect other requests.
      const error = CallError.from(thrown);
      log.error('http_failed', { req_id: reqId, route: endpoint.path, cause: thrown });
      endpoint.refuse(context, error);
      context.end();
    }
  }

  return (request, response) => {
    if (all.length === 0) return false;
    const path = pathOf(request);
    const endpoint =
      endpoints.get(path) ?? prefixes.find((each) => path.startsWith(`${each.path}/`));
    if (!endpoint) return false;
    if (tracer.isOff) serve(request, response, endpoint);
    else {
      void inRequestSpan(tracer, request, endpoint.path, () => {
        return new Promise<RequestOutcome>((resolve) =>
          serve(request, response, endpoint, resolve),
        );
      });
    }
    return true;
  };
}

function findRefusal(
  request: IncomingMessage,
  options: EndpointDispatcherOptions,
): CallError | undefined {
  try {
    checkHostAndOrigin(request, options.allowed);
    checkSite(request.headers);
    return options.isOverLimit(request.socket)
      ? connectionLimitReached(options.maxConnections)
      : undefined;
  } catch (thrown) {
    return CallError.from(thrown);
  }
}

function connectionLimitReached(maxConnections: number): CallError {
  return new CallError('over_capacity', `All ${maxConnections} connections over HTTP are taken.`, {
    retryAfterMs: RETRY_AFTER_MS,
  });
}

/** The path of a request. Parses a URL only where the target is not a plain path. */
function pathOf(request: IncomingMessage): string {
  const { url = '/' } = request;
  if (!url.startsWith('/')) return requestUrl(request)?.pathname ?? '';
  const query = url.indexOf('?');
  return query === -1 ? url : url.slice(0, query);
}

const CORS_METHODS = 'POST, GET, DELETE';
const CORS_HEADERS = [
  'content-type',
  'authorization',
  'mcp-session-id',
  'mcp-protocol-version',
  'last-event-id',
  'mcp-method',
  'mcp-name',
];
const NO_HEADERS: HeaderList = [];
// Headers that mirror arguments of a tool call; their names depend on the tool.
const PARAMETER_HEADER = /^mcp-param-[\w!#$%&'*+.^`|~-]{1,128}$/;
const MAX_AGE_S = '600';

/** CORS headers that let a page read the response; its Origin has passed the check. */
function corsHeaders({ origin }: IncomingHttpHeaders): HeaderList {
  if (origin === undefined) return NO_HEADERS;
  return [
    'access-control-allow-origin',
    origin,
    'access-control-expose-headers',
    'mcp-session-id, x-exai-req-id, www-authenticate',
    'vary',
    'origin',
  ];
}

/** Headers of the response to a CORS preflight request. */
function preflightHeaders(headers: IncomingHttpHeaders): HeaderList {
  const requested = headers['access-control-request-headers']?.toLowerCase().split(',') ?? [];
  const parameters = requested
    .map((name) => name.trim())
    .filter((name) => PARAMETER_HEADER.test(name));
  return [
    'access-control-allow-methods',
    CORS_METHODS,
    'access-control-allow-headers',
    [...CORS_HEADERS, ...parameters].join(', '),
    'access-control-max-age',
    MAX_AGE_S,
    'allow',
    `${CORS_METHODS}, OPTIONS`,
  ];
}
