/** The token of `Authorization: Bearer …`. */
export function bearerOf(header: string | undefined): string | undefined {
  return /^Bearer +(.+)$/i.exec(header ?? '')?.[1];
}

/** The challenge of every 401. RFC 6750 wants a parameter after the name of the scheme. */
export const BEARER_CHALLENGE = 'Bearer realm="exai"';
