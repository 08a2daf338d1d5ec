import { BlockList, isIP, isIPv4 } from 'node:net';

const LOOPBACK = new BlockList();
LOOPBACK.addSubnet('127.0.0.0', 8, 'ipv4');
LOOPBACK.addAddress('::1', 'ipv6');

// Nearly every request uses one of these; BlockList allocates an object for each check.
const USUAL = new Set(['127.0.0.1', 'localhost', '::1']);

/** Whether a host name or address is a loopback one, reachable from this machine only. */
export function isLoopback(host: string): boolean {
  if (USUAL.has(host)) return true;
  const version = isIP(host);
  if (version === 0) return host.toLowerCase() === 'localhost';
  return LOOPBACK.check(host, version === 6 ? 'ipv6' : 'ipv4');
}

/** The peer of every loopback connection: local programs cannot be distinguished by address. */
export const THIS_MACHINE = 'loopback';
const HEXTETS = 8;
/** One subscriber usually owns a whole /64 and can use any address in it. */
const NETWORK_HEXTETS = 4;

/**
 * The peer that a connection counts for: its IPv4 address, its IPv6 /64 network, or this machine.
 */
export function peerOf(remoteAddress: string | undefined): string {
  const address = (remoteAddress ?? '').replace(/^::ffff:/, '');
  if (address === '' || isLoopback(address)) return THIS_MACHINE;
  return isIPv4(address) ? address : `${networkOf(address)}::/64`;
}

function networkOf(address: string): string {
  const [left = '', right] = address.replace(/%.*$/, '').split('::');
  const before = hextets(left);
  const after = right === undefined ? [] : hextets(right);
  const zeros = Array.from({ length: HEXTETS - before.length - after.length }, () => '0');
  return [...before, ...zeros, ...after].slice(0, NETWORK_HEXTETS).join(':');
}

function hextets(text: string): string[] {
  return text === '' ? [] : text.split(':');
}
