import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';

export interface Connections {
  /** From now on a connection goes as soon as its last request is answered; those with none go now. */
  closeWhenIdle(): void;
  /** Whether a request of this connection is being answered. */
  isBusy(socket: Duplex): boolean;
  /** Whether the one request of this connection is still arriving, and nothing was said to it yet. */
  isReceiving(socket: Duplex): boolean;
  /** This connection speaks another protocol from now on and belongs to somebody else. */
  release(socket: Duplex): void;
  /** Resolves when no connection is left but those released. */
  whenGone(): Promise<void>;
}

/** Node calls a connection that never sent a request busy, so a stop would wait for it; hence our own count. */
export function trackConnections(server: Server): Connections {
  const running = new Map<Duplex, number>();
  const latest = new WeakMap<Duplex, ServerResponse>();
  let waiting: (() => void)[] = [];
  let closing = false;

  const forget = (socket: Duplex) => {
    running.delete(socket);
    if (running.size > 0) return;
    for (const resolve of waiting) resolve();
    waiting = [];
  };

  server.on('connection', (socket: Socket) => {
    running.set(socket, 0);
    socket.once('close', () => forget(socket));
  });
  server.on('request', ({ socket }, response) => {
    running.set(socket, (running.get(socket) ?? 0) + 1);
    latest.set(socket, response);
    response.once('close', () => {
      if (!running.has(socket)) return;
      const left = (running.get(socket) ?? 1) - 1;
      running.set(socket, left);
      if (closing && left === 0) socket.end();
    });
  });
  return {
    closeWhenIdle() {
      closing = true;
      for (const [socket, requests] of running) if (requests === 0) socket.destroy();
    },
    isBusy: (socket) => (running.get(socket) ?? 0) > 0,
    isReceiving(socket) {
      const response = latest.get(socket);
      const isOnly = running.get(socket) === 1;
      return isOnly && response !== undefined && !response.headersSent && !response.req.complete;
    },
    release: forget,
    whenGone: () =>
      running.size === 0 ? Promise.resolve() : new Promise((resolve) => void waiting.push(resolve)),
  };
}
