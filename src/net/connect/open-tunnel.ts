import type { Socket } from 'node:net';
import { CallError } from '#core/call-error.ts';
import type { Cancel } from '#core/http.ts';
import { fix } from '#core/messages/fixes.ts';
import { hostAndPort } from '../target.ts';
import type { Proxy } from './choose-proxy.ts';
import { untilEvent } from './until.ts';

const MAX_HEAD_BYTES = 16 * 1024;
const HEAD_END = '\r\n\r\n';

/** Asks a proxy for a connection to a host or address; from then on the socket is that connection. */
export async function openTunnel(
  socket: Socket,
  proxy: Proxy,
  to: { readonly host: string; readonly port: number },
  signal: Cancel,
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

async function readStatus(socket: Socket, proxy: Proxy, signal: Cancel): Promise<number> {
  let head = Buffer.alloc(0);
  for (;;) {
    const chunk = socket.read() as Buffer | null;
    if (chunk === null) {
      if (socket.readableEnded || socket.destroyed) throw notHttp(proxy);
      await untilEvent(socket, 'readable', signal);
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
