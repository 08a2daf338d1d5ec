import { bareAddress } from './bind-policy.ts';
import type { DaemonRecord } from '../daemon/daemon-file.ts';

/** The URL of a daemon with these settings on its own machine. */
export function daemonUrl(
  { host, port }: { readonly host: string; readonly port: number },
  scheme: 'http' | 'https' = 'http',
): string {
  const address = bareAddress(host);
  return reachableUrl(`${scheme}://${address.includes(':') ? `[${address}]` : address}:${port}`);
}

/**
 * How a program on this machine reaches the daemon; with TLS by its address, trusting its
 * certificate instead of a name.
 */
export interface LoopbackTarget {
  readonly url: string;
  readonly certificate?: string;
}

export function loopbackTarget({
  url,
  host,
  port,
  certificate,
}: Pick<DaemonRecord, 'url' | 'host' | 'port' | 'certificate'>): LoopbackTarget | undefined {
  if (certificate === undefined || host === undefined || port === undefined) {
    return url === undefined ? undefined : { url };
  }
  return { url: daemonUrl({ host, port }, 'https'), certificate };
}

/** Replaces a wildcard address with loopback. */
export function reachableUrl(url: string): string {
  return url.replace('//0.0.0.0:', '//127.0.0.1:').replace('//[::]:', '//[::1]:');
}
