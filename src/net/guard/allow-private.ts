import { hostAndPort, type Destination } from '../target.ts';

/** Whether the user has named this place, as `host:port`. */
export function isAllowed(
  { host, port }: Pick<Destination, 'host' | 'port'>,
  allowPrivate: readonly string[],
): boolean {
  if (allowPrivate.length === 0) return false;
  const place = hostAndPort(host.toLowerCase().replace(/\.$/, ''), port);
  return allowPrivate.some((allowed) => allowed.toLowerCase() === place);
}
