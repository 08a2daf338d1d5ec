import { isIPv4 } from 'node:net';
import { isLoopback } from './loopback.ts';

/** The peer of every loopback connection: programs of this machine cannot be told apart by their address. */
export const THIS_MACHINE = 'loopback';
const HEXTETS = 8;
/** One subscriber is usually given a whole /64, and so has as many addresses as it likes. */
const NETWORK_HEXTETS = 4;

/** Whose share a connection counts in, by its remote address. */
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
