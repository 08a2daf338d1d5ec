/** Prefix of tokens that the daemon makes for clients. */
export const CLIENT_TOKEN_PREFIX = 'exai_';

const GENERATED_CLIENT_TOKEN = /^exai_[\w-]{43}$/;

/** Whether it was generated; clients may rotate to a token they chose themselves. */
export function isGeneratedClientToken(token: string): boolean {
  return GENERATED_CLIENT_TOKEN.test(token);
}

/**
 * RPC methods of temporary tokens for the gateway. Served on the unix socket only, to the owner.
 * `renew` without a token makes one.
 */
export const GATEWAY_TOKEN_METHODS = {
  renew: 'exai/gateway/renew_token',
  end: 'exai/gateway/end_token',
} as const;

/** A token that only the gateway accepts, until it expires. */
export interface TemporaryToken {
  readonly token: string;
  readonly expiresInMs: number;
}
