import { isUrl } from '#core/net/is-url.ts';

/**
 * A placeholder for a missing host: PostgreSQL may use a socket, and URL accepts no user without a
 * host.
 */
const NO_HOST = 'no-host.invalid';

/** Parses a URL, also one like `postgres://user@/db?host=/run/postgresql`. */
export function parseUrl(text: string): URL | undefined {
  if (isUrl(text)) return new URL(text);
  const withHost = text.replace('@/', `@${NO_HOST}/`);
  return isUrl(withHost) ? new URL(withHost) : undefined;
}

/** The inverse of `parseUrl`. */
export function formatUrl(url: URL): string {
  return url.href.replace(`@${NO_HOST}/`, '@/');
}
