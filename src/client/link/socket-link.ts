import { connect, type Socket } from 'node:net';
import { CallError } from '#core/call-error.ts';
import type { Welcome } from '#core/local-socket/handshake.ts';
import { createLines } from '#core/local-socket/lines.ts';
import { continueLink, greet, type Greeting, type Wire, type WireEvents } from './greet.ts';
import type { Link } from './link.ts';

/** More than a daemon sends, less than a string can hold. */
const MAX_LINE_BYTES = 268_435_456;
const HIGH_WATER_BYTES = 1_048_576;

/** A link to the daemon that listens on a socket file or named pipe. The `cause` of what it rejects with is the system's error. */
export function openSocketLink(address: string, greeting: Greeting): Promise<Link> {
  return greet((events) => {
    const socket = connect({ path: address });
    return wireOver(socket, events, listenTo(socket));
  }, greeting);
}

/** A connection whose daemon has said welcome already. */
export interface Greeted {
  readonly socket: Socket;
  /** What came after the welcome and is not a whole line yet. */
  readonly unread: Uint8Array;
  readonly listen: (listener: (bytes: Uint8Array) => void) => void;
}

export function continueSocketLink({ socket, unread, listen }: Greeted, welcome: Welcome): Link {
  return continueLink((events) => {
    const wire = wireOver(socket, events, (push) => {
      push(unread);
      listen(push);
    });
    socket.resume();
    return wire;
  }, welcome);
}

function listenTo(socket: Socket): Greeted['listen'] {
  return (push) => void socket.on('data', push);
}

function wireOver(
  socket: Socket,
  { onLine, onClose, onClear }: WireEvents,
  listen: Greeted['listen'],
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
  listen((bytes) => lines.push(bytes));
  socket.on('drain', onClear);
  socket.on('error', (error) => (failure = error));
  if (socket.closed) process.nextTick(over);
  else socket.on('close', over);
  return {
    get heardBytes() {
      return socket.bytesRead;
    },
    send(line) {
      if (!socket.writable) return 'full';
      socket.write(`${line}\n`);
      return socket.writableLength > HIGH_WATER_BYTES ? 'full' : 'clear';
    },
    pause: () => void socket.pause(),
    resume: () => void socket.resume(),
    close: () => socket.destroySoon(),
    cut: () => void socket.destroy(),
  };
}
