import type { CallError } from '#core/errors/call-error.ts';
import { codedError } from '#core/errors/coded-error.ts';
import { reason } from '#core/messages/reasons.ts';
import { shownScopes } from './challenge.ts';

/** The error of a call to a server that wants a login. */
export function loginNeeded(server: string, wanted?: string): CallError {
  const scope = shownScopes(wanted);
  return codedError(
    'auth',
    reason('server_login_needed', { server, ...(scope !== undefined && { scope }) }),
    { fix: `Log in with: exai servers login ${server}` },
  );
}
