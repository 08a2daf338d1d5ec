import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { WebSocketServer, type WebSocket } from 'ws';
import type { TcpConnection } from '#core/auth/authenticator.ts';
import { CallError } from '#core/errors/call-error.ts';
import { fix } from '#core/messages/fixes.ts';
import type { Log, Metrics } from '#core/telemetry/telemetry.ts';
import type { Clock } from '#core/time/clock.ts';
import type { OpenSession } from '../channel.ts';
import { createQuota } from '../http/quota.ts';
import type { ReceiveBuffers } from '../http/receive-buffers.ts';
import { endWithReply, errorReply } from '../http/reply.ts';
import { bearerToken, checkHost, isOurOrigin, requestUrl } from '../http/request-checks.ts';
import { createKeepalive } from './keepalive.ts';
import { createPendingConnections } from './pending-connections.ts';
import { createWsObserver } from './ws-observer.ts';
import { createWsConnection, type WsConnection } from './ws-connection.ts';

export interface WsServerOptions {
  readonly openSession: OpenSession;
  /** Authenticates the bearer token of an upgrade request. Rejects if it is unknown. */
  identify(token: string, connection: TcpConnection): Promise<{ readonly principal: string }>;
  /** Memory budget for incomplete messages, shared by all listeners. */
  readonly receiveBuffers: ReceiveBuffers;
  /** Accepted host names and addresses besides loopback, in lower case. */
  readonly hosts: readonly string[];
  /** Accepted origins besides our own, in lower case. */
  readonly origins: readonly string[];
  readonly clock: Clock;
  newSession(): string;
  readonly maxFrameBytes: number;
  readonly pingIntervalMs: number;
  readonly deadAfterMs: number;
  /** Limit for authenticated connections. */
  readonly maxConnections: number;
  /** Limit for connections before authentication. */
  readonly maxPendingConnections?: number;
  readonly log: Log;
  readonly metrics: Metrics;
}

/** A client that sent its token with the upgrade. */
interface Bearer {
  readonly token: string;
  readonly principal: string;
}

interface WsServer {
  /** Upgrades a connection of the listener, or refuses it. */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void;
  /** Number of open connections. */
  readonly size: number;
  /** Accepts no more connections, lets running calls finish within the time, then closes. */
  drain(withinMs: number): Promise<void>;
}

const PROTOCOL = 'mcp';
const RETRY_AFTER_MS = 1000;
// Limits the overhead of a message in tiny frames, each of which is an object.
const MAX_CHUNKS = 64 * 1024;
// For the client's half of the close handshake.
const CLOSE_TIMEOUT_MS = 10_000;
/** Time for clients to read the last answers before their connections are cut. */
const FLUSH_MS = 250;
const MAX_PENDING_CONNECTIONS = 256;
/** Upgrades whose token is being looked up. */
const MAX_LOOKUPS = 256;

