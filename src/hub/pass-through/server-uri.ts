const PREFIX = 'mcp://';

/**
 * The address under which a resource of a server is offered, so that equal addresses of two servers
 * do not collide. It also works for templates, and is undone by cutting it off.
 */
export function serverUri(server: string, uri: string): string {
  return `${PREFIX}${server}/${uri}`;
}

/** The server and its own address; undefined for an address of another form. */
export function splitServerUri(
  uri: string,
): { readonly server: string; readonly uri: string } | undefined {
  const end = uri.indexOf('/', PREFIX.length);
  if (!uri.startsWith(PREFIX) || end === -1) return undefined;
  return { server: uri.slice(PREFIX.length, end), uri: uri.slice(end + 1) };
}
