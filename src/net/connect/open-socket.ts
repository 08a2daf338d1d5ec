import { lookup } from 'node:dns/promises';
import { connect as connectNet, isIP, type LookupFunction, type Socket } from 'node:net';
import { createSecureContext, connect as startTls, type SecureContext } from 'node:tls';
import { createBoundedMap } from '#core/bounded-map.ts';
import { CallError } from '#core/errors/call-error.ts';
import { fix } from '#core/messages/fixes.ts';
import type { AbortSignalLike } from '#core/net/abort.ts';
import { hostAndPort } from '../target.ts';
import type { Proxy } from './choose-proxy.ts';
import { trustedCertificates } from './extra-ca.ts';

const BUFFER_BYTES = 64 * 1024;
const PROBE_MS = 60_000;
/** Delay before the next address of a name is tried. */
const NEXT_ADDRESS_MS = 500;

/** Opens a TCP connection to one of exactly these addresses. */
export async function connectTcp(
  addresses: readonly Address[],
  port: number,
  signal: AbortSignalLike,
): Promise<Socket> {
  const [first] = addresses;
  if (!first) throw Object.assign(new Error('no address'), { code: 'ENODATA' });
  const options = {
    // Node calls `lookup` for anything that is not an address, so with several addresses any name
    // works.
    host: addresses.length === 1 ? first.address : 'several',
    port,
    lookup: answerWith(addresses, first),
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: NEXT_ADDRESS_MS,
    noDelay: true,
    keepAlive: true,
    keepAliveInitialDelay: PROBE_MS,
    // Supported by Node, missing in its types.
    highWaterMark: BUFFER_BYTES,
  };
  const socket = connectNet(options);
  // An error without a listener would end the process.
  socket.on('error', () => undefined);
  try {
    await waitForEvent(socket, 'connect', signal);
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

const MAX_SESSIONS = 100;

interface ConnectTls {
  /** Starts TLS on a socket; the certificate must be valid for the host. */
  (socket: Socket, host: string, signal: AbortSignalLike): Promise<Socket>;
}

export function createConnectTls(extraCa: string): ConnectTls {
  let context: SecureContext | undefined;
  /** TLS sessions to resume, which saves half of the handshake. */
  const sessions = createBoundedMap<string, Buffer>({ maxEntries: MAX_SESSIONS });

  return async (socket, host, signal) => {
    context ??= createSecureContext(extraCa === '' ? {} : { ca: trustedCertificates(extraCa) });
    const session = sessions.get(host);
    const secured = startTls({
      socket,
      host,
      // SNI allows names only.
      servername: isIP(host) === 0 ? host : '',
      secureContext: context,
      ALPNProtocols: ['http/1.1'],
      ...(session && { session }),
    });
    secured.on('error', () => undefined);
    secured.on('session', (given: Buffer) => sessions.set(host, given));
    try {
      await waitForEvent(secured, 'secureConnect', signal);
      return secured;
    } catch (error) {
      sessions.delete(host);
      secured.destroy();
      socket.destroy();
      throw error;
    }
  };
}

const MAX_HEAD_BYTES = 16 * 1024;
const HEAD_END = '\r\n\r\n';

/**
 * Opens a tunnel through a proxy (CONNECT). Afterwards the socket is a connection to the
 * destination.
 */
export async function openTunnel(
  socket: Socket,
  proxy: Proxy,
  to: { readonly host: string; readonly port: number },
  signal: AbortSignalLike,
): Promise<void> {
  const place = hostAndPort(to.host, to.port);
  const lines = [`CONNECT ${place} HTTP/1.1`, `Host: ${place}`];
  if (proxy.authorization !== undefined) lines.push(`Proxy-Authorization: ${proxy.authorization}`);
  socket.write(`${lines.join('\r\n')}${HEAD_END}`);
  const status = await readStatus(socket, proxy, signal);
  if (status >= 200 && status < 300) return;
  if (status === 407) {
    throw new CallError('not_configured', `The proxy ${proxy.label} wants a user and a password.`, {
      field: proxy.field,
      fixes: [
        fix('set_setting', {
          setting: proxy.field,
          value: 'an address such as http://user:password@host:port',
        }),
      ],
    });
  }
  throw new CallError(
    'network',
    `The proxy ${proxy.label} refused a connection to ${to.host} (status ${status}).`,
  );
}

async function readStatus(socket: Socket, proxy: Proxy, signal: AbortSignalLike): Promise<number> {
  let head = Buffer.alloc(0);
  for (;;) {
    const chunk = socket.read() as Buffer | null;
    if (chunk === null) {
      if (socket.readableEnded || socket.destroyed) throw notHttp(proxy);
      await waitForEvent(socket, 'readable', signal);
      continue;
    }
    head = Buffer.concat([head, chunk]);
    const end = head.indexOf(HEAD_END);
    if (end < 0 && head.length < MAX_HEAD_BYTES) continue;
    const [, status] = /^HTTP\/1\.[01] (\d{3})(?: |\r\n)/.exec(head.toString('latin1')) ?? [];
    if (end < 0 || status === undefined) throw notHttp(proxy);
    const rest = head.subarray(end + HEAD_END.length);
    if (rest.length > 0) socket.unshift(rest);
    return Number(status);
  }
}

function notHttp(proxy: Proxy): CallError {
  return new CallError('network', `The proxy ${proxy.label} does not answer as a proxy does.`);
}

/** Resolves at the event; rejects when the socket fails or closes, or with the signal's reason. */
function waitForEvent(socket: Socket, event: string, signal: AbortSignalLike): Promise<void> {
  return new Promise((resolve, reject) => {
    const settle = (then: () => void) => {
      socket.off(event, onEvent).off('error', onError).off('close', onClose);
      signal.removeEventListener('abort', onAbort);
      then();
    };
    const onEvent = () => settle(resolve);
    const onError = (error: Error) => settle(() => reject(error));
    const onClose = () => onError(Object.assign(new Error('closed'), { code: 'ECONNRESET' }));
    const onAbort = () => onError(signal.reason as Error);
    socket.on(event, onEvent).on('error', onError).on('close', onClose);
    if (signal.aborted) onAbort();
    else signal.addEventListener('abort', onAbort);
  });
}

/**
 * Rejects with the signal's reason when that comes before the result; for work that cannot be
 * cancelled.
 */
export function rejectOnAbort<T>(work: Promise<T>, signal: AbortSignalLike): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(signal.reason);
    if (signal.aborted) onAbort();
    signal.addEventListener('abort', onAbort, { once: true });
    const settle = () => signal.removeEventListener('abort', onAbort);
    void work.then(resolve, reject).finally(settle);
  });
}

export interface Address {
  readonly address: string;
  readonly family: number;
}

/** Resolves a name to its addresses, in the order in which to try them. */
export type Resolve = (host: string) => Promise<readonly Address[]>;

export const systemResolve: Resolve = (host) => lookup(host, { all: true });
