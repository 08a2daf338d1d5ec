import { isIP } from 'node:net';
import { CallError } from '#core/errors/call-error.ts';
import { isUrl } from '#core/net/is-url.ts';

/** Where a connection goes. */
export interface Destination {
  readonly protocol: 'http:' | 'https:';
  /** A name or an address, an IPv6 address without its brackets. */
  readonly host: string;
  readonly port: number;
  /** For messages: the host, with the port when it is not the default. */
  readonly label: string;
}

/** A parsed URL. Parsed once, because the same few are requested again and again. */
export interface Target extends Destination {
  readonly url: URL;
  readonly origin: string;
  /** Path and query. */
  readonly path: string;
  /** From the user and password of the URL. */
  readonly authorization: string | undefined;
}

const PORTS = { 'http:': 80, 'https:': 443 };

/** Parses a URL. Messages do not repeat it, because it may contain a key. */
export function readTarget(text: string): Target {
  if (!isUrl(text)) throw new CallError('validation', 'The address is not a URL.');
  const url = new URL(text);
  const { protocol } = url;
  if (protocol !== 'http:' && protocol !== 'https:') {
    throw new CallError('validation', 'Only http:// and https:// addresses can be reached.');
  }
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
  return {
    url,
    protocol,
    host,
    port: url.port === '' ? PORTS[protocol] : Number(url.port),
    label: url.host,
    origin: url.origin,
    path: `${url.pathname}${url.search}`,
    authorization: basicAuthorization(url),
  };
}

export function basicAuthorization({ username, password }: URL): string | undefined {
  if (username === '' && password === '') return undefined;
  const pair = `${decoded(username)}:${decoded(password)}`;
  return `Basic ${Buffer.from(pair).toString('base64')}`;
}

/** As in a CONNECT line or a Host header. */
export function hostAndPort(host: string, port: number): string {
  return isIP(host) === 6 ? `[${host}]:${port}` : `${host}:${port}`;
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    // A lone percent sign stands for itself.
    return part;
  }
}
