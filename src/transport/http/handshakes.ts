import type { Server } from 'node:https';
import type { Socket } from 'node:net';
import { createBoundedMap } from '#core/bounded-map.ts';

/**
 * Bounds TLS handshakes under way, which are not yet among the connections that are counted: when there are too many, the oldest
 * one is closed, so that a client that goes on with its handshake is never kept out by others that do not.
 */
export function boundHandshakes(server: Server, max: number): void {
  /** By the address and port of the peer, as the secure socket is another object than the one that was accepted. */
  const waiting = createBoundedMap<string, Socket>({
    maxEntries: max,
    onEvict: (socket) => socket.destroy(),
  });
  const nameOf = ({ remoteAddress, remotePort }: Socket) => `${remoteAddress} ${remotePort}`;

  server.on('connection', (socket: Socket) => {
    const name = nameOf(socket);
    waiting.set(name, socket);
    socket.once('close', () => {
      if (waiting.get(name) === socket) waiting.delete(name);
    });
  });
  server.on('secureConnection', (socket) => waiting.delete(nameOf(socket)));
}
