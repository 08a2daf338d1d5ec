import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Arrival } from './connections.ts';

/**
 * Takes a request to switch to a protocol we do not speak for the plain request it also is, as HTTP allows (RFC 9110,
 * 7.8): some clients offer `h2c` with everything they ask. Node hands such a request over unanswered once it has a
 * listener for upgrades, so the request is put back without its offer and read again. It is the last of its connection.
 */
export function ignoreUpgrade(
  server: Server,
  request: IncomingMessage,
  socket: Duplex,
  head: Buffer,
  arrival: Arrival,
): void {
  const lines = [`${request.method} ${request.url} HTTP/${request.httpVersion}`];
  const { rawHeaders } = request;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? '';
    if (!OFFER.has(name.toLowerCase())) lines.push(`${name}: ${rawHeaders[index + 1]}`);
  }
  const plain = `${lines.join('\r\n')}\r\nconnection: close\r\n\r\n`;
  socket.unshift(Buffer.concat([Buffer.from(plain, 'latin1'), head]));
  server.emit(arrival, socket);
}

const OFFER = new Set(['connection', 'upgrade', 'http2-settings']);
