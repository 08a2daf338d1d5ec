import type { Caller } from '../calls/call.ts';

/** Addresses of both ends of a TCP connection; a socket of node:net satisfies it. */
export interface TcpConnection {
  readonly remoteAddress?: string | undefined;
  readonly remotePort?: number | undefined;
  readonly localAddress?: string | undefined;
  readonly localPort?: number | undefined;
}

/**
 * Which user runs the peer process: the daemon's user or root (`same`), another user, or
 * `unsupported` if the system cannot say.
 */
export type PeerUser = 'same' | 'other' | 'unsupported';

/** What a connection or request presents to be authenticated. */
export interface Credentials {
  /** `unix`: the socket file, which only its owner can open. */
  readonly transport: 'unix' | 'tcp';
  readonly token: string | undefined;
  /**
   * Present for TCP. Callers without a token must run as the same user, and wrong tokens are
   * counted by address.
   */
  readonly connection?: TcpConnection | undefined;
  /**
   * Default `hello`. A refused `request` is logged by its listener, so the authenticator does not
   * log it again. A `probe` is answered for every caller, so only the authenticator logs a wrong
   * token.
   */
  readonly phase?: 'hello' | 'request' | 'probe';
}

/** Authenticates callers. Tokens are compared in constant time and stored only as digests. */
export interface Authenticator {
  /** Rejects with `auth` if a required token is missing or invalid. */
  authenticate(arrival: Credentials): Promise<Caller>;
  /**
   * Replaces a token; the old one stays valid for a grace period. A caller with a token can replace
   * only that token. Rejects with `auth` or `validation`.
   */
  rotate(oldToken: string, newToken: string, by?: Caller): Promise<Rotation>;
}

export interface Rotation {
  /** How long the old token stays valid. */
  readonly graceMs: number;
  /** Whether the new token was saved for the next daemon; if not, `note` says where to put it. */
  readonly kept: boolean;
  readonly note?: string;
}
