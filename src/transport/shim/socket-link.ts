import { connect, type Socket } from 'node:net';
import { CallError } from '#core/call-error.ts';
import type { Welcome } from '../local/handshake.ts';
import { createLines } from '../local/lines.ts';
import { socketAddress } from '../local/socket-path.ts';
import { continueLink, greet, type Greeting, type Wire, type WireEvents } from './greet.ts';
import type { Link } from './link.ts';

/** More than a daemon sends, less than a string can hold. */
const MAX_LINE_BYTES = 268_435_456;
const HIGH_WATER_BYTES = 1_048_576;

/** A link to the daemon that listens on a socket file. The `cause` of what it rejects with is the system's error. */
export function openSocketLink(path: string, greeting: Greeting): Promise<Link> {
  return greet((events) => wireOver(connect({ path: socketAddress(path) }), events), greeting);
}

/** A link over a socket whose daemon has said welcome; `unread` is what came after and is not a whole line yet. */
export function continueSocketLink(socket: Socket, welcome: Welcome, unread: Uint8Array): Link {
  return continueLink((events) => wireOver(socket, events, unread), welcome);
}

function wireOver(
  socket: Socket,
  { onLine, onClose, onClear }: WireEvents,
  unread?: Uint8Array,
): Wire {
  let failure: Error | undefined;
  const lines = createLines({
    maxBytes: MAX_LINE_BYTES,
    onLine,
    // Only a program that is no daemon sends such a line; what follows cannot be trusted either.
    onRefused: (error) => socket.destroy(error),
  });
  const over = () =>
    onClose(failure ? CallError.from(failure) : new CallError('network', 'The daemon hung up.'));
  if (unread) lines.push(unread);
  socket.on('data', (chunk: Buffer) => lines.push(chunk));
  socket.on('drain', onClear);
  socket.on('error', (error) => (failure = error));
  if (socket.closed) process.nextTick(over);
  else socket.on('close', over);
  return {
    send(line) {
      if (!socket.writable) return 'full';
      socket.write(`${line}\n`);
      return socket.writableLength > HIGH_WATER_BYTES ? 'full' : 'clear';
    },
    pause: () => void socket.pause(),
    resume: () => void socket.resume(),
    close: () => socket.destroySoon(),
  };
}
