import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import type { TcpConnection } from '#core/auth/authenticator.ts';
import { CallError } from '#core/errors/call-error.ts';
import type { NewId } from '#core/ids.ts';
import type { Log, Metrics, Tracer } from '#core/telemetry/telemetry.ts';
import { createTurnLimit } from '#core/turns.ts';
import type { Clock } from '#core/time/clock.ts';
import { limitTlsHandshakes, trackConnections } from './connections.ts';
import { createEndpointDispatcher, type Endpoint } from './endpoint-dispatcher.ts';
import { createHttpObserver } from './http-telemetry.ts';
import {
  answerClientErrors,
  ignoreUpgrade,
  refuseUnsupportedRequests,
  type RefusalContext,
} from './malformed-requests.ts';
import { sendReply, withRequestId } from './reply.ts';
import { dispatchRoute, type Route } from './route-dispatcher.ts';

/** Settings and dependencies of the TCP listener. */
export interface ListenerOptions {
  readonly host: string;
  readonly port: number;
  /** Paths with short replies, such as the probes. */
  readonly routes: readonly Route[];
  /** Paths whose handlers write the response themselves and may stream it: MCP and the gateway. */
  readonly endpoints?: readonly Endpoint[];
  /** Further names of this server, in lower case. */
  readonly hosts?: readonly string[];
  /** Origins of pages that may send requests beside our own pages, in lower case. */
  readonly origins?: readonly string[];
  /** Whether the bearer of this token, or of none, is the owner. */
  readonly isTrusted: (token: string | undefined, connection: TcpConnection) => Promise<boolean>;
  readonly clock: Clock;
  readonly newId: NewId;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly tracer: Tracer;
  readonly limits?: ListenerLimits;
  /** Limit of open connections, without WebSockets. Connections beyond it reach routes only. */
  readonly maxConnections?: number;
  /** If set, the listener serves https:// and wss:// only. */
  readonly tls?: ListenerTls;
  /** Takes over WebSocket upgrade requests, and answers those it rejects. */
  readonly upgrade?: (request: IncomingMessage, socket: Duplex, head: Buffer) => void;
}

/** Certificate and key, in PEM. */
export interface ListenerTls {
  /** The certificate and its chain. */
  readonly cert: string;
  readonly key: string;
  /** Names in the certificate, in lower case; the Host check accepts them. */
  readonly names: readonly string[];
}

/** Limits of Node's HTTP server, with Node's names: sizes in bytes, times in milliseconds. */
export interface ListenerLimits {
  readonly maxHeaderSize: number;
  /** Time for all headers of a request to arrive, from the connection or the previous request. */
  readonly headersTimeout: number;
  /** Time for a whole request to arrive. */
  readonly requestTimeout: number;
  /** Time that an idle connection stays open. */
  readonly keepAliveTimeout: number;
  /** How often the first two times are checked. */
  readonly connectionsCheckingInterval: number;
}

/** A TCP listener that is bound. */
export interface HttpListener {
  readonly bound: BoundAddress;
  /**
   * Stops accepting connections, waits up to `withinMs` for running requests, then closes them.
   * WebSockets are left alone.
   */
  drain(withinMs: number): Promise<void>;
  /** Replaces the certificate for new connections. */
  renewTls(tls: ListenerTls): void;
}

// Keeps a peer that sends its request byte by byte from holding a connection forever.
const LIMITS: ListenerLimits = {
  maxHeaderSize: 16 * 1024,
  headersTimeout: 15_000,
  requestTimeout: 60_000,
  keepAliveTimeout: 30_000,
  connectionsCheckingInterval: 5000,
};

const HANDSHAKE = { handshakeTimeout: 5000 };
/** Each takes about a tenth of a millisecond. */
const UPGRADES_PER_TURN = 32;

