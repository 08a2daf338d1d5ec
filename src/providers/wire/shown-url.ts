import { isUrl } from '#core/is-url.ts';

/** An address as people may see it: without a password, and without a query, which may hold a key. */
export function shownUrl(address: string): string {
  if (!isUrl(address) || !/[@?]/.test(address)) return address;
  const url = new URL(address);
  url.search = '';
  url.username = '';
  url.password = '';
  return url.href;
}
