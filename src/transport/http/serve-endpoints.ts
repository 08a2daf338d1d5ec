import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { CallError } from '#core/call-error.ts';
import type { Clock } from '#core/clock.ts';
import type { NewId } from '#core/ids.ts';
import type { Log, Tracer } from '#core/telemetry.ts';
import type { Answered } from './answer.ts';
import { corsHeaders, preflightHeaders } from './cors.ts';
import type { Endpoint } from './endpoint.ts';
import { HttpExchange } from './exchange.ts';
import type { Observer } from './observe.ts';
import { checkOrigin, checkSite } from './origin.ts';
import { inRequestSpan } from './request-span.ts';
import { checkHost, targetOf } from './request-target.ts';
import { createShares } from './shares.ts';

interface Surroundings {
  readonly endpoints?: readonly Endpoint[];
  readonly hosts: readonly string[];
  readonly origins: readonly string[];
  readonly observer: Observer;
  readonly clock: Clock;
  readonly newId: NewId;
  readonly tracer: Tracer;
  readonly log: Log;
  /** How many connections there may be, and so answers under way. */
  readonly maxConnections: number;
  /** Whether all places were taken when this connection came. */
  readonly isSpare: (socket: Duplex) => boolean;
}

const RETRY_AFTER_MS = 1000;
/** A client that hung up before it was answered, as some servers log it. */
const HUNG_UP = 499;

/** Hands requests to the endpoints; false for a path that has none. */
export function serveEndpoints(
  around: Surroundings,
): (request: IncomingMessage, response: ServerResponse) => boolean {
  const all = around.endpoints ?? [];
  const endpoints = new Map(all.map((endpoint) => [endpoint.path, endpoint]));
  const wide = all.filter(({ serves }) => serves === 'below');
  const { clock, tracer, observer, newId, log } = around;
  const busy = createShares(around.maxConnections);
  const tracing = tracer.isOff ? 'off' : 'on';

  function serve(
    request: IncomingMessage,
    response: ServerResponse,
    endpoint: Endpoint,
    then?: (answered: Answered) => void,
  ): void {
    const startedAt = clock.monotonic();
    const reqId = newId('req');
    const refusal = refusalOf(request, around);
    const common = ['x-exai-req-id', reqId];
    if (!refusal && request.headers.origin !== undefined) {
      common.push(...corsHeaders(request.headers));
    }
    const exchange = new HttpExchange(request, response, { reqId, common, tracing, clock, busy });
    response.once('close', () => {
      exchange.close();
      const status = response.headersSent ? response.statusCode : HUNG_UP;
      const { error } = exchange;
      const answered = { reply: { status }, route: endpoint.path, ...(error && { error }) };
      const until = exchange.streamsSince ?? clock.monotonic();
      observer.answered(request, answered, { reqId, elapsedMs: until - startedAt });
      then?.(answered);
    });
    try {
      if (refusal) {
        exchange.error = refusal;
        endpoint.refuse(exchange, refusal);
      } else if (request.method === 'OPTIONS') {
        exchange.answer(204, '', '', preflightHeaders(request.headers));
      } else endpoint.handle(exchange);
    } catch (thrown) {
      // A bug of ours costs this request and no other.
      const error = CallError.from(thrown);
      log.error('http_failed', { req_id: reqId, route: endpoint.path, cause: thrown });
      endpoint.refuse(exchange, error);
      exchange.end();
    }
  }

  return (request, response) => {
    if (all.length === 0) return false;
    const path = pathOf(request);
    const endpoint = endpoints.get(path) ?? wide.find((each) => path.startsWith(`${each.path}/`));
    if (!endpoint) return false;
    if (tracer.isOff) serve(request, response, endpoint);
    else {
      void inRequestSpan(tracer, request, endpoint.path, () => {
        return new Promise<Answered>((resolve) => serve(request, response, endpoint, resolve));
      });
    }
    return true;
  };
}

function refusalOf(request: IncomingMessage, around: Surroundings): CallError | undefined {
  try {
    checkHost(request, around.hosts);
    checkOrigin(request.headers, around.origins);
    checkSite(request.headers);
    return around.isSpare(request.socket) ? allTaken(around.maxConnections) : undefined;
  } catch (thrown) {
    return CallError.from(thrown);
  }
}

function allTaken(maxConnections: number): CallError {
  return new CallError('over_capacity', `All ${maxConnections} connections over HTTP are taken.`, {
    retryAfterMs: RETRY_AFTER_MS,
  });
}

/** Without taking the target apart, where it is the path alone. */
function pathOf(request: IncomingMessage): string {
  const { url = '/' } = request;
  if (!url.startsWith('/')) return targetOf(request)?.pathname ?? '';
  const query = url.indexOf('?');
  return query === -1 ? url : url.slice(0, query);
}
