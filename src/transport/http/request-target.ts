import type { IncomingMessage } from 'node:http';
import { CallError } from '#core/call-error.ts';
import { isUrl } from '#core/is-url.ts';
import { command } from '#core/messages/fixes.ts';
import { oneLine } from '#core/one-line.ts';
import { isOurHost } from './host-header.ts';

const HOST = 'host';
const MAX_SHOWN_CHARS = 100;

/** What a request asks for, or nothing when that is no path. */
export function targetOf({ url = '/' }: IncomingMessage): URL | undefined {
  // A fixed base: the target may be relative or, from a proxy, absolute; only its path and query are ours.
  return isUrl(url, 'http://localhost') ? new URL(url, 'http://localhost') : undefined;
}

/** The host that the target itself names, if it does: it then stands above the Host header (RFC 9112, 3.2.2). */
function hostOfTarget(request: IncomingMessage): string | undefined {
  const { url = '/' } = request;
  // A second slash, of either kind, begins a host.
  if (url.startsWith('/') && url[1] !== '/' && url[1] !== '\\') return undefined;
  const target = targetOf(request);
  // With a user before it, a host is not what it looks like.
  return target?.username === '' && target.password === '' ? target.host : target?.href;
}

/** Refuses whoever asks by a name that is not ours. */
export function checkHost(request: IncomingMessage, hosts: readonly string[]): void {
  const { headers, socket, rawHeaders } = request;
  if (headers.host === undefined) {
    throw new CallError('bad_request', 'The request has no Host header.', { field: 'host' });
  }
  // Node takes the first; whatever stands between the client and us may have taken another.
  if (countHosts(rawHeaders) > 1) {
    throw new CallError('bad_request', 'The request has more than one Host header.', {
      field: 'host',
    });
  }
  let host: string | undefined = headers.host;
  if (isOurHost(host, hosts, socket.localAddress)) {
    host = hostOfTarget(request);
    if (host === undefined || isOurHost(host, hosts, socket.localAddress)) return;
  }
  const shown = oneLine(host, MAX_SHOWN_CHARS);
  throw new CallError('permission', `EX-AI does not answer to the Host "${shown}".`, {
    field: 'host',
    fixes: [command('exai status', 'see the address to ask')],
  });
}

function countHosts(rawHeaders: readonly string[]): number {
  let count = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] ?? '';
    if (name.length === HOST.length && name.toLowerCase() === HOST) count += 1;
  }
  return count;
}
