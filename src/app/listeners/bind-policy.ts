import type { Config } from '#config/schema/config.schema.ts';
import type { Origin } from '#config/load/origin.ts';
import { checkOwnerToken } from '#config/secrets/owner-token.ts';
import { CallError } from '#core/errors/call-error.ts';
import { fix } from '#core/messages/fixes.ts';
import { isGeneratedToken } from '#core/auth/owner-token.ts';
import { isLoopback } from '#transport/http/peer-address.ts';

type TokenSettings = Pick<Config, 'host' | 'token'> & {
  readonly auth: Pick<Config['auth'], 'requireToken'>;
};

/** The address to listen on; throws if clients without a token could use it. */
export function listeningHost({ host, token, auth }: TokenSettings, origin?: Origin): string {
  const address = bareAddress(host);
  if (token !== '') checkOwnerToken(token, 'token', origin);
  else if (!auth.requireToken && !isLoopback(address)) throw tokenMissing(host);
  return address;
}

/**
 * Whether TCP callers must present a token. With `auth.requireToken` off, they need none on
 * loopback, unless the user set a token; a generated one does not count.
 */
export function needsToken({ host, token, auth }: TokenSettings): boolean {
  const isChosen = token !== '' && !isGeneratedToken(token);
  return auth.requireToken || isChosen || !isLoopback(bareAddress(host));
}

/** `::1` for `[::1]`: the address format of sockets. */
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
