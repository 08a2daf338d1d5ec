import type { Socket } from 'node:net';
import type { Client } from 'undici';
import { CallError } from '#core/errors/call-error.ts';
import type { HttpRequest, HttpResponse } from '#core/net/http.ts';
import type { Clock } from '#core/time/clock.ts';
import type { Dial } from './connect/dial.ts';
import { RESET, toNetworkCallError } from './network-errors.ts';
import { ResponseHandler, type ConnectionOutcome, type SocketControl } from './response-handler.ts';
import type { Target } from './target.ts';

/** Waiting requests per connection. */
const WAITING_FOR_EACH = 16;
const DROPPED = new CallError('network', 'The connection was dropped.');

interface PoolOptions extends ConnectionTools {
  readonly maxConnections: number;
  /** For a forwarding proxy. */
  readonly proxyAuthorization: string | undefined;
  /** Prepended to the path, for a proxy that wants absolute URLs. */
  readonly pathPrefix: string;
}

/**
 * The connections to one destination: one request per connection, a maximum number of connections,
 * then a bounded queue.
 *
 * Not undici's `Pool`: its queue is unbounded and keeps cancelled requests, and it hides which
 * connection a request has, so that one connection could not be paused, closed, or checked for
 * bytes that belong to no request. See docs/decisions/0002-own-http-pool.md.
 */
export interface Pool {
  send(request: HttpRequest, target: Target): Promise<HttpResponse>;
  readonly isIdle: boolean;
  close(error: CallError): Promise<void>;
}

export function createConnectionPool(target: Target, options: PoolOptions): Pool {
  const { maxConnections, proxyAuthorization, pathPrefix } = options;
  const connections = new Set<PooledConnection>();
  /** The most recently used is taken first, so that the others can time out. */
  const free: PooledConnection[] = [];
  /** Waiting requests: how each starts when a connection is free, and how it is rejected. */
  const queue = new Map<(connection: PooledConnection) => void, () => void>();
  const closing = new Set<Promise<void>>();
  let closed: CallError | undefined;

  function take(): PooledConnection | undefined {
    for (let kept = free.pop(); kept; kept = free.pop()) {
      if (kept.isQuiet) return kept;
      discard(kept, DROPPED);
    }
    if (connections.size >= maxConnections) return undefined;
    const opened = openConnection(target, options);
    connections.add(opened);
    return opened;
  }

  function discard(connection: PooledConnection, error: Error): void {
    connections.delete(connection);
    const gone = connection.destroy(error).finally(() => closing.delete(gone));
    closing.add(gone);
  }

  function release(connection: PooledConnection, outcome: ConnectionOutcome): void {
    if (closed) return;
    if (outcome === 'whole') free.push(connection);
    // Later, because undici calls this from inside its parser and must not get the next request
    // there.
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

  function run(
    connection: PooledConnection,
    request: HttpRequest,
    to: Target,
  ): Promise<HttpResponse> {
    const { method, body } = request;
    const exchange = new ResponseHandler(request, to.label, connection, (outcome) =>
      release(connection, outcome),
    );
    connection.client.dispatch(
      {
        method,
        path: pathPrefix === '' ? to.path : pathPrefix + to.path,
        headers: headersOf(request, to),
        body: body === undefined ? null : guardedRequestBody(body, (error) => exchange.fail(error)),
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
      const start = (connection: PooledConnection) => {
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

type Sendable = string | Uint8Array;

/**
 * The body as undici takes it. A stream that fails while it is sent fails the request with its own
 * error instead of as a broken connection.
 */
function guardedRequestBody(
  body: NonNullable<HttpRequest['body']>,
  onFailure: (error: CallError) => void,
): Sendable {
  if (typeof body === 'string' || body instanceof Uint8Array) return body;
  // undici accepts any async iterable, but its types do not.
  return reportFailure(body, onFailure) as unknown as Sendable;
}

async function* reportFailure(
  body: AsyncIterable<Uint8Array>,
  onFailure: (error: CallError) => void,
): AsyncGenerator<Uint8Array> {
  try {
    yield* body;
  } catch (error) {
    onFailure(CallError.from(error));
    throw error;
  }
}

const CONNECT_MS = 10_000;
/** How long an idle connection stays open when the server names no time. */
const KEEP_MS = 20_000;
const KEEP_AT_MOST_MS = 60_000;

interface ConnectionTools {
  readonly Client: typeof Client;
  readonly dial: Dial;
  readonly clock: Clock;
}

/**
 * One connection to one destination, opened when first needed and reopened after the server closed
 * it.
 */
interface PooledConnection extends SocketControl {
  readonly client: Client;
  /**
   * Whether no unrequested bytes are waiting: they would be read as the answer to the next request.
   */
  readonly isQuiet: boolean;
  /**
   * Closes the connection at once, also while it is being opened; a request that is using it fails
   * with the error.
   */
  destroy(error: Error): Promise<void>;
}

type Held = SocketControl & Pick<PooledConnection, 'isQuiet'>;

function openConnection(
  target: Target,
  { Client, dial, clock }: ConnectionTools,
): PooledConnection {
  let dialling: AbortController | undefined;
  let socket: Held | undefined;

  async function connect(): Promise<Socket> {
    const attempt = new AbortController();
    dialling = attempt;
    const timer = clock.after(CONNECT_MS, () =>
      attempt.abort(
        new CallError('timeout', `${target.label} did not take a connection within 10 seconds.`),
      ),
    );
    try {
      const raw = await dial(target, attempt.signal);
      socket = holdable(raw);
      return raw;
    } catch (error) {
      throw toNetworkCallError(error, target.label);
    } finally {
      timer.stop();
      dialling = undefined;
    }
  }

  const client = new Client(target.origin, {
    // Timeouts are enforced by the caller's signal.
    headersTimeout: 0,
    bodyTimeout: 0,
    keepAliveTimeout: KEEP_MS,
    keepAliveMaxTimeout: KEEP_AT_MOST_MS,
    pipelining: 1,
    connect: (_options, tell) => {
      connect().then(
        (made) => tell(null, made),
        (error: CallError) => tell(error, null),
      );
    },
  });
  return {
    client,
    get isQuiet() {
      return socket?.isQuiet ?? true;
    },
    pause: () => socket?.pause(),
    resume: () => socket?.resume(),
    reset: () => socket?.reset(),
    async destroy(error) {
      dialling?.abort(error);
      await client.destroy(error);
    },
  };
}

/**
 * Makes a socket pausable for undici. Pausing undici's parser crashes the process with a failed
 * assertion when the server hangs up meanwhile (undici 7.30), so the socket pretends to have
 * nothing to read. ECONNRESET gets a code that undici does not know, because undici takes it for
 * the end of a response without a length.
 */
function holdable(socket: Socket): Held {
  const read = socket.read.bind(socket);
  let held = false;
  socket.read = (size?: number): unknown => (held ? null : read(size));
  socket.prependListener('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'ECONNRESET') error.code = RESET;
  });
  return {
    get isQuiet() {
      return socket.destroyed || socket.readableLength === 0;
    },
    pause() {
      held = true;
    },
    resume() {
      held = false;
      socket.emit('readable');
    },
    reset() {
      held = false;
    },
  };
}
