/**
 * How a generated owner's token begins. It tells one from a token that the user chose: with `auth.requireToken` off only the
 * latter is demanded, and nobody can guess one of ours.
 */
export const GENERATED_TOKEN_PREFIX = 'exai-owner-';
const GENERATED_TOKEN = /^exai-owner-[\w-]{43}$/;

export function isGeneratedToken(token: string): boolean {
  return GENERATED_TOKEN.test(token);
}

/** The method by which the command line has the running daemon replace the owner's token, on the unix socket alone. */
export const ROTATE_TOKEN_METHOD = 'exai/token/rotate';

export interface TokenRotated {
  /** How long the old token still works. */
  readonly graceMs: number;
  /** Whether the next daemon knows the new one; if not, `note` says where to write it. */
  readonly kept: boolean;
  readonly note?: string;
  /** The new token, where it could not be written down and has to be copied. */
  readonly token?: string;
}
