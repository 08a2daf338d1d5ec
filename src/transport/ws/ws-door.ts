import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { WebSocketServer, type WebSocket } from 'ws';
import { CallError } from '#core/call-error.ts';
import type { Clock } from '#core/clock.ts';
import type { Log, Metrics } from '#core/telemetry.ts';
import type { OpenSession } from '../channel.ts';
import { bearerOf } from '../http/bearer.ts';
import { toErrorReply } from '../http/error-reply.ts';
import { endWithReply } from '../http/raw-reply.ts';
import { checkUpgrade } from './check-upgrade.ts';
import { createKeepalive } from './keepalive.ts';
import { createWsObserver } from './observe.ts';
import { createWsConnection, type WsConnection } from './ws-connection.ts';

export interface WsDoorOptions {
  readonly openSession: OpenSession;
  /** Names and addresses we answer to beside the loopback ones, in lower case. */
  readonly hosts: readonly string[];
  /** Whose pages may connect beside our own, in lower case. */
  readonly origins: readonly string[];
  readonly clock: Clock;
  newSession(): string;
  readonly maxFrameBytes: number;
  readonly pingIntervalMs: number;
  readonly deadAfterMs: number;
  readonly maxConnections: number;
  readonly log: Log;
  readonly metrics: Metrics;
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

export function createWsDoor(options: WsDoorOptions): WsDoor {
  const { openSession, hosts, clock, maxConnections } = options;
  const observer = createWsObserver(options.log, options.metrics, clock);
  const keepalive = createKeepalive(clock, options);
  const connections = new Set<WsConnection>();
  let waiting: (() => void)[] = [];
  let isDraining = false;
  options.metrics.gauge('exai_ws_connections', 'Open WebSockets.', () => connections.size);

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
    if (connections.size < maxConnections) return;
    const message = `All ${maxConnections} connections are taken.`;
    throw new CallError('over_capacity', message, retry);
  }

  function open(ws: WebSocket, { headers }: IncomingMessage, socket: Socket): void {
    const opening = {
      session: options.newSession(),
      token: bearerOf(headers.authorization),
      connection: socket,
      protocol: ws.protocol === '' ? undefined : ws.protocol,
    };
    const connection = createWsConnection(ws, socket, opening, { openSession, observer, onGone });
    connections.add(connection);
    keepalive.watch(connection);
  }

  function onGone(connection: WsConnection): void {
    keepalive.forget(connection);
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
      // A listener of node:http has no other kind of socket.
      server.handleUpgrade(request, socket, head, (ws) => open(ws, request, socket as Socket));
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
