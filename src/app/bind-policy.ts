import type { Config } from '#config/config.schema.ts';
import { CallError } from '#core/call-error.ts';
import { isLoopback } from '#transport/http/loopback.ts';

/** The address to listen on, once it is clear that nobody uninvited can use it. */
export function listeningHost({ host, token, auth }: Config): string {
  const address = host.replace(/^\[(.+)\]$/, '$1');
  if (token !== '') return address;
  if (!isLoopback(address)) {
    throw new CallError(
      'not_configured',
      `Listening on ${host} lets other machines in, so it needs a token.`,
      {
        field: 'token',
        fix: 'Set EXAI_TOKEN to a long random text, or listen on 127.0.0.1.',
      },
    );
  }
  if (auth.requireToken) {
    throw new CallError('not_configured', 'auth.requireToken is on, but there is no token.', {
      field: 'token',
      fix: 'Set EXAI_TOKEN to a long random text, or turn auth.requireToken off.',
    });
  }
  return address;
}
