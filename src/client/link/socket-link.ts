import { connect, type Socket } from 'node:net';
import { CallError } from '#core/errors/call-error.ts';
import type { Welcome } from '#core/local-socket/handshake.ts';
import { createLines } from '#core/local-socket/lines.ts';
import {
  continueLink,
  openLink,
  type HandshakeOptions,
  type Link,
  type Wire,
  type WireEvents,
} from './link.ts';

/** More than a daemon sends, less than the maximum length of a string. */
const MAX_LINE_BYTES = 268_435_456;
const HIGH_WATER_BYTES = 1_048_576;

/**
 * A link to the daemon on a socket file or named pipe. If it rejects, the system's error is the
 * `cause`.
 */
export function openSocketLink(address: string, handshake: HandshakeOptions): Promise<Link> {
  return openLink((events) => {
    const socket = connect({ path: address });
    return wireOver(socket, events, listenTo(socket));
  }, handshake);
}

/** A socket whose daemon has sent its welcome. */
export interface WelcomedSocket {
  readonly socket: Socket;
  /** An incomplete line after the welcome. */
  readonly unread: Uint8Array;
  readonly listen: (listener: (bytes: Uint8Array) => void) => void;
}

export function continueSocketLink(
  { socket, unread, listen }: WelcomedSocket,
  welcome: Welcome,
): Link {
  return continueLink((events) => {
    const wire = wireOver(socket, events, (push) => {
      push(unread);
      listen(push);
    });
    socket.resume();
    return wire;
  }, welcome);
}

function listenTo(socket: Socket): WelcomedSocket['listen'] {
  return (push) => void socket.on('data', push);
}

function wireOver(
  socket: Socket,
  { onLine, onClose, onClear }: WireEvents,
  listen: WelcomedSocket['listen'],
): Wire {
  let failure: Error | undefined;
  const lines = createLines({
    maxBytes: MAX_LINE_BYTES,
    onLine,
    // Only a program that is not a daemon sends such a line; what follows cannot be trusted either.
    onRefused: (error) => socket.destroy(error),
  });
  const onEnd = () =>
    onClose(failure ? CallError.from(failure) : new CallError('network', 'The daemon hung up.'));
  listen((bytes) => lines.push(bytes));
  socket.on('drain', onClear);
  socket.on('error', (error) => (failure = error));
  if (socket.closed) process.nextTick(onEnd);
  else socket.on('close', onEnd);
  return {
    get receivedBytes() {
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
