import { STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Clock } from '#core/clock.ts';
import type { Reply } from './route.ts';
import { allHeaders } from './send.ts';

// Closing at once while the peer still sends would make its machine discard our answer unread.
const LINGER_MS = 1000;

/** Answers on a connection that has no ServerResponse, and closes it. */
export function endWithReply(socket: Duplex, reply: Reply, clock: Clock): void {
  socket.end(toText(reply));
  const timer = clock.after(LINGER_MS, () => socket.destroy());
  socket.once('close', () => timer.stop());
}

function toText(reply: Reply): string {
  const headers = Object.entries({ ...allHeaders(reply), connection: 'close' });
  return [
    `HTTP/1.1 ${reply.status} ${STATUS_CODES[reply.status]}`,
    ...headers.map(([name, value]) => `${name}: ${value}`),
    '',
    reply.body,
  ].join('\r\n');
}
