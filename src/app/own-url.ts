import { bareAddress } from './bind-policy.ts';
import type { DaemonRecord } from './daemon-file.ts';

/** Where a daemon with these settings is reached from its own machine. */
export function ownUrl(
  { host, port }: { readonly host: string; readonly port: number },
  scheme: 'http' | 'https' = 'http',
): string {
  const address = bareAddress(host);
  return reachableUrl(`${scheme}://${address.includes(':') ? `[${address}]` : address}:${port}`);
}

/** How a program of this machine asks the daemon: with TLS by its address, and by its certificate in place of a name. */
export interface LocalTarget {
  readonly url: string;
  readonly certificate?: string;
}

export function localTarget({
  url,
  host,
  port,
  certificate,
}: Pick<DaemonRecord, 'url' | 'host' | 'port' | 'certificate'>): LocalTarget | undefined {
  if (certificate === undefined || host === undefined || port === undefined) {
    return url === undefined ? undefined : { url };
  }
  return { url: ownUrl({ host, port }, 'https'), certificate };
}

/** Who listens on every address is at home on this one. */
export function reachableUrl(url: string): string {
  return url.replace('//0.0.0.0:', '//127.0.0.1:').replace('//[::]:', '//[::1]:');
}
