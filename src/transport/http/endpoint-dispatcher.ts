import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { CallError } from '#core/errors/call-error.ts';
import type { NewId } from '#core/ids.ts';
import type { Log, Tracer } from '#core/telemetry/telemetry.ts';
import type { Clock } from '#core/time/clock.ts';
import { corsHeaders, preflightHeaders } from './cors.ts';
import { NodeHttpContext, type HttpContext } from './http-context.ts';
import { inRequestSpan, type HttpObserver, type RequestOutcome } from './http-telemetry.ts';
import {
  checkHost,
  checkHostAndOrigin,
  checkSite,
  isHiddenOrigin,
  isNavigation,
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
  /**
   * The pages whose requests are served. `configured` (default): our own and those of the allowed
   * origins, which may read the responses (CORS). `own`: our own pages only. `own_or_hidden`: also
   * pages that hide their origin, such as files. `navigation`: no page, but a browser that was sent
   * here from another site.
   */
  readonly pages?: 'configured' | 'own' | 'own_or_hidden' | 'navigation';
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
    const refusal = findRefusal(request, endpoint, options);
    const commonHeaders = ['x-exai-req-id', reqId];
    const hasCors = (endpoint.pages ?? 'configured') === 'configured';
    if (!refusal && hasCors && request.headers.origin !== undefined) {
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
      } else if (hasCors && request.method === 'OPTIONS') {
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

  function find(path: string): Endpoint | undefined {
    return endpoints.get(path) ?? prefixes.find((each) => path.startsWith(`${each.path}/`));
  }

  /**
   * The endpoint of a gateway path with a slash too many, which clients make of a base URL that
   * ends with one. The request continues with the proper path.
   */
  function findTidied(request: IncomingMessage, path: string): Endpoint | undefined {
    if (!path.startsWith('/v1/') || !(path.includes('//') || path.endsWith('/'))) return undefined;
    const tidied = path.replaceAll(/\/{2,}/g, '/').replace(/\/$/, '');
    const endpoint = find(tidied);
    if (endpoint && request.url !== undefined)
      request.url = tidied + request.url.slice(path.length);
    return endpoint;
  }

  return (request, response) => {
    if (all.length === 0) return false;
    const path = pathOf(request);
    const endpoint = find(path) ?? findTidied(request, path);
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
  { pages = 'configured' }: Endpoint,
  options: EndpointDispatcherOptions,
): CallError | undefined {
  const { hosts, origins } = options.allowed;
  try {
    if (pages === 'own_or_hidden' && isHiddenOrigin(request.headers.origin))
      checkHost(request, hosts);
    else checkHostAndOrigin(request, { hosts, origins: pages === 'configured' ? origins : [] });
    if (pages !== 'navigation' || !isNavigation(request.headers)) checkSite(request.headers);
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
