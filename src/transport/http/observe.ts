import type { IncomingMessage } from 'node:http';
import type { Log, Metrics } from '#core/telemetry.ts';
import { UNMATCHED, type Answer } from './answer.ts';
import type { Reply } from './route.ts';

export interface Observer {
  answered(
    request: IncomingMessage,
    answer: Answer,
    about: { readonly reqId: string; readonly elapsedMs: number },
  ): void;
  /** For what never became a request. */
  refused(reply: Reply): void;
}

/** Counts and times what is answered, and logs what went wrong. */
export function createObserver(log: Log, metrics: Metrics): Observer {
  const requests = metrics.counter('exai_http_requests_total', 'HTTP requests answered.');
  const seconds = metrics.histogram('exai_http_request_seconds', 'Time to answer a request.');
  return {
    answered({ method = 'GET' }, { reply, route, error }, { reqId, elapsedMs }) {
      requests.add({ route, method, status: String(reply.status) });
      seconds.observe(elapsedMs / 1000, { route });
      if (!error) return;
      const fields = { req_id: reqId, route, method, error: error.toJSON() };
      if (error.class === 'internal') log.error('http_failed', { ...fields, cause: error.cause });
      else log.warn('http_refused', fields);
    },
    refused: ({ status }) =>
      requests.add({ route: UNMATCHED, method: 'unknown', status: String(status) }),
  };
}
