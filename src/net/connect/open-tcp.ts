import { connect, type LookupFunction, type Socket } from 'node:net';
import type { Cancel } from '#core/http.ts';
import type { Address } from './resolve.ts';
import { untilEvent } from './until.ts';

const BUFFER_BYTES = 64 * 1024;
const PROBE_MS = 60_000;
/** Before the next address of a name is tried. */
const NEXT_ADDRESS_MS = 500;

/** Connects to one of exactly these addresses. */
export async function openTcp(
  addresses: readonly Address[],
  port: number,
  signal: Cancel,
): Promise<Socket> {
  const [first] = addresses;
  if (!first) throw Object.assign(new Error('no address'), { code: 'ENODATA' });
  const options = {
    // Node looks up whatever is not an address, so with several any name will do.
    host: addresses.length === 1 ? first.address : 'several',
    port,
    lookup: answerWith(addresses, first),
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: NEXT_ADDRESS_MS,
    noDelay: true,
    keepAlive: true,
    keepAliveInitialDelay: PROBE_MS,
    // Node knows it, its types do not.
    highWaterMark: BUFFER_BYTES,
  };
  const socket = connect(options);
  // A failure that nobody waits for must not end the process.
  socket.on('error', () => undefined);
  try {
    await untilEvent(socket, 'connect', signal);
    return socket;
  } catch (error) {
    socket.destroy();
    throw error;
  }
}

function answerWith(addresses: readonly Address[], first: Address): LookupFunction {
  return (_host, { all }, callback) => {
    if (all === true) callback(null, [...addresses]);
    else callback(null, first.address, first.family);
  };
}
