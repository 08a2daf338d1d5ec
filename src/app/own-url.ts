import { bareAddress } from './bind-policy.ts';

/** Where a daemon with these settings is reached from its own machine. */
export function ownUrl({ host, port }: { readonly host: string; readonly port: number }): string {
  const address = bareAddress(host);
  return reachableUrl(`http://${address.includes(':') ? `[${address}]` : address}:${port}`);
}

/** Who listens on every address is at home on this one. */
export function reachableUrl(url: string): string {
  return url.replace('//0.0.0.0:', '//127.0.0.1:').replace('//[::]:', '//[::1]:');
}
