import { CallError } from '#core/call-error.ts';
import type { HttpRequest, HttpResponse } from '#core/http.ts';
import { openConnection, type Connection, type ConnectionTools } from './connection.ts';
import { Exchange, type Outcome } from './exchange.ts';
import { watched } from './request-body.ts';
import type { Target } from './target.ts';

/** So many may wait for each connection there may be. */
const WAITING_FOR_EACH = 16;
const DROPPED = new CallError('network', 'The connection was dropped.');

export interface PoolOptions extends ConnectionTools {
  readonly maxConnections: number;
  /** For a proxy that passes requests on. */
  readonly proxyAuthorization: string | undefined;
  /** Stands before the path, for a proxy that wants whole addresses. */
  readonly pathPrefix: string;
}

/**
 * The connections to one place: one exchange each, at most so many, and then a queue.
 *
 * Not undici's `Pool`: its queue has no bound and keeps cancelled requests, and it hides which
 * connection a request has, so that one connection could not be paused, closed, or checked for bytes
 * that belong to no request. docs/decisions/0002-own-http-pool.md has the details.
 */
export interface Pool {
  send(request: HttpRequest, target: Target): Promise<HttpResponse>;
  readonly isIdle: boolean;
  close(error: CallError): Promise<void>;
}

export function createPool(target: Target, options: PoolOptions): Pool {
  const { maxConnections, proxyAuthorization, pathPrefix } = options;
  const connections = new Set<Connection>();
  /** The last one used is the next: the others may grow old. */
  const free: Connection[] = [];
  /** How each goes on when its turn comes, and how it is sent away. */
  const queue = new Map<(connection: Connection) => void, () => void>();
  const closing = new Set<Promise<void>>();
  let closed: CallError | undefined;

  function take(): Connection | undefined {
    for (let kept = free.pop(); kept; kept = free.pop()) {
      if (kept.isQuiet) return kept;
      discard(kept, DROPPED);
    }
    if (connections.size >= maxConnections) return undefined;
    const opened = openConnection(target, options);
    connections.add(opened);
    return opened;
  }

  function discard(connection: Connection, error: Error): void {
    connections.delete(connection);
    const gone = connection.destroy(error).finally(() => closing.delete(gone));
    closing.add(gone);
  }

  function giveBack(connection: Connection, outcome: Outcome): void {
    if (closed) return;
    if (outcome === 'whole') free.push(connection);
    // undici is in the middle of something when it tells; and it must not meet the next request there.
    if (outcome === 'broken') queueMicrotask(() => discard(connection, DROPPED));
    if (queue.size > 0 || outcome === 'broken') queueMicrotask(serveQueue);
  }

  function serveQueue(): void {
    for (const start of queue.keys()) {
      const connection = closed ? undefined : take();
      if (!connection) return;
      queue.delete(start);
      start(connection);
    }
  }

  function run(connection: Connection, request: HttpRequest, to: Target): Promise<HttpResponse> {
    const { method, body } = request;
    const exchange = new Exchange(request, to.label, connection, (outcome) =>
      giveBack(connection, outcome),
    );
    connection.client.dispatch(
      {
        method,
        path: pathPrefix === '' ? to.path : pathPrefix + to.path,
        headers: headersOf(request, to),
        body: body === undefined ? null : watched(body, (error) => exchange.fail(error)),
      },
      exchange,
    );
    return exchange.answer;
  }

  function headersOf({ headers }: HttpRequest, { authorization }: Target) {
    if (authorization === undefined && proxyAuthorization === undefined) return headers;
    return {
      ...(authorization !== undefined && { authorization }),
      ...headers,
      ...(proxyAuthorization !== undefined && { 'proxy-authorization': proxyAuthorization }),
    };
  }

  function wait(request: HttpRequest, to: Target): Promise<HttpResponse> {
    if (queue.size >= maxConnections * WAITING_FOR_EACH) {
      return Promise.reject(
        new CallError('over_capacity', `Too many requests wait for ${to.label}.`),
      );
    }
    return new Promise((resolve, reject) => {
      const { signal } = request;
      const start = (connection: Connection) => {
        signal.removeEventListener('abort', leave);
        resolve(run(connection, request, to));
      };
      const leave = () => {
        queue.delete(start);
        reject(closed ?? signal.reason);
      };
      signal.addEventListener('abort', leave, { once: true });
      queue.set(start, leave);
    });
  }

  return {
    send(request, to) {
      const connection = queue.size === 0 ? take() : undefined;
      return connection ? run(connection, request, to) : wait(request, to);
    },
    get isIdle() {
      return queue.size === 0 && free.length === connections.size;
    },
    async close(error) {
      closed = error;
      for (const leave of queue.values()) leave();
      for (const connection of connections) discard(connection, error);
      await Promise.all(closing);
    },
  };
}
