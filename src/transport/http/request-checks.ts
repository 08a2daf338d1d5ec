import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { CallError } from '#core/errors/call-error.ts';
import { commandFix, fix } from '#core/messages/fixes.ts';
import { isUrl } from '#core/net/is-url.ts';
import { oneLine } from '#core/text/text.ts';
import { isLoopback } from './peer-address.ts';

const HOST_HEADER = /^(?:\[([0-9a-f:.]+)\]|([^:[\]]+))(?::\d{1,5})?$/i;

/** Names from which requests are accepted. */
export interface AllowedSources {
  /** Names and addresses of this server beside the loopback ones, in lower case. */
  readonly hosts: readonly string[];
  /** Origins of pages that may send requests beside our own pages, in lower case. */
  readonly origins: readonly string[];
}

/**
 * Rejects requests to another host and from pages of other origins: the check of every route and
 * endpoint.
 */
export function checkHostAndOrigin(request: IncomingMessage, allowed: AllowedSources): void {
  checkHost(request, allowed.hosts);
  checkOrigin(request.headers, allowed.origins);
}

/**
 * Whether a Host header names this server. Protects against DNS rebinding: a page of another site
 * can make its name resolve to this machine, but the browser still sends that name.
 */
export function isOurHost(
  header: string | undefined,
  hosts: readonly string[],
  /**
   * The local address of the connection. A client that uses the number cannot be a rebound name.
   */
  localAddress: string | undefined,
): boolean {
  const match = HOST_HEADER.exec(header ?? '');
  const host = (match?.[1] ?? match?.[2])?.toLowerCase();
  if (host === undefined) return false;
  if (isLoopback(host) || hosts.some((own) => own === host || coversName(own, host))) return true;
  return host === localAddress?.replace(/^::ffff:/, '');
}

/**
 * Whether a wildcard of a certificate covers a name: `*.example.com` covers `exai.example.com` and
 * nothing deeper.
 */
function coversName(pattern: string, host: string): boolean {
  const dot = host.indexOf('.');
  return pattern.startsWith('*.') && dot > 0 && host.slice(dot) === pattern.slice(1);
}

const HOST = 'host';
const MAX_SHOWN_CHARS = 100;

/** The URL of a request; undefined if its target is not a path. */
export function requestUrl({ url = '/' }: IncomingMessage): URL | undefined {
  // The base is arbitrary: only path and query are used, and the target may be absolute if it comes
  // through a proxy.
  return isUrl(url, 'http://localhost') ? new URL(url, 'http://localhost') : undefined;
}

/**
 * The host in an absolute request target, which takes precedence over the Host header (RFC 9112,
 * 3.2.2).
 */
function hostOfTarget(request: IncomingMessage): string | undefined {
  const { url = '/' } = request;
  // A second slash or backslash begins a host.
  if (url.startsWith('/') && url[1] !== '/' && url[1] !== '\\') return undefined;
  const target = requestUrl(request);
  // A URL with a user name is never accepted as a host.
  return target?.username === '' && target.password === '' ? target.host : target?.href;
}

/** Rejects requests whose Host is not this server. */
export function checkHost(request: IncomingMessage, hosts: readonly string[]): void {
  const { headers, socket, rawHeaders } = request;
  if (headers.host === undefined) {
    throw new CallError('bad_request', 'The request has no Host header.', { field: 'host' });
  }
  // Node uses the first one; a proxy in between may have used another.
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
    fixes: [commandFix('exai status', 'see the address to ask')],
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

/**
 * Whether a page of this Origin may send requests. Programs send no Origin; browsers send it,
 * unforgeable, with every request whose response a page could read. Allowed are our own pages,
 * which have the Host of the request, and configured origins. Other pages of this machine are not
 * trusted, as any local server may serve them; `null` is a page that hides its origin.
 */
export function isOurOrigin(
  header: string | undefined,
  host: string | undefined,
  allowed: readonly string[],
): boolean {
  if (header === undefined) return true;
  const origin = header.toLowerCase();
  if (allowed.includes(origin)) return true;
  const own = host?.toLowerCase();
  return own !== undefined && [`http://${own}`, `https://${own}`].includes(origin);
}

/** Whether a page hides its origin, as files do. Some browsers name the scheme of files. */
export function isHiddenOrigin(header: string | undefined): boolean {
  return header === 'null' || header === 'file://';
}

/** Rejects requests from pages whose Origin is not allowed. */
export function checkOrigin(
  { origin, host }: IncomingHttpHeaders,
  allowed: readonly string[],
): void {
  if (isOurOrigin(origin, host, allowed)) return;
  const shown = oneLine(origin ?? '', MAX_SHOWN_CHARS);
  throw new CallError('permission', `Pages of the Origin ${shown} may not ask EX-AI.`, {
    field: 'origin',
    fixes: [
      fix('extend_setting', {
        setting: 'listener.origins',
        entry: 'it',
        condition: 'if you trust every page there',
      }),
    ],
  });
}

/**
 * Rejects requests that pages of other sites make without an Origin header, such as an image
 * source. The page could not read the response, but the request would occupy a connection.
 */
export function checkSite(headers: IncomingHttpHeaders): void {
  const site = headers['sec-fetch-site'];
  // If there is an Origin, that check decides; `none` is a user at the address bar.
  if (headers.origin !== undefined || (site !== 'cross-site' && site !== 'same-site')) return;
  throw new CallError('permission', 'Pages of other sites may not load this.', {
    field: 'sec-fetch-site',
    fix: 'Ask with fetch() in its mode "cors", from a page whose Origin is in listener.origins.',
  });
}

/** Whether a browser shows the response as a whole page, and not within another one. */
export function isNavigation(headers: IncomingHttpHeaders): boolean {
  const { origin } = headers;
  const [mode, destination] = [headers['sec-fetch-mode'], headers['sec-fetch-dest']];
  return origin === undefined && mode === 'navigate' && destination === 'document';
}

/** The token of `Authorization: Bearer …`. */
export function bearerToken(header: string | undefined): string | undefined {
  return /^Bearer +(.+)$/i.exec(header ?? '')?.[1];
}

/** The `WWW-Authenticate` header of every 401. RFC 6750 requires a parameter after the scheme. */
export const BEARER_CHALLENGE = 'Bearer realm="exai"';
