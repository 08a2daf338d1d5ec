import { isIP, type Socket } from 'node:net';
import { connect, createSecureContext, type SecureContext } from 'node:tls';
import { createBoundedMap } from '#core/bounded-map.ts';
import type { Cancel } from '#core/http.ts';
import { trustedCertificates } from './extra-ca.ts';
import { untilEvent } from './until.ts';

const MAX_SESSIONS = 100;

export interface OpenTls {
  /** TLS over a connection, with whom the certificate must name. */
  (socket: Socket, host: string, signal: Cancel): Promise<Socket>;
}

export function createOpenTls(extraCa: string): OpenTls {
  let context: SecureContext | undefined;
  /** To be resumed, which spares both sides half of the work. */
  const sessions = createBoundedMap<string, Buffer>({ maxEntries: MAX_SESSIONS });

  return async (socket, host, signal) => {
    context ??= createSecureContext(extraCa === '' ? {} : { ca: trustedCertificates(extraCa) });
    const session = sessions.get(host);
    const secured = connect({
      socket,
      host,
      // Only names may be asked for.
      servername: isIP(host) === 0 ? host : '',
      secureContext: context,
      ALPNProtocols: ['http/1.1'],
      ...(session && { session }),
    });
    secured.on('error', () => undefined);
    secured.on('session', (given: Buffer) => sessions.set(host, given));
    try {
      await untilEvent(secured, 'secureConnect', signal);
      return secured;
    } catch (error) {
      sessions.delete(host);
      secured.destroy();
      socket.destroy();
      throw error;
    }
  };
}
