import { createHash } from 'node:crypto';
import { isUrl } from '#core/is-url.ts';

/** What tells two addresses apart and gives neither away. Credentials do not count: they say who asks, not who answers. */
export function addressDigest(baseUrl: string): string {
  return createHash('sha256').update(withoutCredentials(baseUrl)).digest('hex');
}

function withoutCredentials(baseUrl: string): string {
  if (!isUrl(baseUrl)) return baseUrl;
  const url = new URL(baseUrl);
  url.username = '';
  url.password = '';
  return url.href;
}
