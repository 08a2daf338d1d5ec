import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { CallError } from '#core/call-error.ts';

export interface Bound {
  readonly host: string;
  readonly port: number;
  readonly url: string;
}

/** Starts listening, or says what stands in the way. Port 0 takes any free one. */
export async function bind(
  server: Server,
  host: string,
  port: number,
  scheme: 'http' | 'https' = 'http',
): Promise<Bound> {
  await new Promise<void>((resolve, reject) => {
    const onError = (error: NodeJS.ErrnoException) => reject(refusal(error, host, port));
    server.once('error', onError);
    server.listen({ host, port }, () => {
      server.off('error', onError);
      resolve();
    });
  });
  const { address, family, port: bound } = server.address() as AddressInfo;
  const shown = family === 'IPv6' ? `[${address}]` : address;
  return { host: address, port: bound, url: `${scheme}://${shown}:${bound}` };
}

const OTHER_PORT = 'Choose another port with --port N; --port 0 takes any free one.';
const OTHER_HOST = 'Use --host 127.0.0.1, or an address that this machine has.';

function refusal(error: NodeJS.ErrnoException, host: string, port: number): CallError {
  switch (String(error.code)) {
    case 'EADDRINUSE':
      return new CallError('conflict', `Port ${port} on ${host} is taken by another program.`, {
        field: 'port',
        fix: OTHER_PORT,
        cause: error,
      });
    case 'EACCES':
      return new CallError('permission', `Port ${port} may not be opened by this user.`, {
        field: 'port',
        fix: OTHER_PORT,
        cause: error,
      });
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return new CallError('validation', `"${host}" is not an address of this machine.`, {
        field: 'host',
        fix: OTHER_HOST,
        cause: error,
      });
    default:
      return CallError.from(error, { field: 'port' });
  }
}
