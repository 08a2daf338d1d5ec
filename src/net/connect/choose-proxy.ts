import { BlockList, isIP } from 'node:net';
import type { NetworkSettings } from '../create-http.ts';
import { basicAuthorization, readTarget, type Destination } from '../target.ts';

export interface Proxy extends Destination {
  /** Sent to the proxy only. */
  readonly authorization: string | undefined;
  /** The setting it comes from. */
  readonly field: 'network.httpProxy' | 'network.httpsProxy';
}

/** The proxy on the way to a destination, if there is one. */
export type ChooseProxy = (to: Destination) => Proxy | undefined;

export function createProxyChoice({
  httpProxy,
  httpsProxy,
  noProxy,
}: Pick<NetworkSettings, 'httpProxy' | 'httpsProxy' | 'noProxy'>): ChooseProxy {
  const proxies = {
    'http:': readProxy(httpProxy, 'network.httpProxy'),
    'https:': readProxy(httpsProxy, 'network.httpsProxy'),
  };
  const spared = readNoProxy(noProxy);
  return (to) => {
    const proxy = proxies[to.protocol];
    return !proxy || isLoopback(to.host) || spared(to) ? undefined : proxy;
  };
}

function readProxy(text: string, field: Proxy['field']): Proxy | undefined {
  if (text === '') return undefined;
  const { protocol, host, port, label, url } = readTarget(text);
  return { protocol, host, port, label, field, authorization: basicAuthorization(url) };
}

const LOOPBACK = new BlockList();
LOOPBACK.addSubnet('127.0.0.0', 8, 'ipv4');
LOOPBACK.addAddress('::1', 'ipv6');

function isLoopback(host: string): boolean {
  const name = bareName(host);
  return name === 'localhost' || name.endsWith('.localhost') || isIn(LOOPBACK, host);
}

/** A name covers its subdomains; an entry with a port covers that port only. */
function readNoProxy(text: string): (to: Destination) => boolean {
  const entries = text.split(/[\s,]+/).filter((entry) => entry !== '');
  if (entries.includes('*')) return () => true;
  const covers = entries.map(readEntry);
  return (to) => covers.some((covered) => covered(to));
}

function readEntry(entry: string): (to: Destination) => boolean {
  const network = readNetwork(entry);
  if (network) return ({ host }) => isIn(network, host);
  const { place, port } = splitPort(entry);
  const name = bareName(place.replace(/^\*?\./, ''));
  return (to) => {
    if (port !== undefined && port !== to.port) return false;
    const host = bareName(to.host);
    return host === name || (isIP(host) === 0 && name !== '' && host.endsWith(`.${name}`));
  };
}

function readNetwork(entry: string): BlockList | undefined {
  const [, address = '', bits] = /^\[?([\da-fA-F.:]+)\]?(?:\/(\d{1,3}))?$/.exec(entry) ?? [];
  const family = isIP(address);
  if (family === 0) return undefined;
  const most = family === 4 ? 32 : 128;
  const prefix = bits === undefined ? most : Number(bits);
  if (prefix > most) return undefined;
  const list = new BlockList();
  list.addSubnet(address, prefix, family === 4 ? 'ipv4' : 'ipv6');
  return list;
}

function splitPort(entry: string): { place: string; port: number | undefined } {
  const [, place, port] = /^(.*):(\d{1,5})$/.exec(entry) ?? [];
  if (place === undefined) return { place: entry, port: undefined };
  return { place: place.replace(/^\[(.*)\]$/, '$1'), port: Number(port) };
}

function isIn(list: BlockList, host: string): boolean {
  const family = isIP(host);
  return family !== 0 && list.check(host, family === 4 ? 'ipv4' : 'ipv6');
}

function bareName(host: string): string {
  return host.toLowerCase().replace(/\.$/, '');
}
