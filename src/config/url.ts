import { isUrl } from '#core/is-url.ts';

/** In place of the host where there is none: PostgreSQL may be reached by a socket, and URL takes no user without a host. */
const NO_HOST = 'no-host.invalid';

/** Also of the form `postgres://user@/db?host=/run/postgresql`. */
export function parseUrl(text: string): URL | undefined {
  if (isUrl(text)) return new URL(text);
  const withHost = text.replace('@/', `@${NO_HOST}/`);
  return isUrl(withHost) ? new URL(withHost) : undefined;
}

/** The inverse of `parseUrl`. */
export function formatUrl(url: URL): string {
  return url.href.replace(`@${NO_HOST}/`, '@/');
}
