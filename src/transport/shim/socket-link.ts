import { connect } from 'node:net';
import { CallError } from '#core/call-error.ts';
import { createLines } from '../local/lines.ts';
import { socketAddress } from '../local/socket-path.ts';
import { greet, type Greeting } from './greet.ts';
import type { Link } from './link.ts';

/** More than a daemon sends, less than a string can hold. */
const MAX_LINE_BYTES = 268_435_456;
const HIGH_WATER_BYTES = 1_048_576;

/** A link to the daemon that listens on a socket file. The `cause` of what it rejects with is the system's error. */
export function openSocketLink(path: string, greeting: Greeting): Promise<Link> {
  return greet(({ onLine, onClose, onClear }) => {
    const socket = connect({ path: socketAddress(path) });
    let failure: Error | undefined;
    const lines = createLines({
      maxBytes: MAX_LINE_BYTES,
      onLine,
      // Only a program that is no daemon sends such a line; what follows cannot be trusted either.
      onRefused: (error) => socket.destroy(error),
    });
    socket.on('data', (chunk: Buffer) => lines.push(chunk));
    socket.on('drain', onClear);
    socket.on('error', (error) => (failure = error));
    socket.on('close', () => {
      const gone = new CallError('network', 'The daemon hung up.');
      onClose(failure ? CallError.from(failure) : gone);
    });
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
  }, greeting);
}
