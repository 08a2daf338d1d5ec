import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Clock } from '#core/clock.ts';
import type { NewId } from '#core/ids.ts';
import type { Log, Metrics, Tracer } from '#core/telemetry.ts';
import { bind, type Bound } from './bind.ts';
import { answerClientErrors } from './client-error.ts';
import { trackConnections } from './connections.ts';
import { dispatch } from './dispatch.ts';
import { createObserver } from './observe.ts';
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
  readonly tracer: Tracer;
  readonly limits?: ListenerLimits;
}

/** By Node's names: sizes in bytes, times in milliseconds. */
export interface ListenerLimits {
  readonly maxHeaderSize: number;
  /** For all headers of a request to arrive, counted from the connection or the request before. */
  readonly headersTimeout: number;
  /** For a whole request to arrive. */
  readonly requestTimeout: number;
  /** For the next request of an idle connection. */
  readonly keepAliveTimeout: number;
  /** How often the first two times are looked at. */
  readonly connectionsCheckingInterval: number;
}

export interface HttpListener {
  readonly bound: Bound;
  /** Takes no more connections, lets what is running finish for so long, then cuts it. */
  drain(withinMs: number): Promise<void>;
}

// A peer that sends its request a byte at a time must not hold a connection for ever.
const LIMITS: ListenerLimits = {
  maxHeaderSize: 16 * 1024,
  headersTimeout: 15_000,
  requestTimeout: 60_000,
  keepAliveTimeout: 30_000,
  connectionsCheckingInterval: 5000,
};

/** The one listener of the daemon. */
export async function startListener(options: ListenerOptions): Promise<HttpListener> {
  const { host, port, routes, token, clock, tracer, limits = LIMITS } = options;
  const observer = createObserver(options.log, options.metrics, clock);
  const doors = { routes, token, hosts: [host.toLowerCase()], tracer };

  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const startedAt = clock.monotonic();
    const reqId = options.newId('req');
    const given = await dispatch(request, doors);
    response.setHeader('x-exai-req-id', reqId);
    send(request, response, given.reply);
    observer.answered(request, given, { reqId, elapsedMs: clock.monotonic() - startedAt });
  };

  // Node would answer a request without a Host itself, with an empty body; dispatch refuses it with words.
  const server = createServer(
    { ...limits, requireHostHeader: false },
    (request, response) => void answer(request, response),
  );
  const connections = trackConnections(server);
  answerClientErrors(server, connections, clock, (reply) => observer.refused(reply));
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
