/**
 * Prefix of generated owner tokens, which distinguishes them from tokens that the user chose. With
 * `auth.requireToken` off, only a chosen token is required. A generated one cannot be guessed.
 */
export const GENERATED_TOKEN_PREFIX = 'exai-owner-';
const GENERATED_TOKEN = /^exai-owner-[\w-]{43}$/;

export function isGeneratedToken(token: string): boolean {
  return GENERATED_TOKEN.test(token);
}

/**
 * RPC method that rotates the owner's token in the running daemon. Served on the unix socket only.
 */
export const ROTATE_TOKEN_METHOD = 'exai/token/rotate';

export interface TokenRotated {
  /** How long the old token stays valid. */
  readonly graceMs: number;
  /** Whether the new token was saved for the next daemon; if not, `note` says where to put it. */
  readonly kept: boolean;
  readonly note?: string;
  /** The new token, present only if it could not be saved and must be copied by hand. */
  readonly token?: string;
}
