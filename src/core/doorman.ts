import type { Caller } from './call.ts';

/** The two ends of a TCP connection; a socket of node:net is one. */
export interface TcpConnection {
  readonly remoteAddress?: string | undefined;
  readonly remotePort?: number | undefined;
  readonly localAddress?: string | undefined;
  readonly localPort?: number | undefined;
}

/**
 * Whose program is at the other end: of the daemon's own user (or root), of another one, or `unsupported` where the system
 * does not tell.
 */
export type PeerUser = 'same' | 'other' | 'unsupported';

/** Where a connection comes from, as far as it decides who is there. */
export interface Arrival {
  /** `unix`: the socket file that only its owner can open. */
  readonly door: 'unix' | 'tcp';
  readonly token: string | undefined;
  /** Of a TCP caller: who needs no token must be a program of the same user, and guesses are counted by address. */
  readonly connection?: TcpConnection | undefined;
  /**
   * `hello` unless told. A refused `request` is told of by its own line in the log, so the doorman says nothing; a `probe` is
   * answered whoever asks, so that a wrong token is heard of here alone.
   */
  readonly during?: 'hello' | 'request' | 'probe';
}

/** Knows who may come in. Tokens are compared in constant time and never kept as they are. */
export interface Doorman {
  /** Rejects with `auth` when a token is missing or no good. */
  identify(arrival: Arrival): Promise<Caller>;
  /**
   * Puts a new token in place of an old one, which stays good for a while. A caller that came with a token can replace that one
   * alone. Rejects with `auth` or `validation`.
   */
  rotate(oldToken: string, newToken: string, by?: Caller): Promise<Rotation>;
}

export interface Rotation {
  /** How long the old token still opens the door. */
  readonly graceMs: number;
  /** Whether the new one outlives this daemon; if not, `note` says where to write it. */
  readonly kept: boolean;
  readonly note?: string;
}