export function createWsServer(options: WsServerOptions): WsServer {
  const { openSession, hosts, clock, maxConnections, receiveBuffers } = options;
  const observer = createWsObserver(options.log, options.metrics, clock);
  const keepalive = createKeepalive(clock, options);
  const connections = new Set<WsConnection>();
  const pending = createPendingConnections(
    options.maxPendingConnections ?? MAX_PENDING_CONNECTIONS,
  );
  const places = createQuota(maxConnections);
  const principals = new Map<WsConnection, string>();
  const allTaken = `All ${maxConnections} connections are taken.`;
  let lookups = 0;
  let waiting: (() => void)[] = [];
  let isDraining = false;
  options.metrics.gauge('exai_ws_connections', 'Open WebSockets.', () => connections.size);
  options.metrics.gauge(
    'exai_ws_pending_handshakes',
    'Open WebSockets whose caller is not known yet.',
    () => pending.size,
  );

  const server = new WebSocketServer(serverOptions(options.maxFrameBytes));
  server.on('wsClientError', ({ message }, socket) => {
    const error = new CallError('bad_request', `This is not a WebSocket handshake: ${message}.`);
    refuse(socket, error, { 'sec-websocket-version': '13' });
  });

  function refuse(socket: Duplex, error: CallError, headers: Record<string, string> = {}): void {
    // An error event without a listener would end the daemon.
    socket.on('error', () => socket.destroy());
    const reply = errorReply(error);
    endWithReply(socket, { ...reply, headers: { ...reply.headers, ...headers } }, clock);
    socket.resume();
    observer.refused(error);
  }

  function checkRoom(): void {
    const retry = { retryAfterMs: RETRY_AFTER_MS };
    if (isDraining) throw new CallError('over_capacity', 'The daemon is stopping.', retry);
    if (places.total < maxConnections) return;
    throw new CallError('over_capacity', allTaken, retry);
  }

  function open(ws: WebSocket, socket: Socket, bearer: Bearer | undefined): void {
    const opening = {
      session: options.newSession(),
      token: bearer?.token,
      connection: socket,
      protocol: ws.protocol === '' ? undefined : ws.protocol,
    };
    const context = { openSession, observer, clock, receiveBuffers, onIdentified, onGone };
    const connection = createWsConnection(ws, socket, opening, context);
    connections.add(connection);
    keepalive.watch(connection);
    if (bearer) connection.identify(bearer.principal);
    else if (!principals.has(connection) && !pending.admit(connection)) {
      connection.refuseFull('All places for new connections are taken. Connect again in a second.');
    }
  }

  function accept(request: IncomingMessage, socket: Duplex, head: Buffer, bearer?: Bearer): void {
    server.handleUpgrade(request, socket, head, (ws) => {
      // A listener of node:http always passes a Socket.
      open(ws, socket as Socket, bearer);
    });
  }

  /** Authenticates a client with a token before anything more is read from it. */
  async function acceptBearer(
    request: IncomingMessage,
    socket: Duplex,
    head: Buffer,
    token: string,
  ): Promise<void> {
    let bearer: Bearer;
    try {
      bearer = { token, principal: await identify(socket, token) };
      checkRoom();
    } catch (thrown) {
      refuse(socket, CallError.from(thrown));
      return;
    }
    accept(request, socket, head, bearer);
  }

  function onIdentified(connection: WsConnection, principal: string): void {
    pending.leave(connection);
    releasePlace(connection);
    if (!places.acquire(principal)) return connection.refuseFull(allTaken);
    principals.set(connection, principal);
  }

  function releasePlace(connection: WsConnection): void {
    const principal = principals.get(connection);
    if (principal === undefined) return;
    principals.delete(connection);
    places.release(principal);
  }

  async function identify(socket: Duplex, token: string): Promise<string> {
    if (lookups >= MAX_LOOKUPS) {
      const retry = { retryAfterMs: RETRY_AFTER_MS };
      throw new CallError('over_capacity', 'Too many tokens are being looked up.', retry);
    }
    // An error event without a listener would end the daemon.
    const onError = () => socket.destroy();
    socket.on('error', onError);
    lookups += 1;
    try {
      // A listener of node:http always passes a Socket.
      return (await options.identify(token, socket as Socket)).principal;
    } finally {
      lookups -= 1;
      socket.off('error', onError);
    }
  }

  function onGone(connection: WsConnection): void {
    keepalive.forget(connection);
    pending.leave(connection);
    releasePlace(connection);
    connections.delete(connection);
    if (connections.size > 0) return;
    for (const resolve of waiting) resolve();
    waiting = [];
  }

  return {
    get size() {
      return connections.size;
    },
    upgrade(request, socket, head) {
      try {
        checkUpgrade(request, hosts, options.origins);
        checkRoom();
      } catch (thrown) {
        refuse(socket, CallError.from(thrown));
        return;
      }
      const token = bearerToken(request.headers.authorization);
      if (token === undefined) accept(request, socket, head);
      else void acceptBearer(request, socket, head, token);
    },
    async drain(withinMs) {
      isDraining = true;
      let timer = clock.after(withinMs, () => {
        for (const connection of connections) connection.interrupt();
        timer = clock.after(FLUSH_MS, () => {
          for (const connection of connections) connection.terminate();
        });
      });
      for (const connection of connections) void connection.drain();
      if (connections.size > 0) await new Promise<void>((resolve) => void waiting.push(resolve));
      timer.stop();
    },
  };
}

function serverOptions(maxFrameBytes: number) {
  return {
    noServer: true,
    clientTracking: false,
    // A compressed message may expand a thousandfold.
    perMessageDeflate: false,
    maxPayload: maxFrameBytes,
    maxBufferedChunks: MAX_CHUNKS,
    closeTimeout: CLOSE_TIMEOUT_MS,
    handleProtocols: (offered: Set<string>) => offered.has(PROTOCOL) && PROTOCOL,
  };
}

const PATHS = ['/', '/ws'];

/** Refuses an upgrade for another host, for an unknown path, or from a page of another origin. */
function checkUpgrade(
  request: IncomingMessage,
  hosts: readonly string[],
  origins: readonly string[],
): void {
  checkHost(request, hosts);
  const path = requestUrl(request)?.pathname;
  if (path === undefined || !PATHS.includes(path)) {
    throw new CallError('not_found', 'No WebSocket is served at this path.', {
      fix: `Use ${PATHS.join(' or ')}.`,
    });
  }
  const { origin, host } = request.headers;
  if (isOurOrigin(origin, host, origins)) return;
  throw new CallError('permission', 'Pages of this Origin may not connect to EX-AI.', {
    field: 'origin',
    fixes: [
      fix('extend_setting', {
        setting: 'listener.origins',
        entry: 'it',
        condition: 'if you trust every page there',
      }),
    ],
  });
}
