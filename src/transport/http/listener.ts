import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Clock } from '#core/clock.ts';
import type { NewId } from '#core/ids.ts';
import type { Log, Metrics } from '#core/telemetry.ts';
import { bind, type Bound } from './bind.ts';
import { trackConnections } from './connections.ts';
import { dispatch, type Answer } from './dispatch.ts';
import type { Route } from './route.ts';
import { send } from './send.ts';

export interface ListenerOptions {
  readonly host: string;
  readonly port: number;
  readonly routes: readonly Route[];
  readonly token: string | undefined;
  readonly clock: Clock;
  readonly newId: NewId;
  readonly log: Log;
  readonly metrics: Metrics;
}

export interface HttpListener {
  readonly bound: Bound;
  /** Takes no more connections, lets what is running finish for so long, then cuts it. */
  drain(withinMs: number): Promise<void>;
}

// A peer that sends its request a byte at a time must not hold a connection for ever.
const LIMITS = {
  maxHeaderSize: 16 * 1024,
  headersTimeout: 15_000,
  requestTimeout: 60_000,
  keepAliveTimeout: 30_000,
  connectionsCheckingInterval: 5000,
};

/** The one listener of the daemon. */
export async function startListener(options: ListenerOptions): Promise<HttpListener> {
  const { host, port, routes, token, clock } = options;
  const observe = createObserver(options);
  const doors = { routes, token, hosts: [host.toLowerCase()] };

  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const startedAt = clock.monotonic();
    const reqId = options.newId('req');
    const given = await dispatch(request, doors);
    response.setHeader('x-exai-req-id', reqId);
    send(request, response, given.reply);
    observe(request, given, { reqId, elapsedMs: clock.monotonic() - startedAt });
  };

  const server = createServer(LIMITS, (request, response) => void answer(request, response));
  const connections = trackConnections(server);
  const bound = await bind(server, host, port);
  return {
    bound,
    async drain(withinMs) {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      connections.closeWhenIdle();
      const timer = clock.after(withinMs, () => server.closeAllConnections());
      await closed;
      timer.stop();
    },
  };
}

function createObserver({ log, metrics }: Pick<ListenerOptions, 'log' | 'metrics'>) {
  const requests = metrics.counter('exai_http_requests_total', 'HTTP requests answered.');
  const seconds = metrics.histogram('exai_http_request_seconds', 'Time to answer a request.');
  return (
    { method = 'GET' }: IncomingMessage,
    { reply, route, error }: Answer,
    { reqId, elapsedMs }: { reqId: string; elapsedMs: number },
  ) => {
    requests.add({ route, method, status: String(reply.status) });
    seconds.observe(elapsedMs / 1000, { route });
    if (!error) return;
    const fields = { req_id: reqId, route, method, error: error.toJSON() };
    if (error.class === 'internal') log.error('http_failed', { ...fields, cause: error.cause });
    else log.warn('http_refused', fields);
  };
}