/** Starts the daemon's TCP listener: HTTP or HTTPS, with upgrades to WebSocket. */
export async function startListener(options: ListenerOptions): Promise<HttpListener> {
  const { host, port, routes, isTrusted, clock, tracer, limits = LIMITS, tls } = options;
  const { maxConnections = Number.POSITIVE_INFINITY } = options;
  const observer = createHttpObserver(options.log, options.metrics, clock);
  const allowed = {
    hosts: [host.toLowerCase(), ...(tls?.names ?? []), ...(options.hosts ?? [])],
    origins: options.origins ?? [],
  };
  const routing = {
    routes,
    isTrusted,
    allowed,
    tracer,
    gateway: options.endpoints?.some(({ path }) => path.startsWith('/v1/')) ? 'on' : 'off',
  } as const;
  const serveRoute = async (request: IncomingMessage, response: ServerResponse) => {
    const startedAt = clock.monotonic();
    const reqId = options.newId('req');
    const outcome = await dispatchRoute(request, routing);
    // A 408 was sent in the meantime.
    if (response.headersSent) return;
    sendReply(request, response, withRequestId(outcome.reply, reqId));
    observer.answered(request, outcome, { reqId, elapsedMs: clock.monotonic() - startedAt });
  };

  // Node itself would reject a request without a Host with an empty body; the Host check explains
  // it.
  const settings = { ...limits, requireHostHeader: false };
  const secure = tls && createTlsServer({ ...settings, ...certificateAndKey(tls), ...HANDSHAKE });
  if (secure) limitTlsHandshakes(secure, maxConnections);
  const server = secure ?? createServer(settings);
  // A TLS connection can carry requests only after its handshake.
  const connectionEvent = secure ? 'secureConnection' : 'connection';
  const connections = trackConnections(server, {
    clock,
    max: maxConnections,
    newId: options.newId,
    onEvicted: (reason, reqId) => observer.evicted(reason, reqId),
    connectionEvent,
  });
  const isOverLimit = (socket: Duplex) => connections.isOverLimit(socket);
  const serveEndpoint = createEndpointDispatcher({
    ...options,
    allowed,
    observer,
    maxConnections,
    isOverLimit,
  });
  server.on('request', (request, response) => {
    if (isOverLimit(request.socket)) response.shouldKeepAlive = false;
    if (!serveEndpoint(request, response)) void serveRoute(request, response);
  });
  const refusals: RefusalContext = {
    clock,
    newId: options.newId,
    onRefused: (refusal) => observer.refused(refusal),
  };
  answerClientErrors(server, connections, refusals);
  refuseUnsupportedRequests(server, connections, refusals);
  const { upgrade } = options;
  if (upgrade) {
    const limited = createTurnLimit(UPGRADES_PER_TURN);
    server.on('upgrade', (request, socket, head) => {
      // Node listens no longer, and the upgrade may be handled in a later turn.
      socket.on('error', () => socket.destroy());
      limited(() => {
        // The response to an earlier request is not finished; it would end up between the frames.
        if (socket.destroyed || connections.isBusy(socket)) return void socket.destroy();
        if (!isWebSocketUpgrade(request))
          return ignoreUpgrade(server, request, socket, head, connectionEvent);
        connections.release(socket);
        upgrade(request, socket, head);
      });
    });
  }
  const bound = await bindServer(server, host, port, secure ? 'https' : 'http');
  return {
    bound,
    renewTls: (renewed) => secure?.setSecureContext(certificateAndKey(renewed)),
    async drain(withinMs) {
      // Its callback is not awaited: it would also wait for WebSockets.
      server.close();
      connections.closeWhenIdle();
      const timer = clock.after(withinMs, () => server.closeAllConnections());
      await connections.whenGone();
      timer.stop();
    },
  };
}

function certificateAndKey({ cert, key }: ListenerTls) {
  return { cert, key };
}

function isWebSocketUpgrade({ headers }: IncomingMessage): boolean {
  return headers.upgrade?.toLowerCase() === 'websocket';
}

/** The address that a listener is bound to. */
export interface BoundAddress {
  readonly host: string;
  readonly port: number;
  readonly url: string;
}

/** Starts listening; throws a CallError that explains why it cannot. Port 0 selects a free port. */
async function bindServer(
  server: Server,
  host: string,
  port: number,
  scheme: 'http' | 'https' = 'http',
): Promise<BoundAddress> {
  await new Promise<void>((resolve, reject) => {
    const onError = (error: NodeJS.ErrnoException) => reject(bindError(error, host, port));
    server.once('error', onError);
    server.listen({ host, port }, () => {
      server.off('error', onError);
      resolve();
    });
  });
  const { address, family, port: bound } = server.address() as AddressInfo;
  const shown = family === 'IPv6' ? `[${address}]` : address;
  return { host: address, port: bound, url: `${scheme}://${shown}:${bound}` };
}

const OTHER_PORT =
  'Choose another port with EXAI_PORT=N or exai serve --port N; 0 takes any free one.';
const OTHER_HOST = 'Use --host 127.0.0.1, or an address that this machine has.';

function bindError(error: NodeJS.ErrnoException, host: string, port: number): CallError {
  switch (String(error.code)) {
    case 'EADDRINUSE':
      return new CallError('conflict', `Port ${port} on ${host} is taken by another program.`, {
        field: 'port',
        fix: OTHER_PORT,
        cause: error,
      });
    case 'EACCES':
      return new CallError('permission', `Port ${port} may not be opened by this user.`, {
        field: 'port',
        fix: OTHER_PORT,
        cause: error,
      });
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return new CallError('validation', `"${host}" is not an address of this machine.`, {
        field: 'host',
        fix: OTHER_HOST,
        cause: error,
      });
    default:
      return CallError.from(error, { field: 'port' });
  }
}
