import { BlockList, isIP } from 'node:net';

const LOOPBACK = new BlockList();
LOOPBACK.addSubnet('127.0.0.0', 8, 'ipv4');
LOOPBACK.addAddress('::1', 'ipv6');

// Nearly every request asks by one of these, and the list makes an object for each question.
const USUAL = new Set(['127.0.0.1', 'localhost', '::1']);

/** Whether a name or address can be reached from this machine only. */
export function isLoopback(host: string): boolean {
  if (USUAL.has(host)) return true;
  const version = isIP(host);
  if (version === 0) return host.toLowerCase() === 'localhost';
  return LOOPBACK.check(host, version === 6 ? 'ipv6' : 'ipv4');
}
