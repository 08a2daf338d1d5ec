import type { Caller } from './call.ts';

/** Where a connection comes from, as far as it decides who is there. */
export interface Arrival {
  /** `unix`: the socket file that only its owner can open. */
  readonly door: 'unix' | 'tcp';
  readonly token: string | undefined;
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
  /** Puts a new token in place of an old one, which stays good for a while. Rejects with `auth` or `validation`. */
  rotate(oldToken: string, newToken: string): Promise<Rotation>;
}

export interface Rotation {
  /** How long the old token still opens the door. */
  readonly graceMs: number;
  /** Whether the new one outlives this daemon; if not, `note` says where to write it. */
  readonly kept: boolean;
  readonly note?: string;
}
