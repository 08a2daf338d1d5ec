import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { Duplex } from 'node:stream';
import type { Clock } from '#core/clock.ts';
import type { TcpConnection } from '#core/doorman.ts';
import type { NewId } from '#core/ids.ts';
import type { Log, Metrics, Tracer } from '#core/telemetry.ts';
import { bind, type Bound } from './bind.ts';
import { answerClientErrors } from './client-error.ts';
import { trackConnections, type Evicted } from './connections.ts';
import { boundHandshakes } from './handshakes.ts';
import { dispatch } from './dispatch.ts';
import type { Endpoint } from './endpoint.ts';
import { ignoreUpgrade } from './ignore-upgrade.ts';
import { createObserver } from './observe.ts';
import { refuseOddRequests } from './odd-requests.ts';
import type { Reply, Route } from './route.ts';
import { send } from './send.ts';
import { serveEndpoints } from './serve-endpoints.ts';

export interface ListenerOptions {
  readonly host: string;
  readonly port: number;
  readonly routes: readonly Route[];
  /** Paths whose answers may stream. */
  readonly endpoints?: readonly Endpoint[];
  /** Whose pages may ask beside our own, in lower case. */
  readonly origins?: readonly string[];
  /** Whether who bears this token, or none, is the owner. */
  readonly isTrusted: (token: string | undefined, connection: TcpConnection) => Promise<boolean>;
  readonly clock: Clock;
  readonly newId: NewId;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly tracer: Tracer;
  readonly limits?: ListenerLimits;
  /** Open at once; those that were taken over are not counted. Beyond it only what needs no endpoint is answered. */
  readonly maxConnections?: number;
  /** With it everything of the listener is https:// and wss://. */
  readonly tls?: ListenerTls;
  /** Takes over connections that want to be a WebSocket, and answers those it does not want. */
  readonly upgrade?: (request: IncomingMessage, socket: Duplex, head: Buffer) => void;
}

/** In PEM. */
export interface ListenerTls {
  /** The certificate, and those that vouch for it. */
  readonly cert: string;
  readonly key: string;
  /** Names that the certificate is for, in lower case: the daemon answers to them. */
  readonly names: readonly string[];
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
  /**
   * Takes no more connections, lets what is running finish for so long, then cuts it. Connections that were taken over
   * are neither waited for nor cut.
   */
  drain(withinMs: number): Promise<void>;
  /** From now on connections get this certificate; those that are open keep theirs. */
  renewTls(tls: ListenerTls): void;
}

// A peer that sends its request a byte at a time must not hold a connection for ever.
const LIMITS: ListenerLimits = {
  maxHeaderSize: 16 * 1024,
  headersTimeout: 15_000,
  requestTimeout: 60_000,
  keepAliveTimeout: 30_000,
  connectionsCheckingInterval: 5000,
};

const HANDSHAKE = { handshakeTimeout: 5000 };

/** The one listener of the daemon. */
export async function startListener(options: ListenerOptions): Promise<HttpListener> {
  const { host, port, routes, isTrusted, clock, tracer, limits = LIMITS, tls } = options;
  const { maxConnections = Number.POSITIVE_INFINITY } = options;
  const observer = createObserver(options.log, options.metrics, clock);
  const doors = {
    routes,
    isTrusted,
    hosts: [host.toLowerCase(), ...(tls?.names ?? [])],
    origins: options.origins ?? [],
    tracer,
    gateway: options.endpoints?.some(({ path }) => path.startsWith('/v1/')) ? 'on' : 'off',
  } as const;
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const startedAt = clock.monotonic();
    const reqId = options.newId('req');
    const given = await dispatch(request, doors);
    // It was told meanwhile that it arrives too slowly.
    if (response.headersSent) return;
    response.setHeader('x-exai-req-id', reqId);
    send(request, response, given.reply);
    observer.answered(request, given, { reqId, elapsedMs: clock.monotonic() - startedAt });
  };

  // Node would answer a request without a Host itself, with an empty body; dispatch refuses it with words.
  const settings = { ...limits, requireHostHeader: false };
  const secure = tls && createTlsServer({ ...settings, ...secretsOf(tls), ...HANDSHAKE });
  if (secure) boundHandshakes(secure, maxConnections);
  const server = secure ?? createServer(settings);
  // A connection of TLS can be spoken to when its handshake is over.
  const arrival = secure ? 'secureConnection' : 'connection';
  const onEvicted = (why: Evicted) => observer.evicted(why);
  const connections = trackConnections(server, clock, maxConnections, onEvicted, arrival);
  const isSpare = (socket: Duplex) => connections.isSpare(socket);
  const serve = serveEndpoints({ ...options, ...doors, observer, maxConnections, isSpare });
  server.on('request', (request, response) => {
    if (isSpare(request.socket)) response.shouldKeepAlive = false;
    if (!serve(request, response)) void answer(request, response);
  });
  const onRefused = (reply: Reply) => observer.refused(reply);
  answerClientErrors(server, connections, clock, onRefused);
  refuseOddRequests(server, connections, clock, onRefused);
  const { upgrade } = options;
  if (upgrade) {
    server.on('upgrade', (request, socket, head) => {
      // A request before this one is still being answered; its answer would end up between the frames.
      if (connections.isBusy(socket)) return void socket.destroy();
      if (!isForWebSocket(request)) return ignoreUpgrade(server, request, socket, head, arrival);
      connections.release(socket);
      upgrade(request, socket, head);
    });
  }
  const bound = await bind(server, host, port, secure ? 'https' : 'http');
  return {
    bound,
    renewTls: (renewed) => secure?.setSecureContext(secretsOf(renewed)),
    async drain(withinMs) {
      // Its own callback would wait for the connections that were taken over, too.
      server.close();
      connections.closeWhenIdle();
      const timer = clock.after(withinMs, () => server.closeAllConnections());
      await connections.whenGone();
      timer.stop();
    },
  };
}

function secretsOf({ cert, key }: ListenerTls) {
  return { cert, key };
}

function isForWebSocket({ headers }: IncomingMessage): boolean {
  return headers.upgrade?.toLowerCase() === 'websocket';
}
