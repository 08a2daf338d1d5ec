import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { WebSocketServer, type WebSocket } from 'ws';
import { CallError } from '#core/call-error.ts';
import type { Clock } from '#core/clock.ts';
import type { TcpConnection } from '#core/doorman.ts';
import type { Log, Metrics } from '#core/telemetry.ts';
import type { OpenSession } from '../channel.ts';
import type { Arriving } from '../http/arriving.ts';
import { bearerOf } from '../http/bearer.ts';
import { toErrorReply } from '../http/error-reply.ts';
import { endWithReply } from '../http/raw-reply.ts';
import { createShares } from '../http/shares.ts';
import { checkUpgrade } from './check-upgrade.ts';
import { createKeepalive } from './keepalive.ts';
import { createNewcomers } from './newcomers.ts';
import { createWsObserver } from './observe.ts';
import { createWsConnection, type WsConnection } from './ws-connection.ts';

export interface WsDoorOptions {
  readonly openSession: OpenSession;
  /** Whose token the upgrade request bears. Rejects when it is nobody's. */
  identify(token: string, connection: TcpConnection): Promise<{ readonly principal: string }>;
  /** The memory of messages that are not complete: one for all doors. */
  readonly arriving: Arriving;
  /** Names and addresses we answer to beside the loopback ones, in lower case. */
  readonly hosts: readonly string[];
  /** Whose pages may connect beside our own, in lower case. */
  readonly origins: readonly string[];
  readonly clock: Clock;
  newSession(): string;
  readonly maxFrameBytes: number;
  readonly pingIntervalMs: number;
  readonly deadAfterMs: number;
  /** Of callers that are known. */
  readonly maxConnections: number;
  /** Of callers that are not known yet. */
  readonly maxNewcomers?: number;
  readonly log: Log;
  readonly metrics: Metrics;
}

/** A client that showed its token with the upgrade. */
interface Bearer {
  readonly token: string;
  readonly principal: string;
}

export interface WsDoor {
  /** Makes a connection of the listener a WebSocket, or answers why not. */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void;
  /** Connections that are open. */
  readonly size: number;
  /** Takes no more, lets what runs finish for so long, then cuts it. Resolves when nobody is left. */
  drain(withinMs: number): Promise<void>;
}

const PROTOCOL = 'mcp';
const RETRY_AFTER_MS = 1000;
// What a message in tiny pieces may cost beside its bytes: each piece is an object of its own.
const MAX_PIECES = 64 * 1024;
// For the client's half of a goodbye.
const CLOSE_TIMEOUT_MS = 10_000;
const MAX_NEWCOMERS = 256;
/** Upgrades whose token is being looked up. */
const MAX_LOOKUPS = 256;

export function createWsDoor(options: WsDoorOptions): WsDoor {
  const { openSession, hosts, clock, maxConnections, arriving } = options;
  const observer = createWsObserver(options.log, options.metrics, clock);
  const keepalive = createKeepalive(clock, options);
  const connections = new Set<WsConnection>();
  const newcomers = createNewcomers(options.maxNewcomers ?? MAX_NEWCOMERS);
  const places = createShares(maxConnections);
  const principals = new Map<WsConnection, string>();
  const allTaken = `All ${maxConnections} connections are taken.`;
  let lookups = 0;
  let waiting: (() => void)[] = [];
  let isDraining = false;
  options.metrics.gauge('exai_ws_connections', 'Open WebSockets.', () => connections.size);
  options.metrics.gauge(
    'exai_ws_newcomers',
    'Open WebSockets whose caller is not known yet.',
    () => newcomers.size,
  );

  const server = new WebSocketServer(serverOptions(options.maxFrameBytes));
  server.on('wsClientError', ({ message }, socket) => {
    const error = new CallError('bad_request', `This is no WebSocket handshake: ${message}.`);
    refuse(socket, error, { 'sec-websocket-version': '13' });
  });

  function refuse(socket: Duplex, error: CallError, headers: Record<string, string> = {}): void {
    // Nobody else listens any more, and an error without a listener would end the daemon.
    socket.on('error', () => socket.destroy());
    const reply = toErrorReply(error);
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
    const around = { openSession, observer, clock, arriving, onIdentified, onGone };
    const connection = createWsConnection(ws, socket, opening, around);
    connections.add(connection);
    keepalive.watch(connection);
    if (bearer) connection.identify(bearer.principal);
    else if (!principals.has(connection) && !newcomers.admit(connection)) {
      connection.turnAway('All places for new connections are taken. Connect again in a second.');
    }
  }

  function accept(request: IncomingMessage, socket: Duplex, head: Buffer, bearer?: Bearer): void {
    server.handleUpgrade(request, socket, head, (ws) => {
      // A listener of node:http has no other kind of socket.
      open(ws, socket as Socket, bearer);
    });
  }

  /** Who bears a token is known before anything more is read from it. */
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
    newcomers.leave(connection);
    givePlace(connection);
    if (!places.take(principal)) return connection.turnAway(allTaken);
    principals.set(connection, principal);
  }

  function givePlace(connection: WsConnection): void {
    const principal = principals.get(connection);
    if (principal === undefined) return;
    principals.delete(connection);
    places.give(principal);
  }

  async function identify(socket: Duplex, token: string): Promise<string> {
    if (lookups >= MAX_LOOKUPS) {
      const retry = { retryAfterMs: RETRY_AFTER_MS };
      throw new CallError('over_capacity', 'Too many tokens are being looked up.', retry);
    }
    // Nobody else listens meanwhile, and an error without a listener would end the daemon.
    const onError = () => socket.destroy();
    socket.on('error', onError);
    lookups += 1;
    try {
      // A listener of node:http has no other kind of socket.
      return (await options.identify(token, socket as Socket)).principal;
    } finally {
      lookups -= 1;
      socket.off('error', onError);
    }
  }

  function onGone(connection: WsConnection): void {
    keepalive.forget(connection);
    newcomers.leave(connection);
    givePlace(connection);
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
      const token = bearerOf(request.headers.authorization);
      if (token === undefined) accept(request, socket, head);
      else void acceptBearer(request, socket, head, token);
    },
    async drain(withinMs) {
      isDraining = true;
      const timer = clock.after(withinMs, () => {
        for (const connection of connections) connection.terminate();
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
    // A compressed message may be a thousand times what it looks like.
    perMessageDeflate: false,
    maxPayload: maxFrameBytes,
    maxBufferedChunks: MAX_PIECES,
    closeTimeout: CLOSE_TIMEOUT_MS,
    handleProtocols: (offered: Set<string>) => offered.has(PROTOCOL) && PROTOCOL,
  };
}
