import { hash } from 'node:crypto';
import {
  CLIENT_TOKEN_PREFIX,
  isGeneratedClientToken,
  type TemporaryToken,
} from '#core/auth/client-token.ts';
import { OWNER_PRINCIPAL } from '#core/auth/principal.ts';
import { createBoundedMap } from '#core/bounded-map.ts';
import type { Caller } from '#core/calls/call.ts';
import { CallError } from '#core/errors/call-error.ts';
import type { Random } from '#core/random.ts';
import type { Clock } from '#core/time/clock.ts';

/**
 * Tokens for programs that the owner starts, which allow less than the owner's. They are in memory
 * alone, and the program that started the other renews its token while that runs.
 */
export interface TemporaryTokens {
  /**
   * Makes a token, or extends this one. The daemon may have been restarted since it was made, so a
   * token that is not known is accepted if it can be one of these.
   */
  renew(scopes: readonly string[], token?: string): TemporaryToken;
  /** Revokes a token. */
  end(token: string): void;
  /** The caller with this token, by its digest; undefined if there is none. */
  find(tokenSha256: string): Caller | undefined;
  /** Whether the credential is valid; undefined if it is none of these. */
  isValid(credential: string): boolean | undefined;
}

const LIFETIME_MS = 10 * 60_000;
const TOKEN_BYTES = 32;
const MAX_TOKENS = 256;
const CREDENTIAL_PREFIX = 'temporary_';
const CREDENTIAL_CHARS = 16;

interface IssuedToken {
  readonly caller: Caller;
  /** In `clock.monotonic()` time. */
  readonly goodUntil: number;
}

export function createTemporaryTokens({
  clock,
  random,
}: {
  readonly clock: Clock;
  readonly random: Random;
}): TemporaryTokens {
  /** By the digest of the token. */
  const issued = createBoundedMap<string, IssuedToken>({ maxEntries: MAX_TOKENS });
  const isGood = ({ goodUntil }: IssuedToken) => clock.monotonic() < goodUntil;

  function newToken(): string {
    return `${CLIENT_TOKEN_PREFIX}${Buffer.from(random(TOKEN_BYTES)).toString('base64url')}`;
  }

  return {
    renew(scopes, token = newToken()) {
      if (!isGeneratedClientToken(token)) {
        throw new CallError('validation', '"token" is not a generated token.', { field: 'token' });
      }
      const tokenSha256 = digest(token);
      const credential = `${CREDENTIAL_PREFIX}${tokenSha256.slice(0, CREDENTIAL_CHARS)}`;
      const caller = { principal: OWNER_PRINCIPAL, scopes, roots: [], credential };
      issued.set(tokenSha256, { caller, goodUntil: clock.monotonic() + LIFETIME_MS });
      return { token, expiresInMs: LIFETIME_MS };
    },

    end: (token) => void issued.delete(digest(token)),

    find(tokenSha256) {
      const found = issued.get(tokenSha256);
      return found && isGood(found) ? found.caller : undefined;
    },

    isValid(credential) {
      if (!credential.startsWith(CREDENTIAL_PREFIX)) return undefined;
      for (const each of issued.values())
        if (each.caller.credential === credential) return isGood(each);
      return false;
    },
  };
}

function digest(token: string): string {
  return hash('sha256', token, 'hex');
}
