import { isOurHost } from './host-header.ts';

/**
 * Whether the page that asks may. Programs send no Origin; a browser always does, and cannot be told to lie. Only pages
 * of this machine, or of a name that is ours, get through; `null` is a page that hides where it is from.
 */
export function isOurOrigin(
  header: string | undefined,
  ours: readonly string[],
  localAddress: string | undefined,
): boolean {
  if (header === undefined) return true;
  const host = /^https?:\/\/([^/?#@]+)$/i.exec(header)?.[1];
  return host !== undefined && isOurHost(host, ours, localAddress);
}
