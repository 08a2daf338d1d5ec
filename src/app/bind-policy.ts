import type { Config } from '#config/config.schema.ts';
import { checkOwnerToken, isGenerated } from '#config/owner-token.ts';
import { CallError } from '#core/call-error.ts';
import { isLoopback } from '#transport/http/loopback.ts';

type TokenSettings = Pick<Config, 'host' | 'token'> & {
  readonly auth: Pick<Config['auth'], 'requireToken'>;
};

/** The address to listen on, once it is clear that nobody uninvited can use it. */
export function listeningHost({ host, token, auth }: TokenSettings): string {
  const address = bareAddress(host);
  if (token !== '') checkOwnerToken(token, 'token');
  else if (!auth.requireToken && !isLoopback(address)) throw tokenMissing(host);
  return address;
}

/**
 * The owner's token as TCP callers have to present it; empty where they need none. With `auth.requireToken` off, a token that was
 * generated here is not demanded on loopback, but one that the user chose is.
 */
export function demandedToken({ host, token, auth }: TokenSettings): string {
  const isOptional = !auth.requireToken && isLoopback(bareAddress(host));
  return isOptional && isGenerated(token) ? '' : token;
}

/** `::1` of `[::1]`: an address as a socket takes it. */
export function bareAddress(host: string): string {
  return host.replace(/^\[(.+)\]$/, '$1');
}

function tokenMissing(host: string): CallError {
  return new CallError(
    'not_configured',
    `EXAI_HOST is ${host}, which other machines can reach, and no token is set.`,
    {
      field: 'token',
      fix: 'Set auth.requireToken to true, set EXAI_TOKEN, or listen on 127.0.0.1.',
    },
  );
}
