/** How this machine reaches the world, from the configuration. An empty text means "none". */
export interface NetworkSettings {
  /** The proxy for http:// addresses, as a URL that may carry a user and a password. */
  readonly httpProxy: string;
  /** The proxy for https:// addresses. */
  readonly httpsProxy: string;
  /** What goes without a proxy, in the words of curl: names, suffixes, addresses, networks, `*`. */
  readonly noProxy: string;
  /** Certificates in PEM, trusted besides the usual ones. */
  readonly extraCa: string;
  /** `host:port` of places that are not public and may be reached all the same. */
  readonly allowPrivate?: readonly string[];
}
