import type { IncomingMessage } from 'node:http';
import type { CallError } from '#core/errors/call-error.ts';
import { internLabels } from '#core/telemetry/intern-labels.ts';
import { isLogged } from '#core/telemetry/logged-errors.ts';
import { createRateLimitedLog } from '#core/telemetry/rate-limited-log.ts';
import type { Log, Metrics, SpanOptions, Tracer } from '#core/telemetry/telemetry.ts';
import type { Clock } from '#core/time/clock.ts';
import type { EvictionReason } from './connections.ts';
import type { HttpReply } from './reply.ts';

/** The outcome of a request, for metrics, log and span. */
export interface RequestOutcome {
  readonly reply: Pick<HttpReply, 'status'>;
  /**
   * The path of the route, or `unmatched`, so that requests cannot create arbitrary metric labels.
   */
  readonly route: string;
  readonly error?: CallError;
}

/** The route label of requests to unknown paths. */
export const UNMATCHED = 'unmatched';

/** The answer to input that Node does not pass on as a request. */
export interface RefusedInput {
  readonly reqId: string;
  readonly status: number;
  readonly error: CallError;
}

/** Records HTTP requests in metrics and log. */
export interface HttpObserver {
  answered(
    request: IncomingMessage,
    outcome: RequestOutcome,
    /** `elapsedMs`: until the response was sent, or until its stream began. */
    timing: { readonly reqId: string; readonly elapsedMs: number },
  ): void;
  refused(input: RefusedInput): void;
  /** A connection was closed to make room for another. */
  evicted(reason: EvictionReason, reqId: string | undefined): void;
}

const REFUSALS_PER_MINUTE = 60;
const EVICTIONS_PER_MINUTE = 10;

export function createHttpObserver(log: Log, metrics: Metrics, clock: Clock): HttpObserver {
  const requests = metrics.counter('exai_http_requests_total', 'HTTP requests answered.');
  const seconds = metrics.histogram(
    'exai_http_request_seconds',
    'Time to answer a request; of a stream, until it begins.',
  );
  const evictions = metrics.counter(
    'exai_http_evicted_total',
    'HTTP connections ended to make room for others.',
  );
  const routeLabels = internLabels('route');
  const outcomeLabels = internLabels('route', 'method', 'status');
  const warn = createRateLimitedLog(log, clock, REFUSALS_PER_MINUTE);
  const warnEvicted = createRateLimitedLog(log, clock, EVICTIONS_PER_MINUTE);
  return {
    answered({ method = 'GET' }, { reply, route, error }, { reqId, elapsedMs }) {
      requests.add(outcomeLabels(route, method, String(reply.status)));
      seconds.observe(elapsedMs / 1000, routeLabels(route));
      if (!error || isLogged(error)) return;
      const fields = { req_id: reqId, route, method, error: error.toJSON() };
      if (error.class === 'internal') log.error('http_failed', { ...fields, cause: error.cause });
      else warn('http_refused', fields);
    },
    refused({ reqId, status, error }) {
      requests.add({ route: UNMATCHED, method: 'unknown', status: String(status) });
      warn('http_refused', { req_id: reqId, route: UNMATCHED, error: error.toJSON() });
    },
    evicted(reason, reqId) {
      evictions.add({ reason });
      warnEvicted('http_evicted', { reason, ...(reqId !== undefined && { req_id: reqId }) });
    },
  };
}

// The methods that OpenTelemetry names. All others share one label, so that requests cannot create
// names.
const METHODS = new Set('CONNECT DELETE GET HEAD OPTIONS PATCH POST PUT TRACE'.split(' '));

/**
 * Runs the handling of a request in a span that follows OpenTelemetry's conventions for HTTP
 * servers.
 */
export async function inRequestSpan<Outcome extends RequestOutcome>(
  tracer: Tracer,
  message: IncomingMessage,
  route: string,
  work: () => Promise<Outcome>,
): Promise<Outcome> {
  let outcome: Outcome | undefined;
  try {
    return await tracer.span(
      spanName(message, route),
      spanOptions(message, route),
      async (span) => {
        outcome = await work();
        span.set('http.response.status_code', outcome.reply.status);
        // The span records only our failures (5xx); a 4xx is the caller's.
        if (outcome.error && outcome.reply.status >= 500) throw outcome.error;
        return outcome;
      },
    );
  } catch (thrown) {
    if (outcome) return outcome;
    throw thrown;
  }
}

function spanName({ method = 'GET' }: IncomingMessage, route: string): string {
  const verb = METHODS.has(method) ? method : 'HTTP';
  return route === UNMATCHED ? verb : `${verb} ${route}`;
}

function spanOptions({ method = 'GET', headers }: IncomingMessage, route: string): SpanOptions {
  const { traceparent } = headers;
  return {
    attributes: {
      'http.request.method': METHODS.has(method) ? method : '_OTHER',
      // The path of an unmatched request is arbitrary text and is left out.
      ...(route !== UNMATCHED && { 'http.route': route, 'url.path': route }),
    },
    ...(typeof traceparent === 'string' && { traceparent }),
  };
}
