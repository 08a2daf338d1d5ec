import type { IncomingMessage } from 'node:http';
import type { Clock } from '#core/clock.ts';
import { keepLabels } from '#core/keep-labels.ts';
import { isLogged } from '#core/logged.ts';
import { sparingWarn } from '#core/sparing.ts';
import type { Log, Metrics } from '#core/telemetry.ts';
import { UNMATCHED, type Answered } from './answer.ts';
import type { Evicted } from './connections.ts';
import type { Reply } from './route.ts';

export interface Observer {
  answered(
    request: IncomingMessage,
    answer: Answered,
    /** `elapsedMs`: until the answer was given, or until a stream began. */
    about: { readonly reqId: string; readonly elapsedMs: number },
  ): void;
  /** For what never became a request. */
  refused(reply: Reply): void;
  /** A connection was ended to make room for another. */
  evicted(why: Evicted): void;
}

const REFUSALS_PER_MINUTE = 60;
const EVICTIONS_PER_MINUTE = 10;

/** Counts and times what is answered, and logs what went wrong. */
export function createObserver(log: Log, metrics: Metrics, clock: Clock): Observer {
  const requests = metrics.counter('exai_http_requests_total', 'HTTP requests answered.');
  const seconds = metrics.histogram(
    'exai_http_request_seconds',
    'Time to answer a request; of a stream, until it begins.',
  );
  const evictions = metrics.counter(
    'exai_http_evicted_total',
    'HTTP connections ended to make room for others.',
  );
  const ofRoute = keepLabels('route');
  const ofAnswer = keepLabels('route', 'method', 'status');
  const warn = sparingWarn(log, clock, REFUSALS_PER_MINUTE);
  const warnEvicted = sparingWarn(log, clock, EVICTIONS_PER_MINUTE);
  return {
    answered({ method = 'GET' }, { reply, route, error }, { reqId, elapsedMs }) {
      requests.add(ofAnswer(route, method, String(reply.status)));
      seconds.observe(elapsedMs / 1000, ofRoute(route));
      if (!error || isLogged(error)) return;
      const fields = { req_id: reqId, route, method, error: error.toJSON() };
      if (error.class === 'internal') log.error('http_failed', { ...fields, cause: error.cause });
      else warn('http_refused', fields);
    },
    refused: ({ status }) =>
      requests.add({ route: UNMATCHED, method: 'unknown', status: String(status) }),
    evicted(why) {
      evictions.add({ reason: why });
      warnEvicted('http_evicted', { reason: why });
    },
  };
}
