import type { Config } from '#config/config.schema.ts';
import type { Origin } from '#config/origin.ts';
import { checkOwnerToken } from '#config/owner-token.ts';
import { CallError } from '#core/call-error.ts';
import { fix } from '#core/messages/fixes.ts';
import { isGeneratedToken } from '#core/owner-token.ts';
import { isLoopback } from '#transport/http/loopback.ts';

type TokenSettings = Pick<Config, 'host' | 'token'> & {
  readonly auth: Pick<Config['auth'], 'requireToken'>;
};

/** The address to listen on, once it is clear that nobody uninvited can use it. */
export function listeningHost({ host, token, auth }: TokenSettings, origin?: Origin): string {
  const address = bareAddress(host);
  if (token !== '') checkOwnerToken(token, 'token', origin);
  else if (!auth.requireToken && !isLoopback(address)) throw tokenMissing(host);
  return address;
}

/**
 * Whether TCP callers have to present a token. With `auth.requireToken` off they need none on loopback, unless the user chose a
 * token: one that was generated here does not count as chosen.
 */
export function needsToken({ host, token, auth }: TokenSettings): boolean {
  const isChosen = token !== '' && !isGeneratedToken(token);
  return auth.requireToken || isChosen || !isLoopback(bareAddress(host));
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
      fixes: [
        fix('set_setting', { setting: 'auth.requireToken', value: true }),
        fix('set_setting', { setting: 'EXAI_TOKEN' }),
        fix('set_setting', { setting: 'EXAI_HOST', value: '127.0.0.1' }),
      ],
    },
  );
}
